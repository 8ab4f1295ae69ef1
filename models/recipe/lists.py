"""Word lists that several categories share, and the notation in which lists are written."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """The entries of a list written as ``one|two words|three``; line breaks do not matter."""
    return tuple(" ".join(entry.split()) for entry in text.split("|") if entry.strip())


COLORS = words(
    """Black|White|Red|Blue|Navy|Navy Blue|Royal Blue|Sky Blue|Green|Dark Green|Olive|Olive Green|
    Army Green|Yellow|Orange|Purple|Pink|Hot Pink|Rose|Rose Gold|Gold|Silver|Grey|Gray|Dark Grey|
    Light Grey|Charcoal|Brown|Dark Brown|Tan|Beige|Ivory|Cream|Khaki|Burgundy|Wine|Wine Red|Maroon|
    Teal|Turquoise|Aqua|Mint|Mint Green|Lime|Coral|Peach|Lavender|Lilac|Violet|Magenta|Fuchsia|
    Mustard|Rust|Copper|Bronze|Champagne|Nude|Camel|Taupe|Sand|Stone|Slate|Graphite|Gunmetal|
    Midnight|Midnight Blue|Cobalt|Denim|Indigo|Emerald|Forest Green|Sage|Walnut|Cherry|Oak|
    Espresso|Mahogany|Natural|Clear|Transparent|Multicolor|Multi|Camo|Camouflage|Rainbow|Smoke|
    Matte Black|Jet Black|Bright White|Off White|Crimson|Scarlet|Ruby|Apricot|Blush|Dusty Rose|
    Cognac|Chestnut|Mocha|Chocolate|Anthracite|Pewter|Platinum|Brushed Nickel|Chrome|Satin Nickel|
    Oil Rubbed Bronze|Antique Brass|Heather Grey|Neon Green|Fluorescent Yellow|Ocean Blue|Ice Blue|
    Tie-Dye|Leopard|Blackout|Pearl|Pearl White|Space Gray|Sunset Orange|Desert Tan|Iron|Ash"""
)

MATERIALS = words(
    """Cotton|100% Cotton|Organic Cotton|Polyester|Nylon|Spandex|Linen|Wool|Merino Wool|Cashmere|
    Silk|Satin|Velvet|Denim|Leather|Genuine Leather|Faux Leather|PU Leather|Suede|Canvas|Mesh|
    Fleece|Microfiber|Rayon|Viscose|Bamboo|Hemp|Rubber|Silicone|Plastic|ABS Plastic|PVC|Acrylic|
    Polycarbonate|Metal|Steel|Stainless Steel|Carbon Steel|Aluminum|Aluminium Alloy|Zinc Alloy|
    Titanium|Brass|Copper|Iron|Cast Iron|Chrome|Silver|Sterling Silver|Gold|Glass|Tempered Glass|
    Borosilicate Glass|Ceramic|Porcelain|Stoneware|Marble|Granite|Wood|Solid Wood|Oak|Pine|Walnut|
    Teak|Plywood|MDF|Particleboard|Rattan|Wicker|Paper|Cardboard|Foam|Memory Foam|Latex|Neoprene|
    EVA|Carbon Fiber|Fiberglass|Resin|Concrete|Polypropylene|Polyethylene|Vinyl|Felt|Jute|Cork|
    Lycra|Chiffon|Lace|Flannel|Corduroy|Tweed|Down|Polyester Blend|Cotton Blend|Poly-Cotton|
    Rip-Stop Nylon|Oxford Cloth|Non-Woven Fabric|TPU|TPE|Melamine|Bone China|Enamel|Rosewood|
    Mahogany|Maple|Spruce|Basswood|Ebony|Galvanized Steel|Recycled Plastic|High Carbon Steel"""
)

FRUITS = words(
    """Apple|Green Apple|Banana|Strawberry|Raspberry|Blueberry|Blackberry|Cherry|Wild Cherry|Black
    Cherry|Cranberry|Grape|Orange|Blood Orange|Mandarin|Tangerine|Lemon|Lime|Grapefruit|Peach|
    Apricot|Pear|Plum|Mango|Pineapple|Coconut|Papaya|Passion Fruit|Guava|Kiwi|Melon|Watermelon|
    Pomegranate|Fig|Date|Lychee|Dragon Fruit|Acai|Goji Berry|Elderberry|Mixed Berry|Berry|Citrus|
    Tropical Fruit|Fruit Punch|Yuzu|Honeydew|Currant|Black Currant|Rhubarb"""
)

SPICES = words(
    """Cinnamon|Ginger|Turmeric|Vanilla|French Vanilla|Cardamom|Clove|Nutmeg|Pumpkin Spice|Chai|
    Mint|Peppermint|Spearmint|Wintergreen|Licorice|Anise|Fennel|Basil|Rosemary|Thyme|Sage|Garlic|
    Black Pepper|Chili|Jalapeno|Sea Salt|Smoked Paprika|Saffron|Curry|Wasabi|Honey|Maple|Brown
    Sugar|Caramel|Salted Caramel|Butterscotch|Toffee|Chocolate|Dark Chocolate|Milk Chocolate|White
    Chocolate|Mocha|Hazelnut|Almond|Pecan|Walnut|Pistachio|Peanut Butter|Cookies and Cream|Cookie
    Dough|Birthday Cake|Marshmallow|Cream|Matcha|Cocoa"""
)

FLOWERS = words(
    """Lavender|Rose|Jasmine|Hibiscus|Chamomile|Lilac|Gardenia|Honeysuckle|Magnolia|Peony|Violet|
    Orchid|Freesia|Lily|Cherry Blossom|Orange Blossom|Apple Blossom|Ylang Ylang|Geranium|Sweet Pea|
    Wildflower|Eucalyptus|Tea Tree|Sandalwood|Cedarwood|Cedar|Pine|Patchouli|Bergamot|Vetiver|Musk|
    White Musk|Amber|Fresh Linen|Clean Linen|Fresh Cotton|Ocean Breeze|Sea Breeze|Mountain Spring|
    Spring Meadow|Rain|Summer Rain|Sunshine|Aloe|Aloe Vera|Cucumber|Cucumber Melon|Oatmeal|Shea
    Butter|Cocoa Butter|Argan|Fresh Scent|Original|Tropical Breeze|Spring Flowers|Free & Clear"""
)

COUNTRIES = words(
    """Italian|French|German|Japanese|Korean|Chinese|Indian|Mexican|Colombian|Ethiopian|Kenyan|
    Brazilian|Peruvian|Guatemalan|Costa Rican|Turkish|Greek|Spanish|English|British|Scottish|Irish|
    Swiss|Swedish|Danish|Norwegian|Dutch|Belgian|Polish|Russian|Thai|Vietnamese|Indonesian|
    Australian|Canadian|American|Moroccan|Egyptian|South African|Ceylon|Sumatra|Hawaiian|Himalayan|
    Made in USA|Made in Italy|Made in Germany|Made in Japan|USA|Italy|Germany|Japan|China|Sri Lanka|
    Honduras|Nicaragua|Rwanda|Tanzania|Assam|Darjeeling|Nepal|Taiwan|Portugal|Jamaica"""
)

GENDERS_OWN = words("Men's|Women's|Boys'|Girls'|Boy's|Girl's|Mens|Womens|Ladies|Ladies'|Unisex")
GENDERS = words("Men|Women|Boys|Girls|Unisex|Male|Female|Lady|Man|Woman|Boy|Girl")
AGES = words(
    """Kids|Kid's|Kids'|Baby|Babies|Infant|Infants|Toddler|Toddlers|Toddler's|Little Kid|Big Kid|
    Children|Children's|Child|Teen|Teens|Youth|Junior|Adult|Adults|Senior|Newborn|Ages 3+|Ages 2-4|
    Age 6 and Up|3-6 Months|0-3 Months|12-24 Months|5-7 Years|Ages 8-12|6+ Months|Over 50|50+|
    Kids and Adults|Adults and Teens|Women and Men|2 Years and Up|18 Months+"""
)

SPORTS = words(
    """Running|Walking|Hiking|Tennis|Basketball|Soccer|Football|Baseball|Golf|Cycling|Swimming|
    Skiing|Snowboarding|Skateboarding|Skating|Yoga|Pilates|Gym|Fitness|Crossfit|Boxing|Climbing|
    Camping|Fishing|Hunting|Surfing|Sailing|Kayaking|Diving|Volleyball|Badminton|Table Tennis|
    Cricket|Rugby|Hockey|Lacrosse|Wrestling|Training|Trail Running|Motorcycle|Motocross|Equestrian|
    Cross Training|Track and Field|Bowling|Softball|Dance|Cheer|Triathlon|Mountain Bike|Racing"""
)

SEASONS = words("Spring|Summer|Autumn|Winter|Fall|Four Seasons|All Season|Spring/Summer")
PATTERNS = words(
    """Solid|Striped|Stripes|Plaid|Floral|Print|Printed|Polka Dot|Dot|Geometric|Camouflage|Checked|
    Checkered|Leopard|Animal Print|Paisley|Tie Dye|Abstract|Patchwork|Letter|Embroidery|Cartoon|
    Herringbone|Houndstooth|Tropical|Color Block|Argyle|Damask|Chevron|Marble|Skull|Flower"""
)
STYLES = words(
    """
        Casual|Modern|Vintage|Classic|Retro|Sexy|Formal|Sporty|Bohemian|Fashion|Contemporary|
        Traditional|Rustic|Industrial|Minimalist|Preppy|Punk|Gothic|Street|Hip Hop|Business|
        Korean Style|Farmhouse|Mid-Century|Slim Fit|Regular Fit|Loose|Relaxed Fit|Athletic Fit|
        Skinny|Oversized
        """
)
SHAPES = words(
    """Round|Square|Rectangular|Oval|Half Round|Triangle|Heart|Star|Hexagon|Cube|Cylinder|Curved|
    L-Shaped|U-Shaped|Flat|Octagonal|Tapered|Teardrop"""
)
POWER = words(
    """Battery Powered|Battery|Rechargeable|USB Rechargeable|Corded Electric|Electric|Solar|Solar
    Powered|Manual|Gas|Propane|AA Battery|Lithium Ion|Cordless|Hand Powered|Plug-In|Butane"""
)
CLAIMS = words(
    """Organic|Certified Organic|USDA Organic|Natural|All Natural|100% Natural|Gluten Free|Gluten-
    Free|Sugar Free|Sugar-Free|No Sugar Added|Unsweetened|Vegan|Vegetarian|Kosher|Halal|Non-GMO|Non
    GMO|Dairy Free|Soy Free|Nut Free|Fat Free|Low Fat|Low Sodium|Low Carb|Keto|Keto Friendly|Paleo|
    Paleo Friendly|High Fiber|High Protein|Whole Grain|Fair Trade|Rainforest Alliance Certified|
    Artificial Flavor Free|No Preservatives|Preservative Free|Cruelty Free|Cruelty-Free|Paraben
    Free|Sulfate Free|Sulfate-Free|Fragrance Free|Fragrance-Free|Unscented|Hypoallergenic|Oil Free|
    Oil-Free|Alcohol Free|Dye Free|Biodegradable|Eco-Friendly|Eco Friendly|Plant Based|Plant-Based|
    Non-Toxic|BPA Free|BPA-Free|Phosphate Free|Dermatologist Tested|Dermatologist Recommended|Reef
    Safe|Reef Friendly|Non-Greasy|Broad Spectrum|Concentrated|Ultra Concentrated|Premium|Gourmet|
    Artisan|Handmade|Extra Strength|Maximum Strength|Long Lasting|Fast Acting|Tear Free|Silicone
    Free|Mineral Oil Free|Chemical Free|Color Safe|Kosher Certified|Zero Calorie|Caffeine Free"""
)
FEATURES = words(
    """Waterproof|Water Resistant|Windproof|Breathable|Quick Dry|Quick-Dry|Moisture Wicking|Anti-
    Slip|Non-Slip|Non Slip|Anti-Fog|UV Protection|Polarized|Adjustable|Foldable|Folding|Portable|
    Lightweight|Ultralight|Heavy Duty|Heavy-Duty|Durable|Reusable|Washable|Machine Washable|
    Disposable|Dishwasher Safe|Microwave Safe|Oven Safe|Leakproof|Leak Proof|Spill Proof|
    Shockproof|Scratch Resistant|Stain Resistant|Rust Proof|Wireless|Rechargeable|Noise Cancelling|
    Touch Screen|Dimmable|Self-Adhesive|Magnetic|Retractable|Telescopic|Extendable|Stackable|Quiet|
    Energy Saving|Insulated|Double Wall|Padded|Elastic|Stretch|Removable|Detachable|Reversible|
    Wrinkle Free|Anti-Bacterial|Antimicrobial|Odor Resistant|Fire Resistant|Fade Resistant|Auto
    Shut Off|Remote Control|Voice Control|Multifunctional|Ergonomic|Slip Resistant|High Waist|Push
    Up|Plus Size|Hooded|Sleeveless|Long Sleeve|Short Sleeve|With Pockets|Zippered|Hands Free"""
)
FILLERS = words(
    """New|Hot|Hot Sale|New Arrival|Free Shipping|High Quality|Top Quality|Wholesale|2017|2018|2019|
    2020|2021|2022|Brand New|Original|Official|Best|Best Seller|Sale|Drop Shipping|Dropshipping|For
    Sale|Gift|Great Gift|Perfect Gift|Cheap|Fashion|Genuine|Professional|Cool|Beautiful|Cute|
    Lovely|Popular|Premium Quality|Limited Edition|Exclusive|In Stock|Fast Delivery|100%
    New|Luxury|Creative|Universal|Nice|Great Value"""
)
PLACES_OF_USE = words(
    """Home|Office|Kitchen|Bathroom|Bedroom|Garden|Outdoor|Indoor|Travel|Car|School|Party|Wedding|
    Camping|Beach|Work|Gym|Garage|Patio|Living Room|Dorm|Hotel|Restaurant|Nursery|RV|Balcony"""
)

# Words that are a part of the value behind them ...
QUALITIES = words(
    """
        Tender|Sweet|Smooth|Rich|Bold|Warm|Soft|Hard|Deep|Creamy|Crunchy|Crispy|Iced|Frozen|Sparkling|
        Roasted|Toasted|Smoked|Spiced|Whipped|Silky|Maxi|Intense|Holiday|Island|Sunset|Sunrise|
        Morning|Evening|Southern|Northern|Overnight|Cold|Dry|Hydro|Turbo|Bio|Eco|Power|Comfort|
        Vital|Active|Anti|Multi|Double|Triple|Wet|Tall|Slim|Thick|Thin|Crushed|Aged|Sour|Salted|Zesty
        """
)
# ... and words of praise, which are a part of none.
PRAISE = words(
    """
        Classic|Extra|Advanced|Natural|Deluxe|Daily|Instant|Simple|Real|Cool|Hot|Light|Full|
        Quick|Easy|Safe|Strong|Total|Complete|Perfect|Special|Original|Traditional|Modern|Organic|
        Essential|Balanced|Professional|Everyday|All-Day|High|Extreme|Performance|Mega|Superior|
        Reliable|Amazing|Excellent|Improved|Favorite|Finest|Fantastic|Stunning|Unique|Practical|
        Convenient|Affordable|Delightful|Authentic|Trusted|Proven
        """
)
