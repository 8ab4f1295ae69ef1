"""Things that people buy, in the languages of the wordings."""

GOODS = {
    "en": """
        desk lamp|office chair|rain jacket|running shoes|espresso machine|bike helmet|phone case|
        garden hose|tent|backpack|yoga mat|standing desk|router|water filter|bookshelf|frying pan|
        electric kettle|winter boots|baby monitor|cordless drill|pillow|graphics tablet|sunglasses|
        toner cartridge|wool blanket|suitcase|bluetooth speaker|dog bed|wall clock|ink pen|
        hedge trimmer|picture frame|card table|noise-cancelling headphones|tea towels|bar stool|
        compost bin|child car seat|sewing machine|label printer|rice cooker|bunk bed|ski goggles
    """,
    "de": """
        Schreibtischlampe|Bürostuhl|Regenjacke|Laufschuhe|Espressomaschine|Fahrradhelm|Handyhülle|
        Gartenschlauch|Zelt|Rucksack|Yogamatte|Stehtisch|Router|Wasserfilter|Bücherregal|
        Bratpfanne|Wasserkocher|Winterstiefel|Babyphone|Akkuschrauber|Kopfkissen|Sonnenbrille|
        Tonerkartusche|Wolldecke|Koffer|Bluetooth-Lautsprecher|Hundebett|Wanduhr|Füllfederhalter|
        Heckenschere|Bilderrahmen|Kindersitz|Nähmaschine|Reiskocher
    """,
    "fr": """
        lampe de bureau|chaise de bureau|veste de pluie|chaussures de course|machine à café|
        casque de vélo|coque de téléphone|tuyau d'arrosage|tente|sac à dos|tapis de yoga|
        bureau réglable|routeur|filtre à eau|bibliothèque|poêle|bouilloire|bottes d'hiver|
        babyphone|perceuse sans fil|oreiller|lunettes de soleil|cartouche d'encre|
        couverture en laine|valise|enceinte bluetooth|panier pour chien|horloge murale|
        taille-haie|siège auto|machine à coudre
    """,
    "es": """
        lámpara de escritorio|silla de oficina|chubasquero|zapatillas de correr|cafetera|
        casco de bicicleta|funda de móvil|manguera|tienda de campaña|mochila|esterilla de yoga|
        router|filtro de agua|estantería|sartén|hervidor|botas de invierno|taladro|almohada|
        gafas de sol|cartucho de tinta|manta de lana|maleta|altavoz bluetooth|cama para perro|
        reloj de pared|cortasetos|marco de fotos|máquina de coser
    """,
    "it": """
        lampada da scrivania|sedia da ufficio|impermeabile|scarpe da corsa|macchina da caffè|
        casco da bici|cover per telefono|tubo da giardino|tenda da campeggio|zaino|
        tappetino da yoga|router|filtro per l'acqua|libreria|padella|bollitore|stivali invernali|
        trapano|cuscino|occhiali da sole|cartuccia di toner|coperta di lana|valigia|
        cassa bluetooth|cuccia|orologio da parete|tagliasiepi|cornice|macchina da cucire
    """,
    "pt": """
        candeeiro de mesa|cadeira de escritório|capa de chuva|tênis de corrida|cafeteira|
        capacete de bicicleta|capa de celular|mangueira|barraca|mochila|tapete de ioga|roteador|
        filtro de água|estante|frigideira|chaleira elétrica|botas de inverno|furadeira|
        travesseiro|óculos de sol|cartucho de tinta|cobertor de lã|mala|caixa de som bluetooth|
        relógio de parede|moldura|máquina de costura
    """,
    "nl": """
        bureaulamp|bureaustoel|regenjas|hardloopschoenen|espressomachine|fietshelm|telefoonhoesje|
        tuinslang|tent|rugzak|yogamat|zit-stabureau|router|waterfilter|boekenkast|koekenpan|
        waterkoker|winterlaarzen|babyfoon|accuboormachine|hoofdkussen|zonnebril|tonercartridge|
        wollen deken|koffer|bluetooth-speaker|hondenmand|wandklok|vulpen|heggenschaar|fotolijst|
        autostoeltje|naaimachine
    """,
}
