"""Values made up on the spot: brands, codes, sizes and amounts that no model knows by heart."""

from __future__ import annotations

from random import Random

from recipe.lists import COLORS, MATERIALS, words

_ONSETS = words(
    """b|bl|br|c|ch|cl|cr|d|dr|f|fl|fr|g|gl|gr|h|j|k|kl|kr|l|m|n|p|pl|pr|qu|r|s|sc|sh|sk|sl|sm|sn|
    sp|st|str|sw|t|th|tr|v|w|x|y|z|zh"""
)
_VOWELS = words("a|e|i|o|u|a|e|i|o|a|e|o|ai|au|ea|ee|ei|ia|ie|io|oo|ou|y")
_ACCENTED = words("ö|é|ü|å|è|á|ñ|ç|ø|í")
_CODAS = words("b|ck|d|f|g|k|l|ll|m|n|nd|ng|nt|p|r|rd|rk|rn|rt|s|ss|st|t|th|x|z|n|r|l|s")
_ENDINGS = words(
    """a|o|ex|ix|ia|io|ora|ina|elle|ette|ly|ify|ware|tech|zone|lab|labs|pro|max|one|co|line|fit|joy|
    wood|stone|well|son|sen|man|berg|ton|field|land|ford|hill|ley|er|ist|ics|us|um|is"""
)
_FIRST = words(
    """Silver|Golden|Blue|Green|Red|Wild|Happy|Little|Big|Old|North|South|West|East|Royal|Grand|
    Fresh|Pure|Simply|Bright|Clear|True|Honest|Urban|Rocky|Sunny|Mountain|Ocean|River|Forest|Harbor|
    Prairie|Desert|Arctic|Pacific|Alpine|Coastal|Country|Farm|Garden|Nature's|Mother|Uncle|Aunt|
    Grandma's|Captain|Lucky|Magic|Royal|Velvet|Iron|Copper|Stone|Crystal|Diamond|Star|Moon|Sun|Sky|
    Cloud|Thunder|Storm|Eagle|Bear|Wolf|Fox|Lion|Tiger|Owl|Hawk|Swan|Humble|Noble|Good|Better|
    Brave|Swift|Rapid|Smart|Clever|Gentle|Quiet|Cozy|Dream|Earth|Planet|World|Global|First|Seventh"""
)
_SECOND = words(
    """Creek|Valley|Ridge|Peak|Hill|Lake|Bay|Harvest|Farms|Mills|Kitchen|Pantry|Garden|Gardens|
    Orchard|Leaf|Root|Roots|Bloom|Bean|Path|Trail|Road|Gate|Bridge|House|Home|Cottage|Barn|Works|
    Labs|Goods|Supply|Trading|Brothers|Sisters|& Sons|& Co|Co.|Company|Brands|Foods|Naturals|
    Organics|Essentials|Basics|Originals|Classics|Designs|Studio|Crafts|Craft|Living|Life|
    Pet|Paws|Sport|Sports|Athletics|Outfitters|Gear|Tools|Tech|Systems|Audio|Line|Point|Star|
    Moon|Sun|Wave|Wind|Fire|Stone|Forge|Anchor|Arrow|Crown|Shield|Feather|Nest|Hive|Pond|Spirit|
    Choice|Value|Secret|Magic|Touch|Mind|Body|Health|Care|Beauty|Skin|Wellness|Nutrition|Botanicals"""
)
_COMMON = words(
    """Walking|Dancing|Running|Rising|Flying|Morning|Evening|Winter|Summer|Spring|Autumn|Pink|Purple|
    Orange|White|Black|Sweet|Salty|Spicy|Sugar|Honey|Lemon|Cherry|Peach|Olive|Sage|Clover|Willow|
    Maple|Cedar|Birch|Pine|Rose|Daisy|Lotus|Coral|Pearl|Amber|Ruby|Jade|Marble|Paper|Cotton|Linen|
    Wool|Glass|Steel|Brick|Barrel|Basket|Button|Candle|Lantern|Ladder|Market|Station|Village|Tower|
    Castle|Palace|Temple|Island|Canyon|Meadow|Summit|Horizon|Echo|Shadow|Whisper|Thirsty|Hungry|Busy|
    Lazy|Crazy|Funny|Proud|Modern|Classic|Vintage|Natural|Everyday|Perfect|Original|Native|Free|Open|
    Double|Triple|Two|Three|Seven|Nine|Forever|Always|Never|Once|Only|Just|Super|Mighty|Tiny|Giant"""
)
_VALUES = frozenset(word.lower() for word in (*COLORS, *MATERIALS))
# The common words that behind a name, or before one, are no color or material.
_UNLIKE = tuple(word for word in _COMMON if word.lower() not in _VALUES)
_THINGS = words(
    """Princess|Prince|Queen|King|Knight|Pirate|Rabbit|Turtle|Monkey|Elephant|Panda|Dragon|Unicorn|
    Butterfly|Sparrow|Raven|Cat|Dog|Horse|Goat|Sheep|Cow|Whale|Dolphin|Salmon|Bee|Ladybug|Acorn|
    Cradles|Steps|Soles|Threads|Stitches|Pockets|Wheels|Wings|Waters|Stones|Branches|Petals|Seeds|
    Made|Born|Bound|Wise|Ready|Authority|Republic|Union|Society|Club|Collective|Project|Theory|
    Method|Formula|Science|Logic|Concept|Edition|Story|Tales|Dreams|Days|Nights|Hours|Minute|Season|
    Goodness|Kindness|Wonder|Joy|Bliss|Harmony|Balance|Power|Force|Energy|Motion|Rush|Rebel|Nation"""
)
_TRADES = words(
    """Tea|Coffee|Soap|Candle|Shoe|Boot|Sock|Hat|Denim|Leather|Toy|Book|Paper|Bread|Cheese|Chocolate|
    Candy|Spice|Herb|Honey|Oil|Bath|Hair|Skin|Dental|Pet|Fish|Bike|Ski|Surf|Golf|Fishing|Camping|
    Garden|Lamp|Light|Paint|Tool|Knife|Watch|Jewelry|Mask|Pen|Print|Music|Guitar|Drum|Auto|Moto"""
)
_FIRMS = words(
    """Company|Co.|& Co.|Company|Roasters|Traders|Brothers|Bros|Factory|Works|Workshop|House|Shop|
    Store|Market|Merchants|Makers|Group|Products|Industries|International|USA|Inc|Ltd|Mfg"""
)
SURNAMES = words(
    """Harper|Dale|Miller|Novak|Keller|Moreau|Rossi|Larsen|Tanaka|Ivanova|Okafor|Mendes|Walsh|Byrne|
    Fischer|Lindqvist|Kowalski|Petrov|Garcia|Silva|Costa|Bennett|Carter|Ellis|Foster|Grant|Hayes|
    Irving|Jensen|Knight|Lawson|Mason|Nolan|Owens|Parker|Quinn|Reed|Sawyer|Turner|Vance|Webb|York|
    Zimmer|Anders|Bauer|Conti|Duval|Eriksson|Ferrari|Gruber|Haas|Ibrahim|Jansen|Kaur|Lopez|Meyer|
    Nguyen|Ortiz|Patel|Ramos|Schmidt|Takahashi|Usman|Varga|Weber|Yilmaz|Zhang|O'Brien|McAllister"""
)
GIVEN = words(
    """Anna|Ben|Clara|David|Elena|Felix|Grace|Hugo|Ivy|Jack|Karen|Leo|Maria|Nina|Oscar|Paula|Quentin|
    Rosa|Sam|Tina|Ursula|Victor|Wendy|Xavier|Yara|Zoe|Ahmed|Bianca|Chloé|Dmitri|Emma|Fatima|
    Giovanni|Hannah|Ingrid|Jürgen|Kenji|Lucía|Mei|Noah|Olga|Priya|Rahul|Sofia|Tomás|Uma|Wei|Yusuf"""
)

MARKS = words(
    "2|3|4.0|II|III|V2|X|XT|Pro|Plus|Lite|Max|Mini|Low|Mid|GTX|500|90|SE|Elite|Flex|Ultra|Sport|LX"
)

# The same words in the form in which a name is looked up in them.
NAME_ENDS = frozenset(word.lower() for word in _SECOND)
NAME_WORDS = (
    NAME_ENDS
    | {word.lower().removesuffix("'s") for word in _FIRST}
    | {word.lower() for word in (*GIVEN, *MARKS)}
)


def syllable(rng: Random) -> str:
    """One pronounceable syllable."""
    vowel = rng.choice(_VOWELS if rng.random() < 0.98 else _ACCENTED)
    return rng.choice(_ONSETS) + vowel + (rng.choice(_CODAS) if rng.random() < 0.5 else "")


def name(rng: Random) -> str:
    """One made-up word, capitalised: ``Zorvex``."""
    word = "".join(syllable(rng) for _ in range(rng.choice((1, 2, 2, 2, 3))))
    if rng.random() < 0.35:
        word += rng.choice(_ENDINGS)
    return word[:14].capitalize()


def quality(rng: Random) -> str:
    """A made-up word that can only be an adjective: ``Zorvexish``, ``Mint-Infused``."""
    return name(rng)[:9] + rng.choice(("ish", "able", "-Style", "-Infused", "-Grade", "-Based"))


def letters(rng: Random, low: int, high: int) -> str:
    """Random capital letters."""
    n_letters = rng.randint(low, high)
    return "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(n_letters))


def digits(rng: Random, low: int, high: int) -> str:
    """Random digits, the first of them not zero."""
    n_digits = rng.randint(low, high)
    return str(rng.randint(1, 9)) + "".join(rng.choice("0123456789") for _ in range(n_digits - 1))


def brand(rng: Random) -> str:
    """A brand, in one of the many shapes that brands have; nearly half have several words."""
    text = _brand(rng)
    kind = rng.random()
    if kind < 0.08:
        return text.upper()
    return text.lower() if kind < 0.1 else text


def _brand(rng: Random) -> str:
    if rng.random() < 0.35:
        word = rng.choice((*_UNLIKE, *_THINGS))
        return rng.choice((name(rng), name(rng), rng.choice(SURNAMES), word))
    kind = rng.random()
    if kind < 0.28:
        return name(rng)
    if kind < 0.38:
        return f"{rng.choice(_FIRST)} {rng.choice(_SECOND)}"
    if kind < 0.43:
        return f"{name(rng)} {rng.choice(_SECOND)}"
    if kind < 0.53:
        return f"{name(rng)} {name(rng)}"
    if kind < 0.63:
        return f"{rng.choice((*_COMMON, *_FIRST, name(rng)))} {rng.choice((*_THINGS, *_UNLIKE))}"
    if kind < 0.68:
        of_a_trade = f"{rng.choice((*_COMMON, *SURNAMES, name(rng)))} {rng.choice(_TRADES)}"
        return f"{of_a_trade} {rng.choice(_FIRMS)}"
    if kind < 0.71:
        joint = rng.choice((" & ", " and ", " of ", " the ", " by ", " + ", " n "))
        return f"{rng.choice((*_COMMON, name(rng)))}{joint}{rng.choice((*_THINGS, name(rng)))}"
    if kind < 0.74:
        three = (rng.choice((*_UNLIKE, *_FIRST, name(rng))), name(rng), rng.choice(_SECOND))
        return " ".join(three)
    if kind < 0.80:
        return f"{rng.choice((*GIVEN, *SURNAMES))}'s" + rng.choice(
            ("", "", f" {rng.choice(_SECOND)}", f" {rng.choice(_THINGS)}")
        )
    if kind < 0.84:
        return f"{rng.choice(SURNAMES)} & {rng.choice(SURNAMES)}"
    if kind < 0.89:
        return f"{rng.choice(GIVEN)} {rng.choice((*SURNAMES, name(rng)))}"
    if kind < 0.92:
        return letters(rng, 2, 4)
    if kind < 0.95:
        return rng.choice(("Dr. ", "St. ", "The ", "Mr. ", "La ", "Le ", "El ")) + name(rng)
    if kind < 0.97:
        return name(rng) + name(rng)
    if kind < 0.985:
        return f"{name(rng)}-{name(rng)}"
    return f"{rng.choice(_FIRST)}{rng.choice(_SECOND).lower().strip('.& ')}".replace(" ", "")


def product_name(rng: Random) -> str:
    """The name of a model or a product line: ``Cloudrunner 5``, ``Vela``, ``Air Nomad``."""
    kind = rng.random()
    if kind < 0.35:
        stem = name(rng)
    elif kind < 0.75:
        stem = rng.choice(_FIRST).removesuffix("'s")
        if rng.random() < 0.5:
            stem += " " + rng.choice(_SECOND).strip("&. ")
    else:
        stem = rng.choice((*GIVEN, *_SECOND)).strip("&. ")
    if rng.random() < 0.3:
        stem += " " + rng.choice(MARKS)
    return stem


def model_number(rng: Random) -> str:
    """A maker's code: ``P24C-HH``, ``DEF73102``, ``9291B001``."""
    kind = rng.random()
    if kind < 0.3:
        return letters(rng, 1, 3) + digits(rng, 2, 6)
    if kind < 0.45:
        return letters(rng, 1, 4) + "-" + digits(rng, 2, 5)
    if kind < 0.6:
        return letters(rng, 1, 2) + digits(rng, 2, 4) + letters(rng, 1, 3)
    if kind < 0.7:
        return digits(rng, 3, 8)
    if kind < 0.8:
        return digits(rng, 2, 4) + letters(rng, 1, 2) + digits(rng, 2, 3)
    if kind < 0.9:
        return f"{letters(rng, 2, 3)}{digits(rng, 1, 3)}-{digits(rng, 2, 4)}{letters(rng, 0, 2)}"
    return f"{digits(rng, 2, 4)}-{digits(rng, 2, 4)}"


def upc(rng: Random) -> str:
    """Twelve or thirteen digits."""
    return "".join(rng.choice("0123456789") for _ in range(rng.choice((12, 12, 13))))


def amount(rng: Random, low: float = 1, high: float = 64) -> str:
    """A number in the form that labels have."""
    value = rng.uniform(low, high)
    kind = rng.random()
    if kind < 0.55:
        return str(max(1, round(value)))
    if kind < 0.8:
        return f"{value:.1f}".removesuffix(".0")
    if kind < 0.9:
        return f"{value:.2f}"
    if kind < 0.96:
        return f"{int(value)} {rng.choice(('1/2', '1/4', '3/4', '5/8'))}"
    return rng.choice(("1/2", "3/4", "1/4", ".5", ".75"))


def measure(rng: Random, units: tuple[str, ...], low: float = 1, high: float = 64) -> str:
    """A number and a unit, joined in one of the ways of shops."""
    return amount(rng, low, high) + rng.choice((" ", " ", " ", "-", "")) + rng.choice(units)


_WEIGHT = words("oz|oz|Oz|OZ|Ounce|Ounces|Ounce|oz.|lb|lbs|Pound|Pounds|g|g|gram|grams|kg|Gram|LB")
_VOLUME = words(
    """fl oz|fl. oz|Fl Oz|fl. oz.|Fluid Ounce|Fluid Ounces|oz|Oz|Ounce|Ounces|ml|mL|ML|L|Liter|
    Gallon|Quart|Pint|FL OZ|oz."""
)
_LENGTH = words("inch|Inch|inches|in|in.|\"|cm|mm|m|ft|feet|Feet|'|Inches|CM|MM")
CONTAINERS = words(
    """Bag|Bags|Box|Boxes|Bottle|Bottles|Can|Cans|Canister|Jar|Jars|Pouch|Pouches|Tin|Tube|Tubes|
    Packet|Packets|Carton|Tub|Jug|Bucket|Sachets|Sticks|K-Cup Pods|Pump|Spray Bottle|Aerosol Can"""
)


def weight(rng: Random) -> str:
    """``12 oz``, ``1.5 lb``, ``500g``."""
    return measure(rng, _WEIGHT, 1, 48)


def volume(rng: Random) -> str:
    """``16.9 fl oz``, ``500 ml``."""
    return measure(rng, _VOLUME, 1, 40)


def container(rng: Random) -> str:
    """The container in which goods come."""
    return rng.choice(CONTAINERS)


def length(rng: Random) -> str:
    """``10 cm``, ``6.5 ft``."""
    return measure(rng, _LENGTH, 1, 120)


def dimensions(rng: Random) -> str:
    """``9 x 13 inch``, ``12" x 18" x 32"``."""
    unit = rng.choice(("", " inch", " inches", " in", " cm", "cm", "mm", '"', " ft", "-Inch"))
    by = rng.choice((" x ", " x ", "x", " X ", "*", " by "))
    sides = [amount(rng, 2, 90) for _ in range(rng.choice((2, 2, 3)))]
    if unit == '"':
        return by.join(side + '"' for side in sides)
    return by.join(sides) + unit


def count(rng: Random) -> str:
    """``20 Count``, ``60 Tablets``."""
    units = (
        "Count",
        "Count",
        "Count",
        "ct",
        "Ct",
        "count",
        "Pieces",
        "pcs",
        "Pcs",
        "PCS",
        "Piece",
        "pc",
        "Servings",
        "Sheets",
        "Wipes",
        "Units",
    )
    number = rng.choice(
        (
            2,
            3,
            4,
            5,
            6,
            8,
            10,
            12,
            15,
            16,
            18,
            20,
            24,
            25,
            30,
            36,
            40,
            48,
            50,
            60,
            72,
            80,
            90,
            96,
            100,
            120,
            150,
            180,
            200,
            240,
            250,
            300,
            365,
            500,
        )
    )
    return f"{number}{rng.choice((' ', ' ', ' ', '-', ''))}{rng.choice(units)}"


def pack(rng: Random) -> str:
    """``Pack of 6``, ``2-Pack``, ``Set of 3``."""
    number = rng.choice((1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 6, 8, 10, 12, 12, 15, 20, 24, 36, 48))
    kind = rng.random()
    if kind < 0.5:
        return f"Pack of {number}"
    if kind < 0.62:
        return f"{number} Pack"
    if kind < 0.72:
        return f"{number}-Pack"
    if kind < 0.78:
        return f"pack of {number}"
    if kind < 0.83:
        return rng.choice((f"Set of {number}", f"Case of {number}", f"Box of {number}"))
    if kind < 0.87:
        return rng.choice(
            (
                "Twin Pack",
                "Value Pack",
                "Multi Pack",
                "Family Pack",
                "Single Pack",
                "Variety Pack",
                "Bulk Pack",
                "Duo Pack",
                "Double Pack",
                "Triple Pack",
            )
        )
    if kind < 0.91:
        return rng.choice((f"{number}pk", f"{number} pk", f"{number} PACK", f"{number}PK"))
    if kind < 0.96:
        return rng.choice((f"{number}Pcs/Lot", f"{number}pcs/lot", f"{number} Pcs", f"{number}PCS"))
    return rng.choice((f"{number} Bottles", f"{number} Boxes", f"{number} Pairs", f"{number} Bags"))


def color(rng: Random) -> str:
    """One colour, or several as shoes have them: ``Black/White``."""
    kind = rng.random()
    if kind < 0.72:
        return rng.choice(COLORS)
    first, second, third = rng.sample(COLORS, 3)
    if kind < 0.86:
        return f"{first}/{second}"
    if kind < 0.90:
        return f"{first} and {second}" if rng.random() < 0.4 else f"{first} & {second}"
    if kind < 0.93:
        return f"{first}-{second}"
    if kind < 0.95:
        return f"{first}/{second}/{third}"
    if kind < 0.97:
        return f"{first} {second}"
    return f"{rng.choice(('Dark', 'Light', 'Bright', 'Deep', 'Pale', 'Matte', 'Heather'))} {first}"


def material(rng: Random) -> str:
    """One material or a mix."""
    kind = rng.random()
    if kind < 0.84:
        return rng.choice(MATERIALS)
    first, second = rng.sample(MATERIALS, 2)
    if kind < 0.9:
        return f"{first} and {second}"
    if kind < 0.95:
        share = rng.randint(50, 95)
        first, second = first.removeprefix("100% "), second.removeprefix("100% ")
        return f"{share}% {first} {100 - share}% {second}"
    return f"{first}/{second}"


def shoe_size(rng: Random) -> str:
    """``8 M US``, ``10.5``, ``42 EU``."""
    half = rng.choice(("", "", ".5"))
    number = f"{rng.randint(4, 14)}{half}"
    kind = rng.random()
    if kind < 0.25:
        return number
    if kind < 0.5:
        return (
            f"{number} {rng.choice(('M', 'W', 'D', 'B', 'N', 'XW', '2E', '4E', 'Wide', 'Medium'))}"
        )
    if kind < 0.75:
        return f"{number} {rng.choice(('M US', 'D(M) US', 'B(M) US', 'US', 'Wide US', 'W US'))}"
    if kind < 0.85:
        return f"{rng.randint(34, 48)} {rng.choice(('EU', 'M EU', 'EUR'))}"
    if kind < 0.93:
        return f"Size {number}"
    age = rng.choice(("Toddler", "Little Kid", "Big Kid", "Infant", "Women", "Men"))
    return f"{number} {age}" if rng.random() < 0.5 else f"{number} M US {age}"


def clothes_size(rng: Random) -> str:
    """``X-Large``, ``2XL``, ``32W x 30L``."""
    plain = (
        "Small",
        "Medium",
        "Large",
        "X-Large",
        "XX-Large",
        "XL",
        "2XL",
        "3XL",
        "S",
        "M",
        "L",
        "XS",
        "X-Small",
        "One Size",
        "4X-Large",
        "Plus Size",
        "Free Size",
        "5XL",
        "S-XXL",
        "M-3XL",
        "Size M",
        "Size L",
        "Small/Medium",
        "L/XL",
        "One Size Fits All",
        "One Size Fits Most",
    )
    if rng.random() < 0.8:
        return rng.choice(plain)
    return f"{rng.randint(28, 44)}W x {rng.randint(28, 36)}L"


def voltage(rng: Random) -> str:
    """``120V``, ``12 Volt``."""
    return rng.choice(
        (
            "3.7",
            "5",
            "12",
            "18",
            "20",
            "24",
            "36",
            "40",
            "110",
            "115",
            "120",
            "208",
            "220",
            "230",
            "240",
            "110-240",
        )
    ) + rng.choice(("V", "V", " V", " Volt", "-Volt", " volts"))


def wattage(rng: Random) -> str:
    """``60W``, ``1500 Watt``."""
    number = rng.choice(
        (
            3,
            5,
            7,
            9,
            10,
            12,
            15,
            20,
            25,
            30,
            40,
            45,
            60,
            65,
            75,
            100,
            150,
            300,
            500,
            600,
            700,
            800,
            1000,
            1200,
            1500,
            1800,
            2000,
        )
    )
    return f"{number}" + rng.choice(("W", "W", " W", " Watt", "-Watt", " Watts", "w"))


def capacity(rng: Random) -> str:
    """``32 oz``, ``1.7 Liter``, ``5 Cup``."""
    return measure(
        rng, words("L|Liter|oz|Quart|Cup|Cups|Gallon|gallon|Qt|qt|cu. ft.|ml|lbs"), 1, 40
    )


def storage(rng: Random) -> str:
    """``128GB``."""
    number = rng.choice((4, 8, 16, 32, 64, 128, 256, 512, 1, 2))
    unit = rng.choice(("GB", "GB", " GB", "gb")) if number > 2 else rng.choice(("TB", " TB"))
    return f"{number}{unit}"


def dosage(rng: Random) -> str:
    """``1000 mg``, ``5,000 IU``."""
    number = rng.choice(
        (
            "10",
            "50",
            "100",
            "200",
            "250",
            "400",
            "500",
            "600",
            "750",
            "1000",
            "1,000",
            "1200",
            "1500",
            "2000",
            "5000",
            "5,000",
            "10,000",
            "25",
            "20",
            "5",
        )
    )
    return number + rng.choice(
        (" mg", "mg", " mcg", "mcg", " IU", "IU", " Billion CFU", " MG", "-mg")
    )


def supply(rng: Random) -> str:
    """``30 Day Supply``."""
    number = rng.choice((15, 20, 30, 30, 45, 60, 60, 90, 100, 120, 180))
    return rng.choice(
        (
            f"{number} Day Supply",
            f"{number}-Day Supply",
            f"{number} Servings",
            f"{number // 30 or 1} Month Supply",
            f"{number} Days Supply",
        )
    )


def loads(rng: Random) -> str:
    """``64 Loads``."""
    return (
        f"{rng.choice((16, 24, 25, 32, 40, 50, 64, 72, 78, 80, 96, 100, 110, 128, 146))}"
        + rng.choice((" Loads", " loads", " Load", " Total Loads", "-Load", " Wash Loads"))
    )


def spf(rng: Random) -> str:
    """``SPF 50``."""
    number = rng.choice(
        (8, 15, 20, 25, 30, 30, 32, 35, 40, 45, 46, 50, 50, 55, 60, 70, 80, 85, 100, 110)
    )
    return (
        rng.choice(("SPF ", "SPF ", "SPF ", "SPF-", "SPF"))
        + str(number)
        + rng.choice(("", "", "", "+", " PA++++", " PA+++"))
    )
