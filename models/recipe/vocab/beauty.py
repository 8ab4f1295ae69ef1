"""Body care, health and cleaning."""

from __future__ import annotations

from recipe.category import category

_SKIN = """
        Sensitive Skin|Dry Skin|Oily Skin|Normal Skin|Combination Skin|All Skin Types|
        Acne Prone Skin|Sensitive|Normal to Dry Skin|Mature Skin|Extra Dry Skin|
        Eczema-Prone Skin|Baby Skin|Acne-Prone|Delicate Skin|Oily and Acne Prone Skin
        """
_HAIR = """
        Dry Hair|Damaged Hair|Dry Damaged Hair|Dry & Damaged Hair|Color Treated Hair|
        Color-Treated Hair|Curly Hair|Fine Hair|Thin Hair|Oily Hair|All Hair Types|Natural Hair|
        Normal Hair|Frizzy Hair|Blonde Hair|Thick Hair|Coarse Hair|Colored Hair|Straight Hair|
        Wavy Hair|Chemically Treated Hair|Gray Hair|Dull Hair|Fine to Medium Hair|Curls|
        Dry, Frizzy Hair
        """
_SCENT = """
        @flower|@flower Scent|@flower & @flower|@fruit|@fruit Scent|@flower @fruit|
        @fruit & @flower|@spice|Unscented|Fragrance Free|@flower and @flower|Fresh Scent|
        Original Scent|Mountain Air|@flower Fresh|Vanilla @flower
        """
_BENEFIT = """
        Moisturizing|Hydrating|Volumizing|Strengthening|Smoothing|Anti-Frizz|Anti Frizz|
        Repairing|Nourishing|Shine|Color Protection|Anti-Dandruff|Hair Growth|Thickening|
        Detangling|Anti-Aging|Firming|Soothing|Brightening|Whitening|Cleansing|Clarifying|
        Softening|Anti-Wrinkle|Exfoliating|Deep Conditioning|Damage Repair|Color Care|
        Curl Defining|Scalp Care|Restoring|Frizz Control|Hydration|Heat Protection|
        Intense Hydration|Anti-Breakage|Breakage Defense|Revitalizing|Pore Minimizing|
        Oil Control|Calming|Moisture|Body Building|Daily Moisture|Split End Repair
        """

CATEGORIES = (
    category(
        "Conditioner",
        {
            "type": "Conditioner|Hair Conditioner|Leave-In Conditioner|Deep Conditioner|Hair Mask",
            "form": """
        Conditioner|Cream|Leave-In Conditioner|Leave In Conditioner|Deep Conditioner|Spray|Mask|
        Hair Mask|Lotion|Bar|Foam|Conditioner Bar|Mousse|Balm|Oil|Cleansing Conditioner|
        Leave-In Spray|Treatment|Conditioning Mask
        """,
            "benefit": _BENEFIT,
            "hair": _HAIR,
            "scent": _SCENT,
            "claim": """
        @claim|Sulfate Free|Paraben Free
        """,
            "volume": """
        @volume|@volume|@volume @container
        """,
            "gender": """
        Men's|Women's|Men|Women
        """,
            "age": "Kids|Baby|Children|Adults|@age",
            "key_ingredient": """
        Argan Oil|Coconut Oil|Tea Tree Oil|Keratin|Biotin|Aloe Vera|Shea Butter|Jojoba Oil|
        Castor Oil|Macadamia Oil|Rosemary|Collagen|Avocado|Honey|Olive Oil|Charcoal|
        Manuka Honey|Green Tea
        """,
        },
        """
        {brand} {benefit} {form}[ for {hair}][, {scent}], {volume}[ ({pack})]
        {brand} [{line} ]{form}, {benefit}[, {claim}], {volume}
        {brand} {key_ingredient} {form}, [{scent}, ]{hair}, {volume}
        {brand} {age} {form} {scent}, {claim}, {volume}[ ({pack})]
        {brand} {line} {benefit} {form} for {gender}, {volume}
        {brand} {scent} {form} | {claim} | {hair} | {volume}
        {form} for {hair} by {brand} - {benefit}, {claim}, {volume}
        """,
    ),
    category(
        "Shampoo",
        {
            "type": """
        Shampoo|Dry Shampoo|2-in-1 Shampoo|Baby Shampoo|Dandruff Shampoo|Clarifying Shampoo|
        Shampoo Bar
        """,
            "benefit": _BENEFIT,
            "hair": _HAIR,
            "scent": _SCENT,
            "claim": "@claim",
            "volume": """
        @volume|@volume @container
        """,
            "gender": "Men's|Women's|Men|Women",
            "form": "Liquid|Bar|Foam|Spray|Powder|Cream|Gel",
        },
        """
        {brand} {benefit} {type} for {hair}, {volume}[ ({pack})]
        {brand} {type}, {scent}, {claim}, {volume}
        {brand} {line} {gender} {type}, {benefit}, {volume}
        {claim} {type} by {brand} with {scent}, {volume}
        """,
        {"type": "Shampoo type"},
    ),
    category(
        "Sunscreen",
        {
            "type": """
        Sunscreen|Sunscreen Lotion|Sunblock|Face Sunscreen|Sun Lotion|Mineral Sunscreen|
        Sun Cream
        """,
            "form": """
        Lotion|Spray|Stick|Sunscreen Lotion|Sunscreen Spray|Gel|Cream|Mist|Continuous Spray|
        Sunscreen Stick|Oil|Foam|Powder|Lip Balm|Sheer Lotion|Face Lotion|Fluid|Moisturizer|
        Sunscreen|Clear Zinc|Face Stick|Body Mist
        """,
            "protection": "@spf|@spf|@spf|Broad Spectrum @spf|UVA/UVB|UPF 50+|@spf",
            "skin": _SKIN,
            "scent": _SCENT,
            "claim": """
        @claim|Water Resistant|Water Resistant 80 Minutes|Mineral|Tinted|Oil-Free
        """,
            "net": """
        @volume|@volume|@weight|@volume Tube|@volume Bottle
        """,
            "age": """
        Kids|Baby|Babies|Children|Toddler|Kids & Baby|Adults
        """,
            "gender": """
        Men's|Women's|Men|Women
        """,
            "color": """
        Clear|Tinted|White|Light|Medium Tint|Sheer|Bronze|Deep|Ivory|Nude
        """,
            "line": "@product",
        },
        """
        {brand} [{line} ]{form} {protection}[, {claim}], {net}[ ({pack})]
        {brand} {age} {form}, {protection}, {claim}, {net}[ ({pack})]
        {brand} {claim} {form}, {protection}[, {scent}], {net}
        {brand} {line} Sunscreen {form} for {skin}, {protection}, {claim}, {net}
        {brand} Sunscreen {protection} [{color} ]- {claim} - {net}
        {brand} {gender} Face {form} with {protection}, {net}
        """,
        {"protection": "Protection level|SPF|Sun protection"},
    ),
    category(
        "Skin Care",
        {
            "type": """
        Face Cream|Moisturizer|Face Serum|Cleanser|Face Wash|Toner|Eye Cream|Night Cream|
        Body Lotion|Hand Cream|Body Butter|Face Mask|Sheet Mask|Facial Oil|Exfoliating Scrub|
        Micellar Water|Lip Balm|Body Wash|Bath Bomb|Bar Soap|Hand Soap|Foot Cream|Essence|
        Peel Pads
        """,
            "benefit": _BENEFIT,
            "skin": _SKIN,
            "scent": _SCENT,
            "claim": "@claim",
            "net": """
        @volume|@weight|@volume @container
        """,
            "key_ingredient": """
        Hyaluronic Acid|Retinol|Vitamin C|Niacinamide|Salicylic Acid|Aloe Vera|Tea Tree|
        Rosehip Oil|Shea Butter|Ceramides|Snail Mucin|Glycolic Acid|Peptides|Centella Asiatica|
        Green Tea Extract|Oatmeal
        """,
            "gender": """
        Men's|Women's|Men|Women
        """,
            "form": """
        Cream|Gel|Lotion|Oil|Foam|Balm|Serum|Bar|Pads|Drops
        """,
        },
        """
        {brand} {benefit} {type} with {key_ingredient}, {skin}, {net}
        {brand} {line} {type}, {scent}, {claim}, {net}[ ({pack})]
        {brand} {key_ingredient} {type} - {benefit} - {claim} - {net}
        {brand} {gender} {type} for {skin}, {net}
        {type}, {benefit} {form} for {skin} | {brand} | {net}
        """,
    ),
    category(
        "Makeup",
        {
            "type": """
        Lipstick|Liquid Lipstick|Foundation|Mascara|Eyeliner|Eyeshadow Palette|Concealer|Blush|
        Bronzer|Nail Polish|Highlighter|Lip Gloss|Brow Pencil|Setting Powder|Primer|
        False Eyelashes|Makeup Brush Set|Setting Spray
        """,
            "finish": """
        Matte|Satin|Glossy|Dewy|Shimmer|Natural Finish|Metallic|Glitter|Velvet|Sheer
        """,
            "color": """
        @color|Ruby Woo|Warm Beige|@n Natural Beige|Nude Pink|Berry Kiss|Rosewood|
        Light Ivory|Soft Honey
        """,
            "claim": """
        @claim|Waterproof|Long Lasting|Smudge Proof|Full Coverage|24 Hour Wear
        """,
            "net": """
        @weight|@volume|@count
        """,
            "skin": _SKIN,
        },
        """
        {brand} {line} {finish} {type}, {color}, {net}
        {brand} {type} {claim} - {color}
        {brand} {claim} {type} for {skin}, {color}[, {net}]
        {brand} {type} #{color} {finish} {claim}
        """,
        {"color": "Shade|Color", "type": "Makeup type"},
    ),
    category(
        "Perfume",
        {
            "type": """
        Eau de Parfum|Eau De Toilette|EDP|Cologne|Perfume|Body Spray|Body Mist|Fragrance|
        Parfum Spray|Deodorant
        """,
            "gender": """
        Men|Women|Unisex|Her|Him|Men's|Women's
        """,
            "scent": _SCENT,
            "volume": """
        @volume|@volume Spray
        """,
        },
        """
        {brand} {line} {type} for {gender}, {volume}
        {line} by {brand} for {gender} - {volume} {type}
        {brand} {line} {type} Spray, {scent}, {volume}
        """,
        {"line": "Fragrance name|Product name"},
    ),
    category(
        "Laundry Detergent",
        {
            "type": """
        Laundry Detergent|Detergent|Fabric Softener|Stain Remover|Laundry Soap|Bleach|
        Dryer Sheets|Scent Booster
        """,
            "form": """
        Liquid|Powder|Pods|Pacs|Packs|Sheets|Gel|Liquid Laundry Detergent|Laundry Pods|Bar|
        Spray|Tablets|Beads|Laundry Detergent Pacs|Powder Detergent|Strips|Crystals|
        Liquid Detergent|Pouch|Laundry Sheets|Capsules|Eco Strips
        """,
            "scent": _SCENT,
            "claim": """
        @claim|Concentrated|HE|2X Concentrated|High Efficiency|HE Compatible|Cold Water|
        Plus Oxi|With Bleach
        """,
            "loads": "@loads",
            "net": """
        @volume|@weight|@count|@volume Bottle|@weight Box|@volume Jug
        """,
            "uses": """
        Stain Remover|Stain Removal|Baby Clothes|Delicates|Wool|Whites|Dark Clothes|Sportswear|
        Colors|Odor Removal|Fabric Softener|Hand Wash|Swimwear|Denim|Activewear|Diapers|
        Hand Washing|Baby Laundry|Fine Fabrics
        """,
            "skin": _SKIN,
            "age": """
        Baby|Newborn|Infant|Babies|Kids|Toddlers
        """,
            "color": """
        White|Color|Dark|Black|Whites & Colors
        """,
        },
        """
        {brand} [{line} ]{claim} {form}, {scent}, {loads}[, {net}]
        {brand} Laundry Detergent {form}, {scent}, {net}, {loads}[ ({pack})]
        {brand} {age} {form}, {claim}, {net}
        {brand} {form} Laundry Detergent for {skin}, {scent}, {net} {loads}
        {brand} {claim} Laundry {form} {uses}, {scent}, {net} - {pack}
        {brand} {uses}, {claim}, {net}[ ({pack})]
        """,
        {
            "loads": """
        Load size|Number of loads
        """,
            "uses": """
        Specific uses|Use|Recommended use|Suitable for
        """,
        },
    ),
    category(
        "Cleaning",
        {
            "type": """
        All Purpose Cleaner|Glass Cleaner|Dish Soap|Dishwasher Tablets|Disinfecting Wipes|
        Toilet Bowl Cleaner|Floor Cleaner|Air Freshener|Oven Cleaner|Sponge|Trash Bags|
        Paper Towels|Toilet Paper|Hand Sanitizer|Carpet Cleaner|Furniture Polish|Drain Opener|
        Mop|Scrub Brush
        """,
            "scent": _SCENT,
            "form": """
        Spray|Liquid|Gel|Wipes|Powder|Tablets|Foam|Aerosol|Refill|Concentrate
        """,
            "claim": """
        @claim|Kills 99.9% of Germs|Streak-Free|Septic Safe|Antibacterial|Bleach Free
        """,
            "net": """
        @volume|@count|@weight
        """,
            "uses": """
        Glass|Stainless Steel|Granite|Wood Floors|Kitchens|Bathrooms|Carpets|Windows|
        Tile & Grout|Upholstery|Dishes
        """,
        },
        """
        {brand} {claim} {type}, {scent}, {net}[ ({pack})]
        {brand} {type} {form} for {uses}, {scent}, {net}
        {brand} {type}, {net}, {pack}
        {brand} {line} {type} - {scent} - {claim}
        """,
        {"uses": "Surface|Recommended use|Specific uses"},
    ),
    category(
        "Toothbrush",
        {
            "type": """
        Toothbrush|Electric Toothbrush|Manual Toothbrush|Toothbrush Heads|Sonic Toothbrush|
        Toothbrushes|Travel Toothbrush
        """,
            "firmness": """
        Soft|Medium|Hard|Extra Soft|Ultra Soft|Firm|Soft Bristle|Soft Bristles|Extra-Soft|
        Medium Bristle|Super Soft|Ultra Soft Bristles|Extra Soft Bristles|Medium Soft
        """,
            "age": "@age|Kids|Baby|Adult|Toddler|Children|Child|Kids & Toddlers",
            "material": """
        Bamboo|Charcoal|Nylon|Silicone|Wooden|Bamboo Charcoal|Plastic|Wood|Biodegradable Bamboo|
        BPA Free Plastic
        """,
            "power": """
        Electric|Battery Powered|Manual|Rechargeable|Sonic|Battery|USB Rechargeable|Power|
        Sonic Electric|Ultrasonic
        """,
            "mode": "Manual|Electric|Automatic|Battery|Sonic|@n Modes|5 Modes|Battery Operated",
            "color": "@color",
            "claim": """
        @claim|Whitening|Deep Clean|Travel|Compact Head|Sensitive|Gum Care|Plaque Removal|
        BPA Free
        """,
            "animal": """
        Dinosaur|Shark|Unicorn|Panda|Bear|Monkey|Elephant|Frog|Cat|Dog|Giraffe|Tiger|Bunny|
        Penguin|Owl|Fox
        """,
            "cap": """
        Cap|with Cap|Travel Cap|Covers|Suction Cap|Toothbrush Cover|Hygienic Cover|Travel Case|
        Cover
        """,
            "size": """
        Small|Compact|Full|Full Head|Small Head|Large|Compact Head|Mini|Regular|Full Size|
        Travel Size
        """,
            "pack": "@pack|@count",
        },
        """
        {brand} [{line} ]{type}, {firmness}[, {color}], {pack}
        {brand} {age} {type}, {firmness}, {pack}
        {brand} {power} {type}[ for {age}], {color}[, {claim}][, {pack}]
        {brand} {material} {type}s, {firmness}, {claim} - {pack}
        {brand} {line} {size} {firmness} {type} - {pack}
        {brand} {animal} {age} {type} with {cap}, {firmness}, {color}
        {type} {mode} {color} by {brand}, {pack}
        {brand}, {type}, {size} {firmness}, {pack}
        """,
        {"mode": "Operation mode|Mode", "firmness": "Firmness|Bristle firmness|Bristles"},
    ),
    category(
        "Safety Mask",
        {
            "type": """
        Face Mask|Respirator|Mask|Dust Mask|Face Masks|Surgical Mask|Particulate Respirator|
        Face Covering|Face Shield
        """,
            "mask": """
        Cloth|Disposable|Surgical|Dust|Respirator|Face Mask|Disposable Face Mask|Dust Mask|
        Particulate Respirator|Half Facepiece|Full Face|Balaclava|Neck Gaiter|Medical|Bandana|
        Cloth Face Mask|Procedure Mask|Welding|Face Covering|Half Face|Gas Mask|Cup Style|Sport|
        Fashion
        """,
            "grade": """
        N95|KN95|P100|KF94|FFP2|N99|ASTM Level 3|R95|NIOSH Approved|FFP3|P95|ASTM Level 2|N100|
        NIOSH N95|CE Certified
        """,
            "layer": """
        3-Layer|3 Ply|3-Ply|5 Layer|5-Layer|2-Layer|4 Layers|3 Layers|Double Layer|2 Ply|
        Triple Layer|Dual Layer|4-Ply
        """,
            "closure": """
        Elastic|Elastic Ear Loop|Ear Loop|Earloop|Adjustable|Adjustable Ear Loops|Tie|Ear Loops|
        Elastic Band|Headband|Elastic Earloop|Adjustable Straps|Head Straps|Nose Wire|Nose Clip|
        Strap
        """,
            "material": """
        @material|Cotton|Polypropylene|Non-Woven Fabric|Melt-Blown|Polyester|Cotton Blend|
        Silicone|Neoprene|100% Cotton
        """,
            "reuse": """
        Reusable|Disposable|Washable|Washable, Reusable|Reusable and Washable|Single Use|
        Washable & Reusable|Machine Washable
        """,
            "color": """
        @color|Black|White|Blue|Assorted|Assorted Colors
        """,
            "size": """
        One Size|Large|Medium|Small|Medium/Large|One Size Fits All|Universal|S|M/L
        """,
            "age": """
        Adult|Adults|Kids|Children|Youth|Kid's|Toddler|Ages 4-12|Unisex Adult|Teens
        """,
            "gender": """
        Men|Women|Unisex|Men's|Women's|Men and Women|Men Women
        """,
            "claim": """
        Breathable|Comfortable|Dust|Protective|Anti-Fog|Exhalation Valve|Antimicrobial|
        Latex Free|Fluid Resistant|Filter Pocket|Adjustable|Soft|Lightweight|Hypoallergenic|
        Fashion|Individually Wrapped|Breathable and Comfortable|Windproof|Anti-Pollution|
        UV Protection|Sun Protection|with Valve|Cooling
        """,
            "net": """
        @count|@count|@pack|@n Masks|@n Pcs|Box of @n
        """,
            "packtype": """
        Individually Wrapped|Box|Sealed Bag|Resealable Bag|Bag|Individual Package|Bulk
        """,
            "country": "Made in USA|Made in Korea|USA|Made in China|Korean|Made in Canada|Germany",
        },
        """
        {brand} {reuse} {mask}, {layer}[, {closure}], {color}, {net}
        {brand} {grade} {type}, {claim}, {color}, {net}
        {net} {reuse} {type} {layer} with {closure}[ - {color}] - {brand}
        {brand} {age} {type}, {material}, {reuse}, {claim}[, {color}][, {net}]
        {brand} {type}, {mask}, {grade}, {size} ({pack})
        {brand} {reuse} {mask} for {gender}, {claim} {material} {layer}, {color} {net}
        {type} | {age} | {material}, {reuse}, {claim} | {color} | by {brand}
        {brand} {line} {grade} {mask} {packtype} {country} {net}
        """,
        {
            "mask": """
        Mask type|Mask style
        """,
            "grade": """
        Certified grade|Certification|Filter class
        """,
            "layer": """
        Layer|Layers|Number of layers
        """,
            "reuse": """
        Reusability|Reusable
        """,
            "packtype": """
        Package type|Packaging
        """,
            "closure": """
        Closure type|Closure|Fastening
        """,
        },
    ),
)
