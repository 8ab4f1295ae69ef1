"""Names under which attributes are asked for, and their descriptions."""

from __future__ import annotations

from random import Random

from recipe.lists import words

NAMES: dict[str, tuple[str, ...]] = {
    key: words(text)
    for key, text in {
        "brand": "Brand|Brand|Brand Name|Manufacturer|Maker|Make|Label|Company|Brand name|Producer",
        "line": "Sub brand|Product line|Series|Collection|Line|Sub-brand|Range",
        "model_name": "Model name|Model Name|Model|Style name|Name",
        "model_number": """
        Model Number|Model number|Model No.|Part Number|MPN|SKU|Item number|
        Manufacturer Part Number|Manufacturer Stock Number|Article Number|Item code|Product code
        """,
        "type": "Product Type|Product type|Type|Item type|Item|Kind of product|Product",
        "color": """
        Color|Color|Colour|Color(s)|Color Name|Colors
        """,
        "size": """
        Size|Size|Item size|Product size
        """,
        "material": "Material|Material|Materials|Made of|Material Type|Fabric",
        "dimensions": """
        Dimensions|Size|Measurements|Product Dimensions
        """,
        "length": """
        Length|Item length|Total length
        """,
        "width": """
        Width|Item width
        """,
        "height": """
        Height|Item height
        """,
        "depth": """
        Depth|Item depth
        """,
        "weight": """
        Weight|Item weight|Net weight
        """,
        "net": """
        Net content|Net content|Net contents|Net quantity|Quantity|Content|Contents|Amount
        """,
        "volume": """
        Volume|Volume|Liquid volume|Net content|Item volume
        """,
        "pack": """
        Pack size|Pack size|Package quantity|Pack|Number in pack|Pack count|Multipack
        """,
        "count": """
        Count|Unit count|Number of pieces|Quantity|Piece count
        """,
        "flavor": """
        Flavor|Flavor|Flavour|Taste
        """,
        "scent": """
        Scent|Scent|Fragrance|Smell
        """,
        "form": """
        Item form|Item form|Form|Product form|Dosage form|Format
        """,
        "claim": """
        Specialty|Specialty|Claims|Special feature|Features|Feature|Diet claims|
        Special ingredients
        """,
        "feature": """
        Feature|Feature|Features|Special feature|Function|Key feature|Specialty
        """,
        "benefit": """
        Benefit|Benefits|Product benefit|Effect|Health benefit
        """,
        "gender": """
        Gender|Gender|Target gender|For whom|Department|Sex
        """,
        "age": """
        Age|Age|Age range|Age group|Target age|Recommended age
        """,
        "style": """
        Style|Style|Look|Design
        """,
        "pattern": """
        Pattern|Pattern|Pattern Type|Print
        """,
        "season": """
        Season|Season|Suitable season
        """,
        "sport": """
        Sport|Sport Type|Sports|Activity|Sport type
        """,
        "closure": """
        Closure|Closure Type|Closure type|Fastening
        """,
        "container": """
        Container type|Container|Packaging|Package type
        """,
        "country": """
        Country|Country of origin|Origin|Made in|Region
        """,
        "machine": """
        Machine type|Compatible machine|Brewer
        """,
        "skin": """
        Skin type|Skin type|For skin
        """,
        "hair": """
        Hair type|Hair type|For hair
        """,
        "power": """
        Power source|Power source|Power|Powered by
        """,
        "voltage": """
        Voltage|Voltage|Volts
        """,
        "wattage": """
        Wattage|Watts|Power consumption|Power
        """,
        "capacity": """
        Capacity|Capacity|Holds
        """,
        "storage": """
        Storage|Memory|Capacity|Hard drive size
        """,
        "dosage": """
        Dosage|Strength|Dose|Potency
        """,
        "supply": """
        Supply size|Supply|Supply duration
        """,
        "finish": """
        Finish|Finish|Finish type|Surface finish
        """,
        "shape": """
        Shape|Shape|Item shape
        """,
        "use": """
        Recommended use|Place of use|Usage|Used for|Room
        """,
        "upc": """
        UPC|Retail UPC|EAN|GTIN|Barcode
        """,
        "price": """
        Price|Price|List price|Cost
        """,
        "warranty": """
        Warranty|Guarantee|Warranty period
        """,
        "screen": """
        Screen size|Display size|Screen
        """,
        "resolution": """
        Resolution|Display resolution
        """,
        "connect": """
        Connectivity|Connection|Interface|Connection type
        """,
        "battery": """
        Battery|Battery capacity|Battery life
        """,
        "compat": """
        Compatible with|Compatibility|Compatible devices
        """,
        "condition": """
        Condition|Item condition
        """,
        "memory": """
        RAM|Memory
        """,
        "key_ingredient": """
        Key ingredient|Active ingredient|Main ingredient|Ingredients
        """,
        "waterproof": """
        Waterproof|Water resistance|Water protection
        """,
        "size_note": """
        Fit|Fit type
        """,
        "seller": """
        Seller|Sold by|Shop|Store
        """,
        "torque": """
        Torque|Max torque
        """,
        "gauge": """
        Gauge|Thickness
        """,
        "standard": """
        Certification|Standard
        """,
        "speed": """
        Speed|Max speed
        """,
        "capacity2": "Tank size",
        "year": """
        Year|Model year
        """,
        "theme": """
        Theme|Character
        """,
        "frame_color": "Frame Color",
        "lens_color": "Lens Color",
        "fabric": """
        Fabric Type|Fabric
        """,
        "pieces": """
        Number of pieces|Pieces
        """,
        "hand": "Hand Orientation",
        "interface": """
        Interface|Interface type
        """,
        "carrier": """
        Carrier|Network
        """,
        "players": """
        Players|Number of players
        """,
        "neck": """
        Neckline|Collar
        """,
        "waist": """
        Waist Type|Rise
        """,
        "camera": """
        Camera|Camera resolution
        """,
        "genre": "Genre",
        "language": "Language",
        "publisher": """
        Publisher|Label
        """,
        "uses": "Specific uses|Recommended use|Use",
    }.items()
}

# If one of a group is stated, asking for another has no clear answer, so it is not asked for.
CONFUSABLE = tuple(
    frozenset(group.split())
    for group in (
        "size dimensions length width height depth lens_width lens_height head screen",
        "net volume weight capacity",
        "net count pack quantity pieces sheets",
        "claim feature optical benefit waterproof reuse waist diet uses closure firmness",
        "line model_name title",
        "feature style",
        "type item form mask variety",
        "material metal fabric frame_material lens_material body side fingerboard bow stone base",
        "color frame_color lens_color",
        "gender people department age",
        "country language",
        "container packtype net",
        "storage memory capacity",
        "power wattage fuel mode action",
        "uses use sport position",
        "flavor scent key_ingredient plant variety",
        "caffeine claim diet",
        "benefit uses hair skin claim",
        "speed torque",
        "finish color material",
        "compat vehicle machine",
        "model_number upc",
        "gauge standard size",
        "sport use",
        "style pattern",
        "season use",
        "size gender",
        "size age",
        "supply net count",
        "supply dosage",
        "admin form mode",
        "type theme",
        "animal age",
        "grade standard",
        "condition warranty",
        "speed screen",
        "size capacity",
        "gauge material",
        "layer material",
        "finish style",
        "roast form flavor",
        "type roast form",
        "publisher brand",
        "seller brand",
    )
)

DESCRIPTIONS: dict[str, tuple[str, ...]] = {
    key: words(text)
    for key, text in {
        "brand": """
        the name of the maker|who makes it|company that makes the product|brand as printed
        """,
        "color": """
        colour of the product|what colour it is|all colours named
        """,
        "size": """
        as stated in the listing|size of the item
        """,
        "material": """
        what it is made of|main material
        """,
        "net": """
        amount in one package|how much is in it, with the unit
        """,
        "pack": """
        how many packages are sold together|packages in the offer
        """,
        "type": """
        what the product is|kind of thing being sold
        """,
        "model_number": """
        the maker's code|part or model code
        """,
        "model_name": "what the maker calls this model",
        "flavor": "what it tastes like",
        "scent": "what it smells like",
        "gender": """
        who it is for|for men or women
        """,
        "age": "age of the people it is for",
        "form": """
        the shape in which it comes|liquid, powder, tablets and so on
        """,
        "claim": """
        what is special about it|special claims
        """,
        "feature": """
        what it can do|special property
        """,
        "benefit": "what it is good for",
        "country": "where it comes from",
        "dimensions": "length, width, height",
        "voltage": "with the unit",
        "weight": "with the unit",
        "volume": "with the unit",
        "capacity": "how much it holds",
        "upc": "12 or 13 digits",
    }.items()
}


def restyle(name: str, rng: Random) -> str:
    """The name in a style of programs and tables, mostly unchanged."""
    kind = rng.random()
    if kind < 0.72:
        return name
    if kind < 0.82:
        return name.lower()
    plain = "".join(char if char.isalnum() else " " for char in name).split()
    if kind < 0.93:
        return "_".join(plain).lower()
    if kind < 0.96:
        return plain[0].lower() + "".join(part.capitalize() for part in plain[1:])
    return name.title() if kind < 0.985 else name.upper()
