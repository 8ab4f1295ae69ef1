"""Names of things that people buy in shops and restaurants, by language and sector."""

GOODS = {
    "en": (
        "Whole milk 2L|Bananas loose|Wholemeal bread|Cheddar 400g|Free range eggs x6|"
        "Chicken breast|Penne 500g|"
        "Chopped tomatoes|Greek yoghurt|Washing-up liquid|Kitchen roll 2pk|Ground coffee|"
        "Red onions|Oat flakes|"
        "Orange juice 1L|Frozen peas|Dog food 12pk|Salted butter|Avocado|Crisps sea salt",
        "Soup of the day|Caesar salad|Fish and chips|Mushroom risotto|Sirloin steak|"
        "House red, glass|Sparkling water|"
        "Garlic bread|Chicken curry|Veggie burger|Sweet potato fries|Tiramisu|Draught lager|"
        "Espresso|Cheesecake|"
        "Lemonade|Pad thai|Spring rolls",
        "Flat white|Cappuccino|Chai latte|Croissant|Cinnamon bun|Rye loaf|Toasted sandwich|"
        "Carrot cake|Iced tea|"
        "Hot chocolate|Blueberry muffin|Bagel, cream cheese|Americano|Oat milk extra|Sausage roll",
        "Ribbed socks 3pk|Denim jacket|T-shirt crew neck|Wool scarf|Leather belt|Linen trousers|"
        "Raincoat|"
        "Running tights|Cotton shirt|Baby romper|Knit beanie|Ankle boots|Swim shorts|Cardigan",
        "Wood screws 4x40|Masonry paint 5L|Claw hammer|Masking tape|Drill bit set|"
        "Silicone sealant|Paint roller|"
        "Extension lead 5m|LED bulb E27|Potting soil 40L|Hose connector|Sandpaper assorted|"
        "Wall plugs|Spirit level",
        "Ibuprofen 400mg|Cough syrup|Plasters assorted|Vitamin D3|Sun cream SPF50|Toothpaste|"
        "Hand cream|"
        "Nasal spray|Contact lens fluid|Antiseptic cream|Throat lozenges|Baby wipes",
        "USB-C cable 2m|Phone case|Wireless mouse|AA batteries 8pk|Paperback novel|Board game|"
        "Headphones|Memory card|"
        "Gift wrap|Notebook A5|Screen protector|Travel adapter|Fountain pen",
    ),
    "de": (
        "Vollmilch 3,5%|Bananen|Roggenmischbrot|Gouda jung|Eier 10er|Hähnchenbrust|"
        "Spaghetti 500g|Tomaten Rispe|"
        "Joghurt natur|Spülmittel|Küchenrolle|Kaffee gemahlen|Zwiebeln 1kg|Haferflocken|"
        "Apfelsaft|Pfand 0,25",
        "Tagessuppe|Wiener Schnitzel|Käsespätzle|Rinderroulade|Gemischter Salat|Pils 0,5|"
        "Apfelschorle 0,4|"
        "Mineralwasser|Kaiserschmarrn|Espresso|Kartoffelpuffer|Rotwein 0,2",
        "Milchkaffee|Laugenbrezel|Mohnschnecke|Dinkelbrot 750g|Käsekuchen|Butterhörnchen|"
        "Tee Kanne|Nussecke|"
        "Belegtes Brötchen|Kakao",
        "Herrenhemd|Socken 3er|Jeans slim|Strickjacke|Winterschal|Ledergürtel|Regenjacke|T-Shirt|"
        "Kinderhose",
        "Holzschrauben 4x40|Wandfarbe 10l|Klebeband|Bohrer-Set|Silikon weiß|Verlängerungskabel|"
        "Blumenerde 40l|"
        "Dübel 8mm|Schleifpapier|Glühbirne LED",
        "Ibuprofen 400|Hustensaft|Pflaster|Vitamin D|Sonnencreme LSF50|Zahncreme|Nasenspray|"
        "Handcreme|Augentropfen",
        "USB-Kabel|Handyhülle|Batterien AA|Taschenbuch|Kopfhörer|Speicherkarte|Notizbuch A5|"
        "Maus kabellos|Brettspiel",
    ),
    "fr": (
        "Lait demi-écrémé|Bananes|Baguette|Comté|Œufs x12|Poulet fermier|Pâtes 500g|"
        "Tomates grappe|Yaourt nature|"
        "Liquide vaisselle|Café moulu|Oignons|Jus d'orange|Beurre doux|Courgettes",
        "Entrecôte frites|Salade de chèvre|Soupe à l'oignon|Plat du jour|Verre de rouge|"
        "Eau gazeuse|Crème brûlée|"
        "Café|Burger maison|Carafe de rosé|Moules marinières",
        "Café crème|Croissant|Pain au chocolat|Tarte citron|Thé vert|Éclair café|Sandwich jambon|"
        "Pain complet",
        "Chemise coton|Chaussettes x3|Jean droit|Pull laine|Écharpe|Ceinture cuir|Imperméable|"
        "Robe d'été",
        "Vis à bois 4x40|Peinture blanche 10L|Ruban adhésif|Forets|Silicone|Rallonge 5m|"
        "Terreau 40L|Chevilles 8mm",
        "Ibuprofène 400|Sirop toux|Pansements|Vitamine D|Crème solaire|Dentifrice|Spray nasal|"
        "Collyre",
        "Câble USB|Coque téléphone|Piles AA|Roman poche|Casque audio|Carte mémoire|Carnet A5|"
        "Souris sans fil",
    ),
    "es": (
        "Leche entera|Plátanos|Pan de molde|Queso curado|Huevos 12u|Pechuga de pollo|Macarrones|"
        "Tomate rama|Yogur|"
        "Lavavajillas|Café molido|Cebollas|Zumo de naranja|Aceite de oliva|Garbanzos",
        "Menú del día|Tortilla|Gazpacho|Paella|Croquetas|Caña|Copa de tinto|Agua con gas|"
        "Flan casero|Café solo|"
        "Pulpo a la gallega|Ensalada mixta",
        "Café con leche|Cruasán|Tostada con tomate|Napolitana|Churros|Zumo natural|"
        "Bocadillo de jamón|Té verde",
        "Camisa algodón|Calcetines 3p|Vaquero recto|Jersey lana|Bufanda|Cinturón piel|"
        "Chubasquero|Vestido",
        "Tornillos 4x40|Pintura blanca|Cinta adhesiva|Brocas|Silicona|Alargador 5m|Sustrato 40L|"
        "Tacos 8mm",
        "Ibuprofeno 400|Jarabe tos|Tiritas|Vitamina D|Crema solar|Dentífrico|Spray nasal|Colirio",
        "Cable USB|Funda móvil|Pilas AA|Novela bolsillo|Auriculares|Tarjeta memoria|Cuaderno A5|"
        "Ratón",
    ),
    "it": (
        "Latte intero|Banane|Pane casereccio|Mozzarella|Uova x6|Petto di pollo|Spaghetti|"
        "Pomodori|Yogurt|"
        "Detersivo piatti|Caffè macinato|Cipolle|Succo arancia|Olio EVO",
        "Coperto|Bruschetta|Carbonara|Pizza margherita|Tagliata|Insalata mista|Acqua 0,75|"
        "Vino casa 1/2|Tiramisù|"
        "Caffè|Amaro",
        "Cappuccino|Cornetto|Espresso|Brioche|Spremuta|Tramezzino|Tè caldo|Focaccia",
        "Camicia cotone|Calze 3p|Jeans|Maglione lana|Sciarpa|Cintura pelle|Impermeabile|Abito",
        "Viti 4x40|Idropittura 10L|Nastro carta|Punte trapano|Silicone|Prolunga 5m|Terriccio 40L|"
        "Tasselli 8mm",
        "Ibuprofene 400|Sciroppo tosse|Cerotti|Vitamina D|Crema solare|Dentifricio|Spray nasale|"
        "Collirio",
        "Cavo USB|Cover telefono|Pile AA|Romanzo|Cuffie|Scheda memoria|Quaderno A5|Mouse",
    ),
    "pt": (
        "Leite meio-gordo|Bananas|Pão de forma|Queijo flamengo|Ovos 12|Peito de frango|"
        "Massa 500g|Tomate|Iogurte|"
        "Detergente loiça|Café moído|Cebolas|Sumo laranja|Azeite|Arroz 1kg",
        "Prato do dia|Bacalhau à Brás|Caldo verde|Francesinha|Salada|Imperial|Jarro tinto|"
        "Água 0,5|Mousse chocolate|"
        "Café|Couvert",
        "Galão|Pastel de nata|Torrada|Croissant misto|Sumo natural|Bola de Berlim|Chá|"
        "Meia de leite",
        "Camisa algodão|Meias 3p|Calças ganga|Camisola lã|Cachecol|Cinto couro|Impermeável|"
        "Vestido",
        "Parafusos 4x40|Tinta branca 10L|Fita-cola|Brocas|Silicone|Extensão 5m|Terra 40L|"
        "Buchas 8mm",
        "Ibuprofeno 400|Xarope tosse|Pensos rápidos|Vitamina D|Protetor solar|Pasta dentífrica|"
        "Spray nasal",
        "Cabo USB|Capa telemóvel|Pilhas AA|Livro de bolso|Auscultadores|Cartão memória|"
        "Caderno A5|Rato",
    ),
    "nl": (
        "Halfvolle melk|Bananen|Volkorenbrood|Jonge kaas|Eieren 10st|Kipfilet|Spaghetti|"
        "Trostomaten|Kwark|"
        "Afwasmiddel|Filterkoffie|Uien 1kg|Sinaasappelsap|Pindakaas|Hagelslag",
        "Dagsoep|Saté met friet|Uitsmijter|Gemengde salade|Biefstuk|Biertje|Huiswijn rood|"
        "Spa rood|Appeltaart|Koffie|"
        "Bitterballen",
        "Koffie verkeerd|Croissant|Tosti|Muntthee|Kaneelbroodje|Speltbrood|Saucijzenbroodje|"
        "Cappuccino",
        "Overhemd|Sokken 3-pak|Spijkerbroek|Wollen trui|Sjaal|Riem leer|Regenjas|Jurk",
        "Schroeven 4x40|Muurverf 10L|Schilderstape|Borenset|Kit wit|Verlengsnoer|Potgrond 40L|"
        "Pluggen 8mm",
        "Ibuprofen 400|Hoestdrank|Pleisters|Vitamine D|Zonnebrand|Tandpasta|Neusspray|Oogdruppels",
        "USB-kabel|Telefoonhoesje|Batterijen AA|Pocketboek|Koptelefoon|Geheugenkaart|Notitieboek|"
        "Muis draadloos",
    ),
}  # fmt: skip
