"""Food, drink and what is taken like food."""

from __future__ import annotations

from recipe.category import category

_FOOD_TITLES = """
{brand} [{line} ][{claim} ]{flavor} {type}[, {form}], {net}[ ({pack})]
{brand} {type}, {flavor}[, {claim}], {net}[ ({pack})]
{brand} [{claim}, ]{flavor} {type} ({net})[ - {pack}]
{brand} {claim} {type} {flavor}[, {net}], {pack}
{flavor} {type} by {brand}[, {claim}][ - {net}]
{brand} - {type} - {flavor} - {net}[ - {claim}]
{brand} {line} {type} - {flavor}, {net} {container}[, {pack}]
"""

CATEGORIES = (
    category(
        "Tea",
        {
            "type": """
        Tea|Herbal Tea|Black Tea|Green Tea|White Tea|Oolong Tea|Rooibos Tea|Iced Tea|Chai Tea
        """,
            "variety": """
        Black|Green|White|Oolong|Herbal|Rooibos|Earl Grey|English Breakfast|Irish Breakfast|
        Darjeeling|Assam|Ceylon|Jasmine|Matcha|Sencha|Genmaicha|Pu-erh|Lapsang Souchong|Chai|
        Honeybush|Yerba Mate|Chamomile|Lady Grey|Gunpowder|Keemun|Masala Chai|Black Tea|
        Green Tea|White Tea|Herbal Tea|Oolong Tea|Orange Pekoe|Breakfast Tea|Kombucha|Hojicha|
        Silver Needle|Milk Oolong|Rooibos
        """,
            "flavor": """
        @fruit|@spice|@flower|@fruit @spice|@fruit @flower|@spice @spice|Honey @fruit|
        @flower Mint|Mulled Spice|Peach Ginger|Bedtime Blend|Morning Blend|Sleepytime|Detox|
        Throat Comfort|Original|@fruit & @spice|Sweet @fruit|Wild @fruit|Spiced @fruit|
        @fruit @fruit|Moroccan Mint
        """,
            "form": """
        Tea Bags|Loose Leaf|Loose|Bags|Bagged|Pyramid Sachets|Sachets|K-Cup Pods|Powder|Instant|
        Bulk|Tea Bag|Full Leaf|Wrapped Tea Bags|Pods|Concentrate|Liquid Concentrate|Capsules|
        Whole Leaf
        """,
            "net": """
        @count|@count|@weight|@weight|@weight @container|@n Tea Bags|@count|@weight Bag
        """,
            "claim": "@claim",
            "caffeine": """
        Caffeine Free|Decaffeinated|Decaf|Caffeinated|Naturally Caffeine Free|Low Caffeine|
        High Caffeine|Caffeine-Free|Moderate Caffeine
        """,
            "country": "@country",
            "machine": """
        Keurig|Keurig K-Cup Brewers|K-Cup|Nespresso|Single Serve Brewers|Keurig 2.0
        """,
            "container": "@container",
        },
        """
        {brand} [{claim} ]{flavor} [{caffeine} ]{variety} {form}[, {net}][ ({pack})]
        {brand} {variety} {form}, [{flavor}, ][{claim}, ]{net}[ ({pack})]
        {brand} [{caffeine} ]Tea, {flavor}[, {form}], {net}[ ({pack})]
        {brand} {country} {variety} Tea, [{claim}, ]{form}, {net}
        {brand} {claim} {variety} Tea - {flavor}[ - {net}][, {pack}]
        {brand} {flavor} {form} for {machine}, {net}[ ({pack})]
        {brand} Tea {form}, {country} {variety}, {net} {container}
        {claim} {flavor} {variety} Tea [{form} ]({net}) by {brand}
        {brand}, Tea {variety} {caffeine}, {net}[, {pack}]
        """,
        {
            "variety": """
        Tea variety|Tea variety|Kind of tea|Variety
        """,
            "caffeine": """
        Caffeine content|Caffeine
        """,
        },
    ),
    category(
        "Coffee",
        {
            "type": """
        Coffee|Ground Coffee|Whole Bean Coffee|Instant Coffee|Cold Brew Coffee|Coffee Pods
        """,
            "flavor": """
        @spice|@spice @spice|House Blend|Breakfast Blend|Donut Shop|Colombian|French Vanilla|
        Hazelnut|Caramel Macchiato|Espresso|Original|Classic Blend|Pumpkin Spice|Mocha|
        Italian Blend|Vanilla @spice|Morning Blend|Signature Blend|Cinnamon Roll|Coconut Mocha|
        Toasted @spice|Holiday Blend|Sumatra Blend|Cappuccino
        """,
            "roast": """
        Dark Roast|Medium Roast|Light Roast|French Roast|Italian Roast|Medium-Dark Roast|
        Espresso Roast|Extra Dark Roast|Medium Dark|Blonde Roast|Dark|Medium|City Roast|
        Full City Roast|Vienna Roast
        """,
            "form": """
        Ground Coffee|Ground|Whole Bean|Whole Bean Coffee|K-Cup Pods|Instant|Instant Coffee|
        Capsules|Pods|Single Serve Cups|K-Cups|Cold Brew|Green Beans|Concentrate|Coffee Pods|
        Coffee Beans|Single-Serve Pods
        """,
            "net": "@weight|@weight|@weight @container|@count|@count|@n Pods|@n K-Cups",
            "claim": "@claim",
            "caffeine": """
        Decaf|Decaffeinated|Half Caff|Swiss Water Decaf|High Caffeine|Caffeinated|Extra Caffeine
        """,
            "country": "@country",
            "machine": """
        Keurig|Keurig K-Cup Brewers|Nespresso|Nespresso OriginalLine|Keurig Brewers|
        Espresso Machines|Keurig Coffee Makers|French Press|Dolce Gusto|K-Cup Machines|Tassimo
        """,
            "container": "@container",
        },
        """
        {brand} {flavor} [{caffeine} ][{roast} ]{form}[, {net}][ ({pack})]
        {brand} {roast} {form}, {flavor}, {net}[ ({pack})]
        {brand} {form}, {roast}, {net}[ ({pack})]
        {brand} [{claim} ]{country} {form}[, {roast}], {net} {container}
        {brand} {flavor} {form} for {machine}, {roast}, {net}
        {brand} {line}, {roast} {form}, {net}[, {pack}]
        {brand} {claim} Coffee, {flavor} {caffeine}, {roast}, {form}, {net}[ ({pack})]
        """,
        {"roast": "Roast type|Roast level|Roast", "caffeine": "Caffeine content|Caffeine"},
    ),
    category(
        "Breakfast Cereal",
        {
            "type": """
        Cereal|Oatmeal|Granola|Muesli|Hot Cereal|Corn Flakes|Bran Flakes|Puffed Rice|Grits|
        Steel Cut Oats|Rolled Oats|Instant Oatmeal|Shredded Wheat|Porridge|Whole Grain Oats|
        Crispy Rice Cereal|Cold Cereal|Breakfast Cereal|Cream of Wheat|Bran Cereal|
        Granola Clusters|Overnight Oats
        """,
            "flavor": """
        @fruit|@spice|@fruit @spice|@spice @spice|Honey Nut|Maple Brown Sugar|@fruit & Cream|
        Apples & Cinnamon|Frosted|Original|Berry Crunch|Cinnamon Crunch|Mixed Berry|
        Honey Almond|@fruit Almond
        """,
            "net": "@weight|@weight|@weight Box|@weight @container|@count|@n Packets",
            "claim": "@claim|Heart Healthy|Multi-Grain|Ancient Grain|Excellent Source of Fiber",
            "container": "@container",
        },
        _FOOD_TITLES,
        {"type": "Cereal type|Kind of cereal", "line": "Sub brand|Sub-brand"},
    ),
    category(
        "Snacks",
        {
            "type": """
        Potato Chips|Tortilla Chips|Popcorn|Pretzels|Crackers|Trail Mix|Granola Bars|
        Protein Bars|Rice Cakes|Beef Jerky|Mixed Nuts|Fruit Snacks|Cookies|Pita Chips|
        Cheese Puffs|Almonds|Cashews|Sunflower Seeds|Veggie Straws|Energy Bars|Snack Bars|
        Peanuts|Seaweed Snacks|Biscotti|Dried Fruit
        """,
            "flavor": """
        Sea Salt|Barbecue|BBQ|Sour Cream & Onion|Cheddar|White Cheddar|Salt & Vinegar|Jalapeno|
        @spice|@fruit|Teriyaki|Honey Mustard|Ranch|Nacho Cheese|Original|Sweet Chili|
        @spice @spice|Spicy Dill|Buffalo
        """,
            "net": "@weight|@weight @container|@count|@weight Bags",
            "claim": "@claim",
            "form": "Bars|Bites|Sticks|Chips|Clusters|Rings|Slices|Mini|Crisps|Thins",
            "container": "@container",
        },
        _FOOD_TITLES,
        {"type": "Snack type"},
    ),
    category(
        "Chocolate & Candy",
        {
            "type": """
        Chocolate Bar|Gummy Bears|Hard Candy|Lollipops|Truffles|Caramels|Licorice|Chewing Gum|
        Mints|Jelly Beans|Fudge|Marshmallows|Chocolate Chips|Taffy|Candy Canes|Bonbons|Toffee
        """,
            "flavor": """
        @spice|@fruit|Sour @fruit|@fruit @fruit|Assorted|Dark @spice|@spice Crunch|
        Sea Salt @spice
        """,
            "net": "@weight|@weight|@count|@weight @container",
            "claim": "@claim|72% Cocoa|85% Cacao|Single Origin",
            "container": "Gift Box|@container",
            "country": "@country",
        },
        _FOOD_TITLES
        + """
        {brand} {country} {type}, {flavor}, {net}
        """,
        {"type": "Candy type"},
    ),
    category(
        "Sauces & Condiments",
        {
            "type": """
        Pasta Sauce|Hot Sauce|Ketchup|Mustard|Mayonnaise|Soy Sauce|Salsa|BBQ Sauce|
        Salad Dressing|Olive Oil|Balsamic Vinegar|Maple Syrup|Honey|Jam|Peanut Butter|
        Almond Butter|Curry Paste|Pesto|Relish|Hummus|Syrup
        """,
            "flavor": """
        Garlic|Roasted Garlic|@spice|@fruit|Spicy|Mild|Medium|Extra Hot|Smoky|Basil|
        Tomato Basil|Sweet @fruit|Chipotle|Habanero|Creamy|Crunchy|Extra Virgin|Dijon|Original
        """,
            "net": "@weight|@volume|@volume @container|@weight @container",
            "claim": "@claim",
            "container": "Glass Bottle|Squeeze Bottle|@container",
            "country": "@country",
        },
        _FOOD_TITLES,
    ),
    category(
        "Drinks",
        {
            "type": """
        Sparkling Water|Energy Drink|Orange Juice|Sports Drink|Coconut Water|Lemonade|Soda|
        Ginger Ale|Root Beer|Almond Milk|Oat Milk|Protein Shake|Drink Mix|Kombucha|Apple Cider|
        Tomato Juice|Smoothie|Cola|Tonic Water
        """,
            "flavor": """
        @fruit|@fruit @fruit|@spice|Tropical @fruit|Original|Unflavored|@fruit Blast|Iced @fruit
        """,
            "net": "@volume|@volume @container|@volume Cans|@count",
            "claim": "@claim|Zero Sugar|Diet|Electrolytes",
            "form": "Powder|Ready to Drink|Concentrate|Liquid|Tablets|Sticks",
            "container": "@container|Glass Bottles|Slim Cans",
        },
        _FOOD_TITLES,
        {"net": "Volume|Net content"},
    ),
    category(
        "Vitamins & Supplements",
        {
            "type": """
        Vitamin C|Vitamin D3|Vitamin B12|Vitamin B Complex|Vitamin E|Vitamin A|Vitamin K2|
        Multivitamin|Biotin|Zinc|Magnesium|Magnesium Citrate|Calcium|Iron|Folic Acid|Omega-3|
        Fish Oil|Probiotic|Probiotics|Collagen|Collagen Peptides|Turmeric Curcumin|Melatonin|
        Ashwagandha|Elderberry|CoQ10|Glucosamine|Prenatal Vitamin|Whey Protein|Creatine|
        L-Theanine|Niacin|Potassium|Selenium|Ginseng|Echinacea|Milk Thistle|Saw Palmetto|
        Spirulina|Apple Cider Vinegar|Prebiotic Fiber|Psyllium Husk|Lutein|Resveratrol|
        Multivitamins|Beta Carotene|Vitamin D|Vitamin B6
        """,
            "benefit": """
        Immune Support|Immune System Support|Bone Health|Joint Health|Joint Support|
        Heart Health|Brain Health|Energy Support|Energy|Sleep Support|Sleep Aid|
        Hair, Skin & Nails|Hair Skin and Nails|Digestive Health|Digestive Support|Stress Relief|
        Mood Support|Eye Health|Weight Management|Muscle Recovery|Prostate Health|
        Memory & Focus|Antioxidant Support|Cardiovascular Health|Thyroid Support|Liver Support|
        Nervous System Support|Metabolism Support|Healthy Aging|Urinary Tract Health|
        Immune Health|Bone and Joint Support
        """,
            "form": """
        Capsules|Tablets|Softgels|Gummies|Veggie Capsules|Vegetable Capsules|
        Vegetarian Capsules|Chewable Tablets|Chewables|Liquid|Powder|Drops|Liquid Drops|Caplets|
        Lozenges|Spray|Gummy|Soft Gels|Sublingual Tablets|Effervescent Tablets|Vcaps|
        Veg Capsules|Chewable|Liquid Formula|Tincture|Packets|Coated Caplets|Pills
        """,
            "flavor": """
        @fruit|Natural @fruit Flavor|@fruit Flavor|@spice|@fruit & @fruit|Assorted Fruit|
        Unflavored|@fruit Flavored
        """,
            "dosage": "@dosage|@dosage|@dosage Per Serving",
            "net": "@count|@count|@n Capsules|@n Tablets|@n Softgels|@n Gummies|@volume|@weight",
            "diet": """
        Vegan|Vegetarian|Gluten Free|Gluten-Free|Non-GMO|Non GMO|Kosher|Dairy Free|Sugar Free|
        Paleo|Keto|Halal|Vegan & Vegetarian|Plant Based
        """,
            "claim": """
        @claim|High Potency|Maximum Strength|Extra Strength|Time Release|Lab Tested|
        Easy to Swallow|Fast Acting
        """,
            "supply": "@supply",
            "gender": "Men's|Women's|Men|Women|Womens|Mens",
            "age": "@age|50+|Kids|Adults|Adults 50+|Over 50",
            "admin": "Oral|Sublingual|Topical|Chewable|Dissolvable|Under the Tongue",
        },
        """
        {brand} {type} {dosage}[, {benefit}], {net}
        {brand} {type} {form}, {dosage}, [{flavor}, ]{net}[ ({pack})]
        {brand} [{age} ]{type} {form} - {benefit}[, {diet}][ - {supply}] - {net}
        {brand} {gender} {type} {form}[, {benefit}][, {diet}], {net}
        {type} {dosage} - {claim} - {benefit} - {net} by {brand}
        {brand} {line} {type}, {form}, {flavor}, {net}[, {supply}]
        {brand}, {type}, {dosage}, {net}
        {brand} - {type} [{admin} ]{form} - [{claim}, {diet} - ]{net}[ ({pack})]
        {type} for {age}, [{flavor}, ][{claim}, ]{form}, {net}, {brand}
        {brand} {claim} {type} {dosage} {form}[ for {benefit}], {supply}, {net}
        """,
        {
            "type": "Supplement type|Supplement type|Ingredient|Active ingredient",
            "benefit": "Health benefit|Benefit|Supports",
            "diet": "Diet|Diet type|Dietary preference",
            "admin": "Administration type|Route of administration",
        },
    ),
    category(
        "Pet Food",
        {
            "type": """
        Dry Dog Food|Wet Cat Food|Dog Treats|Cat Treats|Puppy Food|Kitten Food|Bird Seed|
        Fish Food|Dental Chews|Dry Cat Food|Canned Dog Food|Dog Biscuits|Rabbit Pellets|Catnip|
        Training Treats|Rawhide Bones
        """,
            "flavor": """
        Chicken|Chicken & Rice|Beef|Salmon|Lamb & Rice|Turkey|Duck|Tuna|Peanut Butter|Bacon|
        Venison & Potato|Beef & Vegetables|Ocean Fish|Chicken and Brown Rice|Liver|
        Sweet Potato & Salmon
        """,
            "claim": """
        Grain Free|Grain-Free|@claim|High Protein|Limited Ingredient|Sensitive Stomach|
        Weight Control|Indoor
        """,
            "age": "Puppy|Adult|Senior|Kitten|All Life Stages|Adult 7+|Small Breed Adult",
            "animal": """
        Dogs|Cats|Large Breed|Small Breeds|Puppies|Kittens|Birds|Rabbits|Hamsters|Small Animals
        """,
            "net": "@weight|@weight @container|@count|@n lb Bag",
        },
        """
        {brand} [{age} ]{type}, {flavor}[, {claim}], {net}[ ({pack})]
        {brand} {claim} {flavor} {type} for {animal}, {net}
        {brand} {line} {flavor} Recipe {age} {type}, {net}
        {type} for {animal} by {brand}, {flavor} Flavor, {net}
        """,
        {"animal": "Animal|Pet type|Breed"},
    ),
)
