"""Goods of all kinds, in the few words of somebody who tries out an extraction."""

from __future__ import annotations

from recipe.category import category

_TYPES = """
Anvil|Hammer|Screwdriver|Wrench|Pliers|Cordless Drill|Circular Saw|Hand Saw|Chisel|Axe|Shovel|Rake|
Wheelbarrow|Ladder|Step Stool|Toolbox|Workbench|Vise|Tape Measure|Spirit Level|Paint Roller|Bucket|
Garden Hose|Watering Can|Lawn Mower|Hedge Trimmer|Leaf Blower|Flower Pot|Bird Feeder|Parasol|Hammock|
Deck Chair|Grill|Fire Pit|Mailbox|Doormat|Umbrella|Raincoat|Winter Coat|Parka|Cardigan|Sweater|Hoodie|
Blouse|Shirt|Polo Shirt|T-Shirt|Tank Top|Jeans|Chinos|Leggings|Shorts|Skirt|Dress|Suit|Tie|Bow Tie|
Scarf|Gloves|Mittens|Beanie|Baseball Cap|Sun Hat|Socks|Slippers|Sandals|Sneakers|Running Shoes|
Hiking Boots|Rain Boots|High Heels|Loafers|Handbag|Tote Bag|Backpack|Suitcase|Briefcase|Wallet|Belt|
Wristwatch|Necklace|Bracelet|Earrings|Ring|Sunglasses|Reading Glasses|Perfume|Shampoo|Soap|Toothbrush|
Hair Dryer|Razor|Hand Cream|Lipstick|Sunscreen|Towel|Bathrobe|Shower Curtain|Bath Mat|Mirror|Pillow|
Blanket|Duvet|Mattress|Bed Frame|Nightstand|Wardrobe|Dresser|Bookcase|Shelf|Desk|Office Chair|Armchair|
Sofa|Coffee Table|Dining Table|Bar Stool|Bench|Rug|Curtains|Floor Lamp|Desk Lamp|Chandelier|Candle|
Vase|Picture Frame|Wall Clock|Alarm Clock|Kettle|Toaster|Blender|Mixer|Coffee Maker|Espresso Machine|
Microwave|Oven|Refrigerator|Freezer|Dishwasher|Washing Machine|Vacuum Cleaner|Iron|Fan|Heater|
Frying Pan|Saucepan|Wok|Casserole|Baking Tray|Cutting Board|Chef's Knife|Bread Knife|Fork|Spoon|Ladle|
Whisk|Colander|Salad Bowl|Plate|Mug|Wine Glass|Teapot|Thermos|Water Bottle|Lunch Box|Corkscrew|
Can Opener|Spice Rack|Broom|Mop|Trash Can|Laundry Basket|Clothes Rack|Ironing Board|Sewing Machine|
Yarn|Knitting Needles|Paintbrush|Easel|Notebook|Fountain Pen|Pencil|Marker|Stapler|Scissors|Calculator|
Envelope|Binder|Whiteboard|Globe|Map|Atlas|Dictionary|Cookbook|Novel|Comic|Board Game|Puzzle|
Playing Cards|Chess Set|Teddy Bear|Doll|Toy Train|Building Blocks|Kite|Yo-Yo|Skateboard|Scooter|Bicycle|
Tricycle|Helmet|Kayak|Canoe|Surfboard|Paddle|Life Jacket|Snorkel|Swimsuit|Swim Goggles|Tent|
Sleeping Bag|Camping Stove|Flashlight|Headlamp|Compass|Binoculars|Telescope|Fishing Net|Tennis Racket|
Golf Club|Baseball Bat|Football|Basketball|Volleyball|Dumbbell|Kettlebell|Yoga Mat|Jump Rope|Treadmill|
Rowing Machine|Skis|Snowboard|Ice Skates|Sled|Guitar|Violin|Cello|Ukulele|Piano|Keyboard|Drum Kit|Flute|
Trumpet|Saxophone|Harmonica|Microphone|Loudspeaker|Headphones|Earbuds|Record Player|Radio|Television|
Projector|Camera|Tripod|Drone|Laptop|Tablet|Smartphone|Smartwatch|Monitor|Mouse|Printer|Scanner|Router|
Hard Drive|Memory Card|Power Bank|Charger|Extension Cord|Light Bulb|Battery|Solar Panel|Doorbell|
Smoke Detector|Padlock|Safe|Dog Leash|Dog Bed|Cat Tree|Litter Box|Aquarium|Bird Cage|Saddle|Car Seat|
Stroller|Crib|High Chair|Baby Bottle|Diapers|Pacifier|Tire|Car Battery|Wiper Blades|Roof Rack|Jack|
Motor Oil|Trailer|Motorcycle|Van|Rowing Boat|Anchor|Rope|Chain|Pulley|Crate|Barrel|Pallet|Tarpaulin|
Widget|Gadget|Spare Part|Bolt|Screws|Nails|Hinge|Door Handle|Faucet|Sink|Bathtub|Toilet Seat|Tile|
Wallpaper|Carpet|Plywood|Brick|Cement|Sandpaper|Glue|Duct Tape|Coffee Beans|Green Tea|Olive Oil|Honey|
Jam|Peanut Butter|Chocolate Bar|Biscuits|Crackers|Granola|Oatmeal|Rice|Pasta|Flour|Sugar|Salt|Vinegar|
Mustard|Ketchup|Soup|Canned Tuna|Cheese|Butter|Yoghurt|Orange Juice|Lemonade|Mineral Water|Red Wine|Beer
"""

_GOODS = {
    "type": _TYPES,
    "color": "@color",
    "material": "@material",
    "size": "Small|Medium|Large|S|M|L|XL|10|42|38|7.5|One Size|@length",
    "weight": "@weight|@n kg|@n g|@n lbs",
    "length": "@length",
    "volume": "@volume",
    "capacity": "@capacity",
    "dimensions": "@dimensions",
    "storage": "@storage",
    "pack": "@pack",
    "price": "@price",
    "country": "@country",
    "condition": "new|used|refurbished|like new|unopened|second-hand|barely used|New|Used|Refurbished",
}

CATEGORIES = (
    category(
        "Goods",
        _GOODS,
        """
        {brand} {type}[, {color}][, {weight}]
        {brand} {type} {weight}, {color}
        {brand} {type} {color}[ {size}]
        {color} {brand} {type}[, size {size}]
        {color} {type} by {brand}[, {weight}][, {size}]
        {brand} {color} {type}[, {material}]
        {brand} {material} {type}[, {color}][, {size}]
        {material} {type}, {color}[, {dimensions}][, {brand}]
        {type} by {brand}, {material}, {color}
        {type}, {brand}[, {color}][, {weight}]
        {type} - {brand}[ - {color}][ - {price}]
        {type} {color}[ {size}][ {brand}]
        {type}[, {color}][, {dimensions}][, {weight}]
        {brand} {model_name} {type}[, {color}]
        {brand} {model_name}[ {storage}] {color}
        {brand} {model_name} {storage} {type}[ {color}]
        {brand} {type} {model_number}[, {weight}]
        {pack} {brand} {type}[, {volume}]
        {brand} {type} {volume}[, {pack}]
        {brand} {type} ({color})[, {price}]
        {brand} {type}, {country}[, {price}]
        {condition} {brand} {type}[, {color}]
        {brand} {type}, {condition}[, {price}]
        {color} {material} {type}[ from {brand}][, {size}]
        I am selling my {color} {brand} {type}, {condition}.
        I bought a {brand} {type} in {color} for {price}.
        For sale: {type} by {brand}, {color}, {condition}, {price}.
        The {brand} {type} is made of {material} and weighs {weight}.
        The {brand} {model_name} is a {color} {type}[ that weighs {weight}].
        Looking for a {color} {type}[, size {size}][, {brand} if possible].
        {brand} makes this {type} of {material}[ in {color}].
        Our new {type} comes in {color}[ and costs {price}].
        This {type} from {brand} holds {capacity}[ and is {color}].
        """,
        {
            "condition": """
        Condition|State|New or used
        """,
            "country": """
        Country|Origin|Made in|Country of origin
        """,
        },
    ),
)
