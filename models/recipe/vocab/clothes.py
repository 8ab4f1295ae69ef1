"""Things to wear and to carry."""

from __future__ import annotations

from recipe.category import category

_WEAR_TITLES = """
{brand} {gender} {style} {type}[, {color}][, {size}]
{brand} {gender} {model_name} {type}, {color}, {size}
{brand} {type} for {gender}, {material}, {color}
{brand} {gender} {material} {feature} {type} {pattern}[, {size}]
{gender} {feature} {sport} {type} {material}[ {color}]
{brand} {model_name} {type} - {color} - {size}
{season} {gender} {type} {pattern} {style} {feature}
{brand} {gender} {season} {type} {style} {color}
{brand} {type} {model_number} {color} {material}
"""

_WEAR = {
    "gender": "@gender",
    "color": "@color",
    "size": "@clothes_size",
    "material": "@material",
    "style": "@style",
    "pattern": "@pattern",
    "feature": "@feature",
    "season": "@season",
    "sport": "@sport",
    "model_name": "@product",
    "age": "@age",
    "fabric": """
        Woven|Knitted|Broadcloth|Worsted|Jersey|Twill|Chiffon|Mesh Fabric|Terry|Poplin|Lace|
        Ribbed Knit|Fleece|Denim
        """,
}

CATEGORIES = (
    category(
        "Shoes",
        {
            **_WEAR,
            "size": "@shoe_size",
            "type": """
        Running Shoe|Sneaker|Sneakers|Boot|Ankle Boot|Chelsea Boot|Hiking Boot|Rain Boot|
        Snow Boot|Oxford|Loafer|Slip-On|Sandal|Slide Sandal|Flip Flop|Pump|Ballet Flat|Wedge|
        Heeled Sandal|Clog|Moccasin|Slipper|Tennis Shoe|Basketball Shoe|Trail Running Shoe|
        Walking Shoe|Golf Shoe|Cleat|Soccer Cleat|Water Shoe|Work Boot|Wedge Sandal|Mule|
        Espadrille|Boat Shoe|Skate Shoe|Fashion Sneaker|Derby|Flat|Western Boot|Cross Trainer|
        Dress Shoe|Combat Boot|Track Shoe|Wrestling Shoe|Knee High Boot|Shoes|Shoe|Sandals|
        Boots|Slippers|Platform Sandal|Mary Jane|Trainer|Casual Shoe
        """,
            "material": """
        Leather|Suede|Canvas|Mesh|Synthetic|Rubber|Patent Leather|Knit|Nubuck|Vegan Leather|
        Wool|Faux Fur|Textile|Satin|EVA|Full Grain Leather|Velvet|Croc
        """,
            "closure": """
        Lace-Up|Lace Up|Slip-On|Slip On|Velcro|Buckle|Zip|Side Zip|Zipper|Hook and Loop|
        Ankle Strap|Elastic|Pull-On|Strap|T-Strap|BOA|Slingback
        """,
            "waterproof": """
        Waterproof|Water Resistant|Water-Resistant|WP|Weatherproof|GORE-TEX|Water Repellent
        """,
            "gender": """
        Men's|Women's|Mens|Womens|Unisex|Boy's|Girl's|Boys|Girls|Men|Women|Unisex-Child|
        Unisex-Adult|Kids'|Men's|Women's
        """,
            "age": "@age|Toddler|Little Kid|Big Kid|Kids|Infant|Baby|Youth|Adult|Unisex-Child",
        },
        """
        {brand} {gender} {model_name} {type}, {color}[, {size}]
        {brand} {gender} {model_name} {type}, {color}, {size}
        {brand} {gender} {model_name} {sport} {type}, {color}, {size}
        {brand} - {gender} {model_name} {type} - {color} - {size}
        {brand} {gender} {material} {closure} {type}, {color}, {size}
        {brand} {model_name} {type} {gender} {color} {size}
        {brand} {gender} {type}, {waterproof} {material}, {closure}, {size}
        {brand} {age} {model_name} {type}, {color}, {size}
        {brand} {model_name} {waterproof} {type},{color},{size}
        {gender} {sport} {type} {feature} {closure} {material} {color}
        {brand} {gender} {model_name},{color},{size}
        {brand} {model_name} {color} {size} {type}
        """,
        {
            "type": """
        Shoe type|Shoe type|Footwear type|Kind of shoe
        """,
            "closure": """
        Closure|Closure type
        """,
            "model_name": """
        Model name|Model name|Model|Style name
        """,
        },
    ),
    category(
        "Shirts",
        {
            **_WEAR,
            "type": """
        T-Shirt|Shirt|Polo Shirt|Tank Top|Hoodie|Sweatshirt|Jersey|Blouse|Henley|
        Long Sleeve Tee|Dress Shirt|Flannel Shirt|Tee|Compression Shirt|Basketball Jersey|Tunic|
        Pullover|Tops
        """,
            "sleeve": """
        Long Sleeve|Short Sleeve|Sleeveless|3/4 Sleeve|Full|Short|Half Sleeve|Cap Sleeve|
        Full Sleeve
        """,
            "neck": """
        V-Neck|Crew Neck|O-Neck|Turtleneck|Round Neck|Mandarin Collar|Scoop Neck|Henley Neck|
        Turn-Down Collar
        """,
        },
        _WEAR_TITLES
        + """
        {brand} {gender} {sleeve} {neck} {type}, {color}, {size}
        {gender} {type} {sleeve} {sport} {feature} {fabric} {material} {neck}
        """,
        {
            "sleeve": """
        Sleeve Length(cm)|Sleeve Length|Sleeve style
        """,
            "neck": """
        Collar|Neckline
        """,
            "fabric": """
        Fabric Type|Fabric
        """,
        },
    ),
    category(
        "Shorts & Pants",
        {
            **_WEAR,
            "type": """
        Shorts|Running Shorts|Board Shorts|Pants|Jeans|Leggings|Joggers|Chinos|Cargo Shorts|
        Sweatpants|Yoga Pants|Trousers|Swim Trunks|Basketball Shorts|Beach Shorts|Capris|Skirt|
        Tights
        """,
            "waist": "High Waist|Mid Waist|Low Rise|Elastic Waist|High Rise|Drawstring",
        },
        _WEAR_TITLES
        + """
        {gender} {type} {waist} {sport} {feature} {pattern}
        {brand} {waist} {type} {gender} {material} {size}
        """,
        {
            "type": """
        Item|Item|Garment
        """,
            "waist": """
        Waist Type|Rise
        """,
            "fabric": """
        Fabric Type|Fabric
        """,
            "feature": """
        Feature|Description|Features
        """,
        },
    ),
    category(
        "Swimwear",
        {
            **_WEAR,
            "type": """
        Bikini|Bikini Set|Swimsuit|One Piece Swimsuit|Swim Trunks|Tankini|Rash Guard|
        Bathing Suit|Monokini|Swim Shorts|Beach Cover Up|Swimming Cap|Swimwear|Wetsuit|
        Board Shorts
        """,
            "feature": """
        Push Up|High Waist|Padded|Bandage|Backless|Halter|Off Shoulder|High Cut|Thong|Low Waist|
        Ruffle|Mesh|Cut Out|Tummy Control|Quick Dry|UV Protection|Crochet|String|Strapless|
        Wire Free
        """,
        },
        _WEAR_TITLES
        + """
        {style} {type} {gender} {feature} {pattern} Swimwear Beachwear [{color} ][{size}]
        {season} {feature} {type} {gender} {pattern} {brand}
        """,
        {"type": "Item|Swimwear type", "feature": "Feature|Description|Features"},
    ),
    category(
        "Caps & Hats",
        {
            **_WEAR,
            "type": """
        Baseball Cap|Snapback Hat|Beanie|Bucket Hat|Sun Hat|Trucker Hat|Visor|Fedora|Dad Hat|
        Beret|Golf Cap|Snapback Cap|Knit Hat|Trapper Hat|Baseball Caps|Hip Hop Cap
        """,
            "department": "Adult|Men|Women|Children|Unisex|Boys|Girls|Baby",
        },
        _WEAR_TITLES
        + """
        {brand} {type} {department} {material} {pattern} {style} Hats Caps
        {season} {gender} {type} {style} {pattern} Snapback Bone Gorras
        """,
        {"type": "Hat type|Cap type", "department": "Department Name|Department"},
    ),
    category(
        "Jackets & Dresses",
        {
            **_WEAR,
            "type": """
        Down Jacket|Rain Jacket|Windbreaker|Parka|Blazer|Trench Coat|Denim Jacket|Fleece Jacket|
        Maxi Dress|Sundress|Cocktail Dress|Evening Gown|Vest|Cardigan|Sweater|Jumpsuit|Romper|
        Suit|Puffer Jacket|Bathrobe|Pajama Set|Wrap Dress
        """,
            "closure": "Zip|Full Zip|Button|Double Breasted|Half Zip|Snap|Pullover|Button-Down",
        },
        _WEAR_TITLES
        + """
        {brand} {gender} {closure} {type}, {material}, {color}, {size}
        """,
    ),
    category(
        "Underwear & Socks",
        {
            **_WEAR,
            "type": """
        Crew Socks|Ankle Socks|Compression Socks|Boxer Briefs|Briefs|Sports Bra|Bra|Underwear|
        Thong|No Show Socks|Wool Socks|Pantyhose|Camisole|Undershirt|Thermal Underwear|Tights
        """,
        },
        _WEAR_TITLES
        + """
        {brand} {gender} {type} {material}, {color}, {size} ({pack})
        {brand} {pack} {gender} {feature} {type}, {size}
        """,
    ),
    category(
        "Bags & Luggage",
        {
            **_WEAR,
            "type": """
        Backpack|Tote Bag|Crossbody Bag|Duffel Bag|Laptop Backpack|Suitcase|Carry-On Luggage|
        Messenger Bag|Wallet|Clutch|Handbag|Fanny Pack|Gym Bag|Lunch Bag|Diaper Bag|Briefcase|
        Shoulder Bag|Card Holder|Garment Bag|Spinner Luggage
        """,
            "capacity": "@n L|@nL|@n Liter|@n-Liter",
            "dimensions": "@dimensions",
        },
        """
        {brand} {model_name} {type}, {color}, {dimensions}
        {brand} {gender} {material} {type} {feature} {color}
        {brand} {capacity} {type} {feature} for {use}
        {gender} {type} {style} {material} {feature} {color}
        {brand} {feature} {type} {model_number}, {capacity}, {color}
        """,
        {"type": "Bag type"},
    ),
    category(
        "Jewelry & Watches",
        {
            **_WEAR,
            "type": """
        Necklace|Pendant Necklace|Earrings|Hoop Earrings|Stud Earrings|Bracelet|Ring|
        Engagement Ring|Anklet|Brooch|Charm Bracelet|Quartz Watch|Automatic Watch|
        Chronograph Watch|Digital Watch|Watch|Smartwatch|Watch Band|Cufflinks
        """,
            "stone": """
        Cubic Zirconia|Diamond|Pearl|Amethyst|Sapphire|Opal|Turquoise|Topaz|Garnet|Emerald|
        Moonstone|Crystal|Ruby|Onyx
        """,
            "metal": """
        925 Sterling Silver|14K Gold|Rose Gold Plated|Stainless Steel|18K Gold Plated|Titanium|
        White Gold|Sterling Silver|Platinum|Gold Plated|10k Yellow Gold
        """,
            "size": 'Size 7|18 inch|@length|Size 6.5|Adjustable|20mm|16"|42mm',
        },
        """
        {brand} {metal} {stone} {type} for {gender}[, {size}]
        {brand} {gender} {model_name} {type} with {metal} {color} Strap, {model_number}
        {metal} {type} {stone} {style} Jewelry {gender} Gift
        {brand} {type} {metal} {color} {feature} {model_number}
        {brand} {model_name} {type}, {metal}, {size}
        """,
        {"stone": "Gemstone|Stone", "metal": "Metal|Metal Type|Material"},
    ),
    category(
        "Eyewear",
        {
            **_WEAR,
            "type": """
        Sunglasses|Reading Glasses|Ski Goggles|Cycling Glasses|Swimming Goggles|Safety Glasses|
        Snowboard Goggles|Eyeglasses Frame|Goggles|Motorcycle Goggles|Sports Glasses|
        Blue Light Glasses|Swim Goggles|Skiing Eyewear|Eyewear
        """,
            "frame_color": "@color",
            "frame_material": """
        Plastic|Metal|TR90|Acetate|Titanium|PC|Alloy|TPU|Polycarbonate|Aluminum Magnesium|Nylon|
        Silicone|Wood
        """,
            "lens_color": """
        @color|Smoke|Revo|Mirror Blue|Clear|Amber|Gradient Grey|Green Mirror|Photochromic|
        Colorful
        """,
            "lens_material": "Polycarbonate|Glass|Resin|PC|Acrylic|TAC|Polaroid|CR-39|Plastic",
            "optical": """
        Polarized|Photochromic|UV400|Anti-Fog|Mirror|Gradient|Anti-Reflective|Anti UV|
        Anti-Glare|Double Layer Lens|Interchangeable|Blue Light Blocking
        """,
            "sport": """
        Cycling|Skiing|Swimming|Fishing|Running|Motocross|Snowboarding|Driving|Golf|Hiking|
        Diving|Shooting|Motorcycle|Ski|Outdoor
        """,
            "lens_width": "@length",
            "lens_height": "@length",
        },
        """
        {brand} {optical} {sport} {type} {gender} {feature} {frame_material} Frame {lens_color} Lens
        {brand} {gender} {model_name} {type}, {frame_color}/{lens_color}, {size}
        {optical} {type} {gender} {sport} Eyewear Glasses {feature} {model_number}
        {brand} {model_number} {type} {frame_material} {optical} {style}
        {sport} {type} {feature} {lens_material} Lens {frame_color} Frame {brand}
        {gender} {sport} {type} {optical} {feature} Lens Width {lens_width} Lens Height {lens_height}
        """,
        {
            "type": """
        Eyewear Type|Type|Item Type
        """,
            "optical": """
        Lenses Optical Attribute|Lens feature|Optical attribute
        """,
            "frame_color": "Frame Color",
            "frame_material": "Frame Material",
            "lens_color": """
        Lenses Color|Lens Color
        """,
            "lens_material": """
        Lenses Material|Lens Material
        """,
            "lens_width": "Lens Width",
            "lens_height": "Lens Height",
            "feature": """
        Feature|Function|Features
        """,
        },
    ),
)
