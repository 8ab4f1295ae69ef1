"""The texts of bookings on accounts, by language and sector: household, business, cards."""

BANKS = (
    "Harbour & Mill Bank|First Prairie Bank|Northgate Savings|Kestrel Bank|"
    "Union of Tradesmen Bank|"
    "Sparkasse Nordtal|Volksbank Auental|Alpenbank Telfs|Banque du Littoral|"
    "Crédit Rural de l'Ouest|"
    "Caja del Sureste|Banco Meseta|Banca di Valverde|Cassa Rurale Montelago|Banco do Planalto|"
    "Caixa Ribeira|Polderbank|Zeeland Spaarbank|Tern|Monea|Lumen Pay"
)

BOOKINGS = {
    "en": (
        {
            "in": ("SALARY", "Child benefit", "Refund - online store", "Transfer from savings",
                "Interest earned",
                   "Cash deposit", "Rent from lodger", "Tax refund"),
            "out": ("Rent", "Electricity direct debit", "Council tax", "Grocery store",
                "Mobile phone bill",
                    "Gym membership", "ATM withdrawal", "Water rates", "Car insurance",
                    "Streaming subscription",
                    "Standing order to savings", "Train tickets", "Pharmacy", "Broadband",
                    "Dentist", "Nursery fees"),
        },
        {
            "in": ("Customer payment inv. 2041", "Card takings", "VAT repayment",
                "Deposit branch counter",
                   "Loan drawdown", "Grant, 2nd instalment"),
            "out": ("Payroll", "Office rent", "Supplier payment run", "Company car lease",
                "Business insurance",
                    "Card terminal fee", "Software licences", "Corporation tax", "Fuel cards",
                    "Cleaning services",
                    "Courier account", "Pension contributions"),
        },
        {
            "in": ("PAYMENT RECEIVED - THANK YOU", "Refund shoe shop", "Cashback reward"),
            "out": ("SQ *CORNER COFFEE", "Airline tickets", "Hotel Seaview", "Taxi app",
                "Online bookshop", "PETROL 0412",
                    "Restaurant La Luna", "Supermarket 881", "Parking garage", "Cinema tickets",
                    "Pharmacy 24h",
                    "Music streaming", "Garden centre", "Foreign transaction fee"),
        },
    ),
    "de": (
        {
            "in": ("Gehalt", "Kindergeld", "Gutschrift Versandhaus", "Umbuchung vom Sparkonto",
                "Bareinzahlung",
                   "Steuererstattung"),
            "out": ("Miete", "Stadtwerke Abschlag", "Rundfunkbeitrag", "Supermarkt", "Mobilfunk",
                "Fitnessstudio",
                    "Geldautomat", "Kfz-Versicherung", "Bahnfahrkarte", "Apotheke",
                    "Internetanschluss", "Kita-Beitrag"),
        },
        {
            "in": ("Zahlungseingang Kunde", "Kartenumsätze", "Umsatzsteuererstattung",
                "Einzahlung Schalter",
                   "Darlehensauszahlung"),
            "out": ("Lohnzahlung", "Büromiete", "Lieferantenrechnung", "Leasingrate",
                "Betriebshaftpflicht",
                    "Krankenkassenbeiträge", "Tankkarte", "Reinigungsfirma", "Portokasse"),
        },
        {
            "in": ("Ihre Zahlung, vielen Dank", "Rückerstattung Schuhhaus"),
            "out": ("Bäckerei am Markt", "Flugtickets", "Hotel Seeblick", "Taxi", "Buchhandlung",
                "Tankstelle",
                    "Restaurant Linde", "Parkhaus", "Kino", "Musikdienst",
                    "Auslandseinsatzentgelt"),
        },
    ),
    "fr": (
        {
            "in": ("VIR SALAIRE", "Allocations familiales", "Remboursement mutuelle",
                "Virement livret", "Dépôt espèces"),
            "out": ("Loyer", "PRLV électricité", "Supermarché", "Forfait mobile",
                "Salle de sport", "Retrait DAB",
                    "Assurance auto", "Billet de train", "Pharmacie", "Box internet",
                    "Cantine scolaire"),
        },
        {
            "in": ("Règlement client", "Remise cartes", "Remboursement TVA", "Déblocage prêt"),
            "out": ("Salaires", "Loyer bureaux", "Fournisseur matériel", "Crédit-bail",
                "Assurance pro", "URSSAF",
                    "Carburant", "Nettoyage"),
        },
        {
            "in": ("Votre règlement, merci", "Avoir chaussures"),
            "out": ("Boulangerie", "Billets d'avion", "Hôtel de la Plage", "Taxi", "Librairie",
                "Station-service",
                    "Restaurant Le Tilleul", "Parking", "Cinéma"),
        },
    ),
    "es": (
        {
            "in": ("Nómina", "Devolución Hacienda", "Traspaso desde ahorro",
                "Ingreso en efectivo", "Bizum recibido"),
            "out": ("Alquiler", "Recibo luz", "Supermercado", "Móvil", "Gimnasio", "Cajero",
                "Seguro coche", "Billete tren",
                    "Farmacia", "Fibra internet", "Comunidad de vecinos"),
        },
        {
            "in": ("Cobro cliente", "Ventas tarjeta", "Devolución IVA", "Disposición préstamo"),
            "out": ("Nóminas", "Alquiler oficina", "Pago proveedor", "Renting", "Seguro local",
                "Seguridad Social",
                    "Combustible", "Limpieza"),
        },
        {
            "in": ("Su pago, gracias", "Abono zapatería"),
            "out": ("Panadería", "Vuelos", "Hotel Miramar", "Taxi", "Librería", "Gasolinera",
                "Restaurante Olivo", "Parking",
                    "Cine"),
        },
    ),
    "it": (
        {
            "in": ("Stipendio", "Rimborso 730", "Giroconto da risparmio", "Versamento contanti",
                "Assegno unico"),
            "out": ("Affitto", "Bolletta luce", "Supermercato", "Ricarica cellulare", "Palestra",
                "Prelievo bancomat",
                    "Assicurazione auto", "Biglietto treno", "Farmacia", "Internet casa"),
        },
        {
            "in": ("Incasso cliente", "Incassi POS", "Rimborso IVA", "Erogazione finanziamento"),
            "out": ("Stipendi", "Affitto ufficio", "Pagamento fornitore", "Canone leasing",
                "Polizza", "Contributi INPS",
                    "Carburante", "Pulizie"),
        },
        {
            "in": ("Suo pagamento, grazie", "Storno scarpe"),
            "out": ("Panificio", "Voli", "Hotel Belvedere", "Taxi", "Libreria", "Distributore",
                "Ristorante Ulivo",
                    "Parcheggio", "Cinema"),
        },
    ),
    "pt": (
        {
            "in": ("Ordenado", "Reembolso IRS", "Transferência da poupança",
                "Depósito numerário", "MB Way recebido"),
            "out": ("Renda", "Luz débito direto", "Supermercado", "Telemóvel", "Ginásio",
                "Levantamento", "Seguro auto",
                    "Bilhete comboio", "Farmácia", "Internet casa"),
        },
        {
            "in": ("Recebimento cliente", "Vendas TPA", "Reembolso IVA", "Utilização crédito"),
            "out": ("Salários", "Renda escritório", "Fornecedor", "Renting", "Seguro",
                "Segurança Social", "Combustível",
                    "Limpezas"),
        },
        {
            "in": ("O seu pagamento, obrigado", "Estorno sapataria"),
            "out": ("Padaria", "Voos", "Hotel Miradouro", "Táxi", "Livraria", "Bomba gasolina",
                "Restaurante Figueira",
                    "Estacionamento", "Cinema"),
        },
    ),
    "nl": (
        {
            "in": ("Salaris", "Kinderbijslag", "Van spaarrekening", "Storting contant",
                "Teruggave belasting"),
            "out": ("Huur", "Energie termijn", "Supermarkt", "Mobiel abonnement", "Sportschool",
                "Geldautomaat",
                    "Autoverzekering", "Treinkaartje", "Apotheek", "Internet thuis"),
        },
        {
            "in": ("Ontvangst klant", "Pinomzet", "Teruggave btw", "Opname lening"),
            "out": ("Lonen", "Huur kantoor", "Leverancier", "Leasetermijn", "Verzekering",
                "Pensioenpremie", "Brandstof",
                    "Schoonmaak"),
        },
        {
            "in": ("Uw betaling, dank", "Retour schoenen"),
            "out": ("Bakkerij", "Vliegtickets", "Hotel Zeezicht", "Taxi", "Boekhandel",
                "Tankstation", "Restaurant De Linde",
                    "Parkeergarage", "Bioscoop"),
        },
    ),
}  # fmt: skip
