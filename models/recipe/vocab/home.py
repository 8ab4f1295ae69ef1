"""The house, the office and those who live and work there."""

from __future__ import annotations

from recipe.category import category

_THING_TITLES = """
{brand} {type}, {color}, {dimensions}
{brand} {line} {type} with {feature}, {material}, {color}
{brand} {material} {type} - {dimensions} - {color}
{brand} {model_number} {type}, {dimensions}, {color}
{brand} {feature} {type} {model_number} {material}
{type} by {brand}, {material}, {color}, {dimensions}
{line} {type}, {dimensions}, {color} {type} by {brand} {model_number}
{brand} {type} for {use}, {feature}, {color}, {pack}
{style} {type} {material} {feature} for {use} {color}
"""
_THING = {
    "color": "@color",
    "material": "@material",
    "dimensions": "@dimensions",
    "feature": "@feature",
    "style": "@style",
    "shape": "@shape",
    "height": "@length",
    "width": "@length",
    "length": "@length",
    "weight": "@weight",
    "capacity": "@capacity",
    "pattern": "@pattern",
    "finish": """
        Matte|Satin|Glossy|Brushed Nickel|Polished Chrome|Powder Coated|Distressed|Espresso|
        Oil Rubbed Bronze|Lacquered|Antique
        """,
}

_SPEC = """
        {brand} {type}, {width}W x {depth}D x {height}H, {material}, {color}
        {brand} {model_number} {type}, {length} L x {width} W x {height} H, {shape}, {material}
        """

CATEGORIES = (
    category(
        "Furniture",
        {
            **_THING,
            "depth": "@length",
            "type": """
        Coffee Table|Bookcase|Office Chair|Dining Table|Sofa|Bed Frame|Nightstand|TV Stand|
        Dresser|Bar Stool|Desk|Recliner|Bench|Wardrobe|Shelving Unit|Ottoman|Futon|
        Organizer Hutch|Credenza|File Cabinet|Folding Chair|Side Table|Bunk Bed|Mattress|
        Accent Chair
        """,
        },
        _THING_TITLES + _SPEC,
        {"type": "Furniture type"},
    ),
    category(
        "Kitchenware",
        {
            **_THING,
            "type": """
        Frying Pan|Saucepan|Chef Knife|Cutting Board|Mixing Bowl|Baking Sheet|Dinner Plate|
        Coffee Mug|Water Bottle|Wine Glasses|Measuring Cups|Spatula|Food Storage Container|
        Dutch Oven|Wok|Tea Kettle|Lunch Box|Salad Spinner|Can Opener|Colander|Tumbler|
        Steak Knives|Muffin Pan|Cookware Set
        """,
        },
        _THING_TITLES
        + """
        {brand} {capacity} {type}, {material}, {color}
        {brand} {type}, {feature}, {capacity}, {pack}
        """,
    ),
    category(
        "Kitchen Appliances",
        {
            **_THING,
            "voltage": "@voltage",
            "wattage": "@wattage",
            "power": "@power",
            "fuel": """
        Gas|Natural Gas|Propane|Electric|Liquid Propane|Induction|Butane|Wood|Charcoal|Alcohol|
        Solid Fuel
        """,
            "depth": "@length",
            "base": """
        Cabinet Base|Undershelf|Open Base|Casters|Adjustable Legs|Bullet Feet|Pedestal Base
        """,
            "type": """
        Blender|Toaster|Coffee Maker|Microwave Oven|Air Fryer|Stand Mixer|Food Processor|
        Rice Cooker|Slow Cooker|Electric Kettle|Gas Range|Refrigerator|Dishwasher|Toaster Oven|
        Juicer|Ice Maker|Griddle|Deep Fryer|Range Hood|Espresso Machine|Work Table|
        Convection Oven|Waffle Maker|Freezer
        """,
        },
        _THING_TITLES
        + _SPEC
        + """
        {brand} {capacity} {type}, {wattage}, {color}
        {brand} {model_number} {type}, {voltage}, {fuel}, {material}
        {brand} {type}, {base}, {fuel}, {voltage}, {width}
        """,
        {
            "fuel": """
        Fuel|Heat|Fuel type|Heat source
        """
        },
    ),
    category(
        "Vacuum & Floor Care",
        {
            **_THING,
            "power": "@power",
            "voltage": "@voltage",
            "wattage": "@wattage",
            "type": """
        Upright Vacuum|Stick Vacuum|Robot Vacuum|Handheld Vacuum|Steam Mop|Carpet Cleaner|
        Canister Vacuum|Shop Vac|Vacuum Bags|HEPA Filter|Air Purifier|Humidifier|Dehumidifier|
        Fan|Space Heater
        """,
        },
        """
        {brand} {line} {type}, {power}, {color}
        {brand} {model_number} {power} {type}, {wattage}, {capacity}
        {brand} {type} with {feature}, {color}, {weight}
        {brand} {feature} {type} {voltage} {model_number}
        """,
    ),
    category(
        "Lighting",
        {
            **_THING,
            "wattage": "@wattage",
            "voltage": "@voltage",
            "power": "@power",
            "temp": """
        2700K|Soft White|Daylight|Warm White|5000K|Cool White|3000K|6500K|Bright White
        """,
            "socket": """
        E26|E27|GU10|E12|B22|G9|Medium Base|Candelabra
        """,
            "lumens": """
        @n00 Lumens|800 Lumens|@n00lm|1600 lm
        """,
            "type": """
        LED Bulb|Floor Lamp|Table Lamp|Ceiling Light|Pendant Light|Chandelier|Wall Sconce|
        String Lights|Night Light|Flashlight|Desk Lamp|LED Strip|Flood Light|Headlamp|
        Solar Lights|Lantern
        """,
        },
        _THING_TITLES
        + """
        {brand} {type}, {wattage}, {temp}, {socket}, {pack}
        {brand} {wattage} {type} {lumens} {temp} {feature}
        """,
        {
            "temp": """
        Color Temperature|Light color
        """,
            "socket": """
        Base|Socket|Base type
        """,
            "lumens": """
        Brightness|Lumens
        """,
        },
    ),
    category(
        "Bedding & Bath",
        {
            **_THING,
            "size": """
        Queen|King|Twin|Full|California King|Twin XL|Standard|Full/Queen|Crib|Queen Size|
        King Size|Throw
        """,
            "thread": """
        400 Thread Count|1800 Thread Count|600 TC|300 Thread Count
        """,
            "type": """
        Sheet Set|Comforter|Duvet Cover|Pillow|Pillowcase|Blanket|Throw Blanket|Mattress Topper|
        Bath Towel|Shower Curtain|Bath Mat|Quilt|Mattress Pad|Hand Towels|Washcloths|Bed Skirt|
        Curtains
        """,
        },
        """
        {brand} {material} {type}, {size}, {color}
        {brand} {thread} {type} - {feature} - {size}, {color}
        {brand} {type}, {pattern}, {size} - {pack}
        {size} {type} {material} {feature} {color} {brand}
        {brand} {type} {dimensions} {color}
        """,
        {"thread": "Thread Count"},
    ),
    category(
        "Home Decor",
        {
            **_THING,
            "scent": """
        @flower|@spice|@fruit|@flower & @spice
        """,
            "type": """
        Picture Frame|Wall Art|Scented Candle|Vase|Throw Pillow|Area Rug|Wall Clock|Mirror|
        Artificial Plant|Door Mat|Wreath|Candle Holder|Wallpaper|Tapestry|Figurine|Canvas Print|
        Garden Flag|Ornament
        """,
        },
        _THING_TITLES
        + """
        {brand} {scent} {type}, {weight}, {color}
        {pattern} {type}, {dimensions}, {color}, {shape}
        """,
    ),
    category(
        "Office Supplies",
        {
            **_THING,
            "binding": """
        Wirebound|Spiral|Twin-Wire|Perfect Bound|Stapled|Hardcover|Glued Top
        """,
            "sheets": """
        @n Sheets|100 Sheets|50 Forms|250 Sheets/Pack|80 Sheets per Pad|500 Sheets|96 Pages
        """,
            "yield": """
        @n00 Page-Yield|2500 Pages|@n00 Page Yield|1,500 pages
        """,
            "mount": """
        Magnetic|Wall Mount|Wall-Mountable|Adhesive|Hanging|Desktop|Hook and Loop
        """,
            "ruling": """
        College Ruled|Wide Ruled|Graph|Quadrille|Legal Rule|Unruled|Narrow Rule
        """,
            "type": """
        Notebook|Ballpoint Pens|Gel Pens|Sticky Notes|File Folders|Ring Binder|Stapler|
        Copy Paper|Highlighters|Desk Organizer|Envelopes|Wall Calendar|Planner|Toner Cartridge|
        Ink Cartridge|Label Tape|Clipboard|Dry Erase Board|Message Book|Index Cards|Wall File|
        Paper Clips|Scissors|Permanent Markers|Hanging File Folders|Legal Pad
        """,
        },
        """
        {brand} {type}, {dimensions}, {ruling}, {color}, {sheets}
        {type}, {binding}, {dimensions}, {sheets} {type} by {brand} {model_number}
        {brand} {model_number} {color} {type}, {yield}
        {brand} {line} {type}, {color}, {count} - {model_number}
        {brand} {mount} {type}, {dimensions}, {color}
        {brand} {type} {model_number} {pack}, {color}
        """,
        {
            "count": """
        Pack Quantity|Quantity
        """,
            "sheets": """
        Pack Quantity|Sheets|Number of Sheets
        """,
            "model_number": """
        Manufacturer Stock Number|MPN|SKU
        """,
            "yield": "Page Yield",
            "mount": """
        Mounting|Mount Type
        """,
        },
    ),
    category(
        "Baby",
        {
            **_THING,
            "age": "@age",
            "type": """
        Diapers|Baby Wipes|Baby Bottle|Pacifier|Stroller|Car Seat|High Chair|Crib|Baby Monitor|
        Swaddle Blanket|Teether|Bib|Sippy Cup|Baby Carrier|Playmat|Bodysuit|Breast Pump|
        Nursing Pillow
        """,
            "size": """
        Size 1|Size 2|Size 3|Newborn|Size 4|Small|Size N|Size 5
        """,
            "gender": """
        Boys|Girls|Unisex|Baby Boy|Baby Girl
        """,
        },
        """
        {brand} {type}, {size}, {count}
        {brand} {age} {type}, {color}, {pack}
        {brand} {line} {type} with {feature}, {color}
        {gender} {type} {material} {pattern} {age} {brand}
        {type} for {age}, {material}, {feature}, {color} by {brand}
        """,
    ),
    category(
        "Toys & Games",
        {
            **_THING,
            "age": "@age",
            "theme": """
        Dinosaur|Space|Princess|Farm|Pirate|Unicorn|Jungle|Racing|Ocean|Superhero|Fairy|Robot|
        Police|Zoo
        """,
            "pieces": """
        @n Pieces|@n Piece|500 pcs|1000 Piece|@n-Piece
        """,
            "players": """
        2-4 Players|2 Players|1-6 players|2 to 8 Players
        """,
            "type": """
        Building Blocks|Jigsaw Puzzle|Board Game|Card Game|Doll|Action Figure|Plush Toy|RC Car|
        Toy Train|Play Kitchen|Water Gun|Slime Kit|Model Kit|Drone|Kite|Marble Run|
        Stuffed Animal|Science Kit|Play Dough|Ride-On Toy
        """,
        },
        """
        {brand} {theme} {type}, {pieces}, {age}
        {brand} {type} - {line} ({pieces})
        {type} for {age}, {theme}, {feature}, {color}
        {brand} {type}, {players}, {age}
        {theme} {type} {pieces} {material} Toys for {age} by {brand}
        """,
    ),
    category(
        "Pet Supplies",
        {
            **_THING,
            "animal": """
        Dogs|Cats|Small Dogs|Large Dogs|Puppies|Kittens|Birds|Hamsters|Rabbits|Fish|Reptiles|
        Large Breed Dogs|Medium Dogs
        """,
            "size": """
        Small|Medium|Large|X-Large|XS|XL|20 Gallon
        """,
            "type": """
        Dog Bed|Dog Collar|Leash|Cat Litter|Litter Box|Dog Crate|Scratching Post|Pet Carrier|
        Chew Toy|Food Bowl|Dog Harness|Aquarium|Bird Cage|Pet Shampoo|Grooming Brush|Cat Tree|
        Flea Collar|Poop Bags
        """,
        },
        """
        {brand} {type} for {animal}, {size}, {color}
        {brand} {material} {type}, {feature}, {size}
        {brand} {line} {type}, {color}, {dimensions}
        {type} {animal} {feature} {material} {color} {size}
        """,
        {
            "animal": """
        Animal|Target species|Pet type
        """
        },
    ),
    category(
        "Books & Media",
        {
            "type": """
        Paperback|Hardcover|Audiobook|DVD|Blu-ray|CD|Vinyl LP|Board Book|Spiral-bound|
        Kindle Edition|Box Set
        """,
            "author": """
        @person|@person and @person
        """,
            "title": """
        @bookt|@bookt|@bookt
        """,
            "year": "@year",
            "publisher": """
        @brand Press|@brand Books|@brand Publishing|@brand
        """,
            "language": """
        English|French|German|Spanish|Japanese|Italian|Portuguese
        """,
            "genre": """
        Mystery|Romance|Science Fiction|Biography|Cookbook|Thriller|Fantasy|History|Jazz|Rock|
        Comedy|Drama|Poetry|Self-Help|Horror
        """,
            "pages": """
        @n0 pages|@n pages|3@n pages
        """,
        },
        """
        {title} by {author} ({type})
        {title} [{type}] {author}, {publisher}, {year}
        {author} - {title} - {type} ({year})
        {title}: A {genre} Novel, {author}, {pages}, {language}
        {title} ({genre}) {type} {publisher} {language} {year}
        """,
        {
            "title": """
        Title|Title|Book title|Name
        """,
            "author": """
        Author|Artist|Written by|Creator
        """,
            "type": """
        Format|Binding|Media type
        """,
            "year": """
        Year|Publication year|Release year
        """,
            "pages": """
        Pages|Number of pages|Length
        """,
        },
    ),
)
