"""Sport, garden, cars and music."""

from __future__ import annotations

from recipe.category import category

_GEAR = {
    "color": "@color",
    "material": "@material",
    "feature": "@feature",
    "weight": "@weight",
    "length": "@length",
    "size": """
        @clothes_size|@length
        """,
    "gender": "@gender",
    "sport": "@sport",
    "dimensions": "@dimensions",
    "age": "@age",
    "season": "@season",
    "style": "@style",
}
_GEAR_TITLES = """
{brand} {type} {feature} {material}, {color}
{brand} {model_name} {type}, {color}, {size}
{brand} {model_number} {type} {feature} {sport} Equipment
{gender} {sport} {type} {material} {feature} {color}
{brand} {type}, {weight}, {color}
"""

CATEGORIES = (
    category(
        "Lure",
        {
            **_GEAR,
            "type": """
        Minnow|Crankbait|Popper|Spinner Bait|Jig Head|Soft Bait|Hard Bait|Spoon|Frog Lure|VIB|
        Pencil|Swimbait|Wobbler|Shrimp Lure|Fishing Lure|Soft Worm|Squid Jig|Metal Jig|Buzzbait|
        Topwater Lure|Fishing Lure Set|Fly Hook|Lead Fish|Trolling Lure|Crank|Fishing Lures|Grub
        """,
            "item": """
        Fishing Lure|Fishing Lures|Artificial Bait|Fishing Bait|Fishing Tackle|Wobblers|
        Lure Kit|Fishing Hook|Hard Bait|Soft Bait|Swimbait|Bass Lure|Bait|Fishing Lure Kit|Lures
        """,
            "position": """
        River|Lake|Ocean|Ocean Boat Fishing|Sea|Stream|Reservoir Pond|Ocean Beach Fishing|
        Saltwater|Freshwater|Ocean Rock Fishing|Rock|Pond|Deep Sea
        """,
            "action": """
        Floating|Sinking|Suspending|Slow Sinking|Fast Sinking|Topwater|Deep Diving|Diving|
        Suspend|Rotating|Jigging|Shallow|Swimming
        """,
            "quantity": """
        @nPcs/Lot|1pcs|@npcs|5 Pieces|@n pcs/lot|1Pcs|10pcs/lot|5Pcs|1 Piece|@nPCS/set
        """,
            "weight": """
        @ng|@n.5g|@n g|@n.2g|1/2 oz|@ngram|@nG|3/8oz
        """,
            "length": """
        @ncm|@nmm|@n.5cm|@n cm|@n.5 cm|11@nmm|@n.8cm
        """,
            "material": """
        ABS Plastic|Plastic|Metal|Silicone|Lead|Wood|Rubber|Soft Plastic|Carbon Steel|Feather|
        Hard Plastic|PVC|High Carbon Steel|Stainless Steel|ABS|Zinc Alloy|Tungsten
        """,
            "size": "1#2#3#4#|Size 4#|M|L|6#|@ncm|S|2/0|Size @n",
        },
        """
        {brand} {quantity} {type} {length} {weight} {action} {item} {material} {feature}
        {quantity} {type} {item} {length} {weight} {color} Bass Pike Tackle
        {brand} {action} {type} {length} {weight} {position} {item} Pesca {model_number}
        {quantity} {material} {item} {type} {size} {color} Hook
        {brand} {model_name} {type} {weight}/{length} {action} {item}
        {item} {type} {material} {action} {length} {weight} Treble Hooks Isca Artificial
        {brand} {type} {size} {weight} {quantity} {position}
        """,
        {
            "type": """
        Lure Type|Type|Category
        """,
            "item": """
        Item|Item type
        """,
            "position": """
        Position|Fishing place|Water
        """,
            "quantity": """
        Quantity|Qty|Pieces
        """,
        },
    ),
    category(
        "Fishing Rod",
        {
            **_GEAR,
            "type": """
        Spinning Rod|Casting Rod|Fishing Rod|Telescopic Rod|Fly Rod|Carp Rod|Ice Fishing Rod|
        Surf Rod|Trolling Rod|Feeder Rod|Boat Rod|Travel Rod|Lure Rod
        """,
            "action": """
        Fast|Medium Fast|Slow|Extra Fast|Moderate|Medium|Fast Action|M Action|MF|F
        """,
            "power": """
        M|ML|MH|L|UL|H|XH|Medium|Light|Heavy|Medium Heavy|Ultra Light|M Power|ML Power|M/ML
        """,
            "hardness": """
        Hard|Superhard|Medium|Soft|28 Tune|37 Tune|Super Hard|19 Tune|Ultra Hard|Ultra Light|
        Superhard 28 Tune
        """,
            "section": """
        2 Sections|4 Section|3 Section|2 Segments|5 Sections|2 Section|1 Section|2 Pieces|
        7 Sections|4 Pieces|2 Tips
        """,
            "length": """
        2.1m|1.8m|2.4 m|3.6m|@n.@nm|2.7M|1.98m|6'6"|7ft|4.5M|1.65M|2.1M 2.4M 2.7M|3.6m-7.2m|
        2.1m/2.4m
        """,
            "material": """
        Carbon|Carbon Fiber|Glass Fiber|Fiberglass|High Carbon|99% Carbon|FRP|Carbon Fibre|
        Graphite|Bamboo|Glass
        """,
        },
        """
        {brand} {type} {length} {section} {material} {power} {action} Fishing Tackle
        {material} {type} {length} {power} Power Lure {hardness} Pole
        {brand} {model_name} {length} {type} {section} {action} {feature} {material}
        {brand} {model_number} {type} {length} {hardness} {material} Feeder Vara De Pesca
        {type} Telescopic {length} {hardness} {feature} {section} {material} Pole Sea Fishing
        """,
        {
            "section": """
        Section|Sections|Number of sections
        """,
            "type": """
        Rod type|Type
        """,
            "hardness": "Hardness",
            "power": "Power",
        },
    ),
    category(
        "Helmet",
        {
            **_GEAR,
            "type": """
        Motorcycle Helmet|Bicycle Helmet|Ski Helmet|Cycling Helmet|Climbing Helmet|
        Skateboard Helmet|Equestrian Helmet|Baseball Helmet|Bike Helmet|Football Helmet|
        Snowboard Helmet|Hard Hat|Road Bike Helmet|Helmet
        """,
            "people": """
        Adult|Kids|Men|Women|Children|Youth|Adults|Unisex|Boys|Girls|Child|Men Women|
        Men and Women
        """,
            "head": """
        @n-62cm|57-61cm|54-58 cm|58-62CM|52-56cm|L(57-61cm)|M 55-58cm|56-62cm
        """,
            "sport": """
        Cycling|Skiing|Motorcycle|Skateboarding|Climbing|Bicycle|Mountain Bike|Ski|Snowboard|
        MTB|Skating|Rock Climbing|Horse Riding|Road Bike|Motocross
        """,
            "feature": """
        Ultralight|Integrally-Molded|Breathable|Ultralight Breathable|Full Face|Half Face|
        Modular|With LED Light|Windproof|Double Visor|Adjustable|With Visor|Safety|Half-Covered|
        Anti-Impact|Detachable|Aerodynamic|CE Certified
        """,
            "material": """
        EPS|PC+EPS|EPS+PC|ABS|Carbon Fiber|Polycarbonate|PC|Fiberglass|In-mold|ABS Plastic|
        EPS Foam|Kevlar
        """,
        },
        """
        {brand} {feature} {type} {material} {people} {sport} {color} {size}
        {brand} {sport} Helmet {feature} {people} {head} {material}
        {type} {people} {feature} {season} {material} {head}
        {brand} {model_name} {type}, {color}, {size}
        {people} {sport} Helmet {feature} Casco Capacete {color} {brand}
        {brand} {type} {model_number} {style} {feature} {season}
        """,
        {
            "people": """
        Applicable People|Suitable for|Target group
        """,
            "head": """
        Head Circumference|Head size
        """,
            "type": "Helmet type",
        },
    ),
    category(
        "Guitar",
        {
            **_GEAR,
            "type": """
        Electric Guitar|Acoustic Guitar|Classical Guitar|Bass Guitar|Ukulele|Electric Bass|
        Violin|Banjo|Guitar|Guitar Kit|Concert Ukulele|Soprano Ukulele|Violin Bow
        """,
            "body": """
        Mahogany|Basswood|Alder|Ash|Solid Mahogany|Rosewood|Maple|Okoume|Poplar|Solid Wood|
        Flamed Maple Top|Swamp Ash|Basswood Body|Koa
        """,
            "side": """
        Mahogany|Rosewood|Maple|Sapele|Spruce|Walnut|Koa|Basswood|Ebony|Solid Rosewood|
        Zebrawood|Acacia
        """,
            "fingerboard": """
        Rosewood|Ebony|Maple|Ebony Fingerboard|Rosewood Fingerboard|Maple Fretboard|
        Technical Wood|Walnut|Purpleheart
        """,
            "pickup": """
        HH|SSS|HSS|H-H|Humbucker|Single Coil|P90|S-S-S|EMG Pickups|2 Humbuckers|Active Pickup|
        Dual Humbuckers|Piezo|H-S-H|Open
        """,
            "tone": """
        Soprano|Concert|Tenor|Baritone|Right Hand|Left Handed|Left|Right|21 Inch|Alto|23 Inch
        """,
            "bow": """
        Brazilwood|Carbon Fiber|Pernambuco|Snakewood|Wood|Ebony
        """,
            "winder": """
        Grover Tuners|Closed|Opened|Locking Tuners|Gear Peg|Open-Gear
        """,
            "strings": """
        6 Strings|6 String|7 String|4 Strings|12 String|5 String|8 String
        """,
        },
        """
        {brand} {strings} {type} {body} Body {fingerboard} Fingerboard {pickup} Pickup {color}
        {brand} {model_name} {type} {color} {body} {pickup}
        {strings} {type} {tone} {body} {fingerboard} Hawaii Guitar {color}
        {brand} {tone} {type} {side} Back Side {fingerboard}
        {type} {model_number} {color} {body} {feature} {pickup} {winder}
        {brand} {type} {side} {bow} {model_number}
        """,
        {
            "body": "Body Material",
            "side": """
        Back / Side Material|Back and sides
        """,
            "fingerboard": """
        Fingerboard Material|Fretboard
        """,
            "tone": """
        Tone Position|Orientation|Size
        """,
            "pickup": """
        Pickup|Pickups
        """,
            "bow": "Bow Material",
            "winder": """
        String Winder|Tuners
        """,
            "strings": """
        Strings|Number of strings
        """,
        },
    ),
    category(
        "Stove",
        {
            **_GEAR,
            "type": """
        Gas Stove|Alcohol Stove|Wood Stove|Camping Stove|Cooking System|Picnic Stove|
        Butane Burner|Portable Stove|Backpacking Stove|Outdoor Stove|BBQ Grill|Charcoal Grill|
        Stove|Burner|Solid Fuel Stove|Split Stove|Furnace
        """,
            "fuel": """
        Gas|Alcohol|Wood|Butane|Propane|Solid Fuel|Gasoline|Multi Fuel|Charcoal|Oil|
        Liquid Alcohol|Isobutane|Kerosene|Natural Gas
        """,
            "material": """
        Stainless Steel|Titanium|Aluminum|Aluminum Alloy|Copper|Iron|Brass|Titanium Alloy|
        Hard Aluminum|Cast Iron|Alloy
        """,
            "seasoning": """
        Salt|Pepper|Spice|Sugar|Oil|Herb|Salt and Pepper
        """,
            "wattage": """
        3500W|2800W|@n00W|3000 W
        """,
            "model_name": """
        @model_number|@product
        """,
        },
        """
        {brand} {type} {fuel} {material} {feature} Outdoor Camping Hiking
        {brand} {model_name} {material} {type} {weight} {wattage}
        {feature} {fuel} {type} {material} Backpacking Picnic {weight}
        Portable {material} {type} {fuel} Burner {feature} Furnace {brand} {model_number}
        {brand} {seasoning} {material} {type} {model_name}
        """,
        {
            "fuel": """
        Fuel|Fuel type
        """,
            "type": """
        Stove Type|Type
        """,
            "model_name": """
        Model|Model name
        """,
            "seasoning": "Applicable Seasoning Type",
        },
    ),
    category(
        "Camping & Outdoor",
        {
            **_GEAR,
            "capacity": """
        2 Person|4 Person|6-Person|@n Person|4-Person|@nL|@n Quart
        """,
            "rating": """
        0 Degree|20 Degree|-10C|32F|15°F
        """,
            "type": """
        Tent|Sleeping Bag|Cooler|Hammock|Camping Chair|Trekking Poles|Sleeping Pad|Water Filter|
        Compass|Multi-Tool|Binoculars|Headlamp|Canopy|Pocket Knife|Dry Bag|Camp Stove|Kayak|
        Paddle Board|Backpack
        """,
        },
        _GEAR_TITLES
        + """
        {brand} {capacity} {type}, {feature}, {color}
        {brand} {model_name} {rating} {type}, {color}, {weight}
        """,
        {"rating": "Temperature rating"},
    ),
    category(
        "Bikes & Fitness",
        {
            **_GEAR,
            "type": """
        Mountain Bike|Road Bike|Dumbbells|Kettlebell|Yoga Mat|Treadmill|Exercise Bike|
        Resistance Bands|Jump Rope|Foam Roller|Bench Press|Pull Up Bar|Bike Lock|Bike Light|
        Boxing Gloves|Punching Bag|Skateboard|Roller Skates|Scooter|Cycling Jersey|
        Bicycle Saddle|Weight Plate
        """,
        },
        _GEAR_TITLES
        + """
        {brand} {type}, {dimensions}, {feature}, {color}
        {brand} {length} {type} {material} {color} {model_number}
        """,
    ),
    category(
        "Ball Sports",
        {
            **_GEAR,
            "type": """
        Basketball|Soccer Ball|Tennis Racket|Golf Clubs|Baseball Bat|Baseball Glove|Golf Balls|
        Volleyball|Badminton Racket|Table Tennis Paddle|Football|Hockey Stick|Shin Guards|
        Goalkeeper Gloves|Knee Pads|Cricket Bat|Bowling Ball|Darts
        """,
            "hand": """
        Right Hand|Left Hand|Right-Handed|Left Handed|RH|LH
        """,
        },
        _GEAR_TITLES
        + """
        {brand} {model_name} {type}, {hand}, {size}, {color}
        {brand} {age} {type}, {color}, {pack}
        """,
        {
            "hand": """
        Hand Orientation|Orientation
        """
        },
    ),
    category(
        "Garden",
        {
            **_GEAR,
            "power": "@power",
            "voltage": "@voltage",
            "plant": """
        Tomato|Basil|Sunflower|Lavender|Rose|Carrot|Pepper|Lettuce|Hydrangea|Orchid|Grass|
        Cactus|Strawberry|Cucumber
        """,
            "capacity": "@capacity",
            "type": """
        Garden Hose|Lawn Mower|Hedge Trimmer|Pruning Shears|Plant Pot|Seeds|Fertilizer|
        Potting Soil|Weed Killer|Sprinkler|Leaf Blower|Wheelbarrow|Rake|Raised Garden Bed|
        Watering Can|Bird Feeder|Patio Umbrella|Chainsaw|Insect Repellent
        """,
        },
        """
        {brand} {plant} {type}, {weight}
        {brand} {power} {type}, {voltage}, {color}
        {brand} {length} {type}, {material}, {color}
        {brand} {model_number} {type} {feature} {capacity}
        {type} for {plant}, {feature}, {dimensions} by {brand}
        """,
        {
            "plant": """
        Plant|Plant type|Variety
        """
        },
    ),
    category(
        "Car Parts",
        {
            **_GEAR,
            "voltage": "@voltage",
            "vehicle": """
        @year @brand @product|@brand @product @year-@year|@brand @model_number
        """,
            "position": """
        Front|Rear|Left|Right|Front Left|Driver Side|Passenger Side|Front and Rear|Rear Right
        """,
            "viscosity": """
        5W-30|10W-40|0W-20|5W-20|15W-40
        """,
            "type": """
        Brake Pads|Oil Filter|Air Filter|Spark Plug|Headlight|Motor Oil|Car Battery|Floor Mats|
        Seat Covers|Wiper Blades|Alternator|Radiator|Shock Absorber|Dash Cam|Car Charger|Tire|
        Side Mirror|Fuel Pump|Jump Starter|Car Wax
        """,
        },
        """
        {brand} {model_number} {type} for {vehicle}
        {brand} {position} {type} {material} for {vehicle}
        {brand} {viscosity} {type}, {volume}
        {type} fits {vehicle}, {position}, {color}, {model_number}
        {brand} {type} {voltage} {feature} {color}
        """,
        {
            "vehicle": """
        Compatible with|Fits|Vehicle
        """,
            "position": """
        Position|Placement|Side
        """,
            "viscosity": """
        Viscosity|Grade
        """,
        },
    ),
)
