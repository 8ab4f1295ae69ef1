"""Names of goods and services that firms sell to each other, by language and sector."""

from __future__ import annotations

from recipe.facts import Fact, World

SECTORS = ("office", "building", "digital", "food", "vehicles", "industry")
"""The order of the sectors in ``GOODS``; a wording asks for one by ``@count: sector 2``."""

GOODS = {
    "en": (
        "A4 copy paper, 5 reams|Toner black HY|Office chair, mesh back|Desk 160 x 80|"
        "Lever arch file|"
        "Whiteboard 90x60|Monitor arm, single|LED desk lamp|Shredder P-4|Envelopes C5, box of 500|"
        "Sticky notes, yellow|Label printer|Wireless keyboard|Filing cabinet, 3 drawers|"
        "USB-C dock",
        "Labour, second fix|Plasterboard 12.5 mm|Copper pipe 15 mm, 3 m|Removal of old tiles|"
        "Skip hire, 6 yd|Thermostatic radiator valve|Scaffolding, weekly rate|Call-out charge|"
        "Waterproof membrane|Timber C24 47x150|Consumer unit, 12 way|Painting, two coats|"
        "Roof tiles, per m2|Ready-mix concrete|Door lining, oak",
        "Web hosting, annual|Homepage redesign|Domain renewal|SSL certificate|SEO audit|"
        "Logo concept|"
        "Copywriting, per page|Support retainer|Server migration|Photo licence|"
        "Newsletter template|"
        "API integration|Video editing|User testing session|Backup storage 2 TB",
        "Arabica beans, 1 kg|Sunflower oil 10 L|Plum tomatoes, tin|Mozzarella, grated|"
        "Oat milk, case of 12|"
        "Free-range eggs, tray|Sourdough loaf, unsliced|Smoked salmon, side|Basmati rice 20 kg|"
        "Dark chocolate couverture|Still water, crate|Olives, pitted|Butter, unsalted|"
        "Chicken thighs|Flour type 00",
        "Oil and filter change|Brake pads, front|Brake discs, pair|Wheel alignment|Spark plug|"
        "Air filter|"
        "Engine oil 5W-30|Timing belt kit|Tyre 205/55 R16|Wiper blades|MOT test|Battery 70 Ah|"
        "Diagnostics|Coolant|Labour, per hour",
        "Hex bolt M8x40|Ball bearing 6204|Conveyor belt, 5 m|Safety gloves, pair|Hydraulic hose|"
        "Pallet, EUR|"
        "Stretch film|Pressure gauge|Stainless sheet 2 mm|Proximity sensor|Cable tray|Gear motor|"
        "O-ring set|Welding wire 0.8|Air cylinder",
    ),
    "de": (
        "Kopierpapier A4, 80 g|Toner schwarz|Bürodrehstuhl|Schreibtisch höhenverstellbar|"
        "Aktenordner breit|"
        "Moderationskoffer|Monitorarm|Schreibtischlampe LED|Aktenvernichter|"
        "Briefumschläge DIN lang",
        "Montagearbeiten|Rigipsplatten 12,5 mm|Kupferrohr 15 mm|Entsorgung Bauschutt|"
        "Anfahrtspauschale|"
        "Thermostatventil|Gerüst, Wochenmiete|Fliesenkleber 25 kg|Malerarbeiten Decke|"
        "Sicherungsautomat B16",
        "Webhosting, jährlich|Neugestaltung Startseite|Domainverlängerung|SEO-Analyse|Logoentwurf|"
        "Texterstellung, je Seite|Wartungsvertrag|Serverumzug|Bildlizenz|Schulung vor Ort",
        "Kaffeebohnen 1 kg|Sonnenblumenöl 10 l|Passierte Tomaten|Bergkäse, Laib|"
        "Hafermilch, Karton|"
        "Bio-Eier, Palette|Roggenbrot|Räucherlachs|Mineralwasser, Kiste|Weizenmehl 405",
        "Ölwechsel inkl. Filter|Bremsbeläge vorne|Bremsscheiben, Satz|Achsvermessung|Zündkerze|"
        "Luftfilter|"
        "Hauptuntersuchung|Batterie 70 Ah|Winterreifen 205/55 R16|Arbeitslohn",
        "Sechskantschraube M8x40|Rillenkugellager 6204|Förderband 5 m|Schutzhandschuhe|"
        "Hydraulikschlauch|"
        "Europalette|Stretchfolie|Manometer|Edelstahlblech 2 mm|Näherungsschalter",
    ),
    "fr": (
        "Ramette papier A4|Toner noir|Fauteuil de bureau|Bureau 160 cm|Classeur à levier|"
        "Tableau blanc|"
        "Bras d'écran|Lampe LED|Destructeur de documents|Enveloppes C5",
        "Main-d'œuvre pose|Plaque de plâtre BA13|Tube cuivre 16 mm|Évacuation des gravats|"
        "Forfait déplacement|"
        "Robinet thermostatique|Échafaudage, semaine|Colle carrelage 25 kg|Peinture plafond|"
        "Disjoncteur 16 A",
        "Hébergement annuel|Refonte page d'accueil|Renouvellement de domaine|Audit SEO|"
        "Création de logo|"
        "Rédaction, la page|Maintenance mensuelle|Migration serveur|Licence photo|"
        "Formation sur site",
        "Café en grains 1 kg|Huile de tournesol 10 L|Tomates pelées|Comté 18 mois|Lait d'avoine|"
        "Œufs plein air|"
        "Pain de campagne|Saumon fumé|Eau plate, pack|Farine T55",
        "Vidange et filtre|Plaquettes avant|Disques de frein|Géométrie|Bougie|Filtre à air|"
        "Contrôle technique|"
        "Batterie 70 Ah|Pneu 205/55 R16|Main-d'œuvre, heure",
        "Boulon M8x40|Roulement 6204|Bande transporteuse|Gants de protection|"
        "Flexible hydraulique|Palette Europe|"
        "Film étirable|Manomètre|Tôle inox 2 mm|Capteur inductif",
    ),
    "es": (
        "Papel A4, caja|Tóner negro|Silla de oficina|Mesa de escritorio|Archivador|Pizarra blanca|"
        "Soporte de monitor|Lámpara LED|Destructora|Sobres C5",
        "Mano de obra|Placa de yeso|Tubo de cobre 15 mm|Retirada de escombros|Desplazamiento|"
        "Válvula termostática|"
        "Alquiler de andamio|Cemento cola|Pintura de techo|Interruptor magnetotérmico",
        "Alojamiento web anual|Rediseño de portada|Renovación de dominio|Auditoría SEO|"
        "Diseño de logotipo|"
        "Redacción por página|Mantenimiento mensual|Migración de servidor|Licencia de foto|"
        "Formación presencial",
        "Café en grano 1 kg|Aceite de girasol 10 L|Tomate triturado|Queso manchego|"
        "Bebida de avena|Huevos camperos|"
        "Pan de pueblo|Salmón ahumado|Agua mineral|Harina de trigo",
        "Cambio de aceite y filtro|Pastillas delanteras|Discos de freno|Alineación|Bujía|"
        "Filtro de aire|"
        "Batería 70 Ah|Neumático 205/55 R16|Hora de taller|Líquido de frenos",
        "Tornillo M8x40|Rodamiento 6204|Cinta transportadora|Guantes de seguridad|"
        "Manguera hidráulica|Europalé|"
        "Film estirable|Manómetro|Chapa inox 2 mm|Sensor inductivo",
    ),
    "it": (
        "Carta A4, risma|Toner nero|Sedia da ufficio|Scrivania 160 cm|Raccoglitore|"
        "Lavagna bianca|Lampada LED|"
        "Distruggidocumenti|Buste C5",
        "Manodopera posa|Cartongesso 12,5 mm|Tubo rame 15 mm|Smaltimento macerie|"
        "Diritto di chiamata|"
        "Valvola termostatica|Noleggio ponteggio|Colla per piastrelle|Tinteggiatura soffitto",
        "Hosting annuale|Restyling home page|Rinnovo dominio|Analisi SEO|Progetto logo|"
        "Testi, a pagina|"
        "Assistenza mensile|Migrazione server|Licenza foto",
        "Caffè in grani 1 kg|Olio di semi 10 L|Pomodori pelati|Parmigiano 24 mesi|Latte d'avena|"
        "Uova da terra|"
        "Pane casereccio|Salmone affumicato|Farina 00",
        "Tagliando olio e filtro|Pastiglie anteriori|Dischi freno|Convergenza|Candela|"
        "Filtro aria|Revisione|"
        "Batteria 70 Ah|Pneumatico 205/55 R16",
        "Vite M8x40|Cuscinetto 6204|Nastro trasportatore|Guanti da lavoro|Tubo idraulico|"
        "Pallet EUR|"
        "Film estensibile|Manometro|Lamiera inox 2 mm",
    ),
    "pt": (
        "Papel A4, resma|Toner preto|Cadeira de escritório|Mesa 160 cm|Pasta de arquivo|"
        "Quadro branco|Luminária LED|"
        "Trituradora|Envelopes C5",
        "Mão de obra|Placa de gesso|Tubo de cobre 15 mm|Remoção de entulho|Deslocação|"
        "Válvula termostática|"
        "Aluguer de andaime|Cimento cola|Pintura de teto",
        "Alojamento web anual|Página inicial nova|Renovação de domínio|Auditoria SEO|"
        "Criação de logótipo|"
        "Textos, por página|Manutenção mensal|Migração de servidor|Licença de imagem",
        "Café em grão 1 kg|Óleo de girassol 10 L|Tomate pelado|Queijo da serra|Bebida de aveia|"
        "Ovos caipiras|"
        "Broa de milho|Salmão fumado|Farinha de trigo",
        "Troca de óleo e filtro|Pastilhas dianteiras|Discos de freio|Alinhamento|Vela|"
        "Filtro de ar|Bateria 70 Ah|"
        "Pneu 205/55 R16|Hora de oficina",
        "Parafuso M8x40|Rolamento 6204|Correia transportadora|Luvas de segurança|"
        "Mangueira hidráulica|Palete EUR|"
        "Filme estirável|Manômetro|Chapa inox 2 mm",
    ),
    "nl": (
        "Kopieerpapier A4|Toner zwart|Bureaustoel|Zit-sta bureau|Ordner breed|Whiteboard|"
        "Bureaulamp LED|"
        "Papiervernietiger|Enveloppen C5",
        "Arbeidsloon montage|Gipsplaat 12,5 mm|Koperbuis 15 mm|Afvoer puin|Voorrijkosten|"
        "Thermostaatkraan|"
        "Steigerhuur per week|Tegellijm 25 kg|Plafond sauzen",
        "Webhosting, per jaar|Nieuwe homepage|Domeinverlenging|SEO-scan|Logo-ontwerp|"
        "Tekst, per pagina|"
        "Onderhoud per maand|Serververhuizing|Fotolicentie",
        "Koffiebonen 1 kg|Zonnebloemolie 10 l|Tomatenblokjes|Oude kaas|Havermelk|Scharreleieren|"
        "Volkorenbrood|"
        "Gerookte zalm|Tarwebloem",
        "Olie en filter vervangen|Remblokken voor|Remschijven|Uitlijnen|Bougie|Luchtfilter|"
        "APK-keuring|Accu 70 Ah|"
        "Band 205/55 R16",
        "Bout M8x40|Kogellager 6204|Transportband|Werkhandschoenen|Hydrauliekslang|Europallet|"
        "Rekfolie|Manometer|"
        "Rvs-plaat 2 mm",
    ),
}  # fmt: skip


def drawn_goods(world: World, number: int) -> list[Fact]:
    """Different goods or services of one sector, or fewer where it has fewer."""
    sector = world.count("sector", 1, len(SECTORS))
    names = [name.strip() for name in GOODS[world.language][sector - 1].split("|")]
    return [world.text(name) for name in world.rng.sample(names, min(number, len(names)))]
