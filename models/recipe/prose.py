"""Sentences around the values: bullet points, descriptions, asides, words of other languages."""

from __future__ import annotations

from random import Random

from recipe.category import Category
from recipe.lists import words
from recipe.names import NAMES

_SENTENCES: dict[str, tuple[str, ...]] = {
    key: words(text)
    for key, text in {
        "material": """
        Made of {}.|Made from {} for years of use.|{} construction|Crafted in {}|
        Main material: {}|The body is {}.
        """,
        "color": "Comes in {}.|COLOR: {}|Colour shown: {}|Shown in {}.|This one is {}.",
        "brand": """
        {} has been making these since 1978.|Brand: {}|Designed by {}.|
        {} quality you can trust.|From the makers at {}.
        """,
        "size": "Size: {}|Size {}.|Available in {}.|Fits size {}.",
        "dimensions": "Measures {}.|Dimensions: {}|Overall size {}|{} overall",
        "weight": "Weighs {}.|Weight: {}|Item weight: {}|Only {} in weight.",
        "feature": """
        {} design|{} and easy to use.|Feature: {}|It is {}, too.|Enjoy a {} experience.
        """,
        "claim": "{}.|Always {}.|{} formula|Proudly {}.|Our recipe is {}.",
        "voltage": "Runs on {}.|Input: {}|Rated {}.",
        "wattage": "Uses {}.|{} motor|Power: {}",
        "capacity": "Holds {}.|Capacity: {}|{} capacity",
        "upc": "UPC: {}|UPC {}|EAN: {}|Barcode {}",
        "model_number": """
        Model no.: {}|Item no. {}|Mfr. part no. {}|Part number {}.|ITEM #: {}|Ref {}
        """,
        "price": "Price: {}|Now only {}|{} each|was more, now {}",
        "warranty": "Backed by a {} warranty.|Warranty: {}|{} guarantee",
        "pack": "Sold as {}.|Package: {}|{}.",
        "net": "Contains {}.|Net: {}|Contents: {}",
        "flavor": "{} flavor|Tastes of {}.|Flavor: {}|A delicious {} taste.",
        "scent": "Smells of {}.|{} fragrance|Scent: {}",
        "benefit": "{} action|Benefit: {}|For {} results.|Helps with {}.",
        "gender": "For {}.|Gender: {}|Suitable for {}",
        "age": "For {}.|Recommended for {}.|Age: {}",
        "country": "Origin: {}|Region: {}",
        "sport": "Great for {}.|Perfect for {}|Sport: {}",
        "season": "Season: {}|Ideal for {}.",
        "power": "Power source: {}|Operation: {}",
        "style": "{} style|Style: {}|A {} look.",
        "pattern": "{} pattern|Pattern: {}",
        "use": "Ideal for the {}.|Use it in the {}.|Suits any {}.",
        "compat": "Works with {}.|Compatible with {}.|For {}",
        "type": "This {} is a must.|A {} for every day.|Our {} will not let you down.|Type: {}",
        "skin": "Suitable for {}.|Skin type: {}",
        "hair": "Made for {}.|Hair type: {}",
        "closure": "{} closure|Closure: {}",
        "finish": "{} finish|Finish: {}",
        "shape": "{} shape|Shape: {}",
        "length": "Length: {}|{} long",
        "width": "Width: {}|{} wide",
        "height": "Height: {}|{} high|{} tall",
        "depth": "Depth: {}|{} deep",
        "volume": "Volume: {}|{} bottle",
        "form": "Form: {}|Comes as {}.",
        "condition": "Condition: {}|Sold as {}.",
        "storage": "{} of storage|Storage: {}",
        "author": "Written by {}.|By {}",
        "publisher": "Published by {}.",
        "year": "First out in {}.|Year: {}",
    }.items()
}

_FILLERS = words(
    """
        Easy to clean.|Makes a great gift.|Satisfaction guaranteed.|Perfect for everyday use.|
        Ships the same day.|Please allow small differences due to manual measurement.|
        Customer service is happy to help.|A favourite of our customers.|Do not miss it!|
        Order today.|The perfect addition to your home.|Package includes everything you need.|
        Packaging may vary.|No tools required.|Comfortable all day long.|
        Simple to install in minutes.|Designed with you in mind.|Tested for quality.|
        Keep out of reach of children.|Store in a cool, dry place.|Batteries not included.|
        Read the manual before use.|Limited time offer.|You will love it or your money back.|
        Used by professionals around the world.|Saves time and money.|Stands up to heavy use.|
        Looks good anywhere.|Try it and see the difference.|Photo may show other items.|
        What are you waiting for?|Resists dents and scratches.|
        Colors may differ from screen to screen.|Free returns within 30 days.|
        One of our best sellers.|Fits most models.|Check the size chart first.|
        Thank you for visiting our shop.|Built to last.|The ideal choice for families.|
        Ready in 5 minutes.|Rated 4.5 stars.|Over 1,000 sold.
        """
)
_ASIDES = words(
    """
        Packaging May Vary|Great Gift|Free Shipping|As Seen on TV|New Look, Same Great Taste|
        FREE gift|Best Price|Top Rated|Ships Fast|Great for Home and Office|
        Perfect for the Whole Family|Limited Stock|Old Version|Discontinued by Manufacturer|
        with Gift Box|NEW|Amazon Exclusive|Assorted|Buy More Save More|Made with Love|Import|
        - US Seller|Official Store|Everyday Use|Try Me
        """
)
_FOREIGN = words(
    """
        Pesca Isca|Vara De Pesca|Hombre|Mujer|Bone Gorras|Capacete Casco|Gafas Ciclismo|Femme|
        Homme|Maillot De Bain|für Herren|Damen Kinder|Para Mujer|Feminino|Masculino|
        Ropa Deportiva|Bañador|Pêche|Шапка|Удочка|Reçel|Świeży|Příslušenství|
        Kad\u0131n|Für Küche & Bad|Déco|日本製|新款|女装|한국|
        Chaussures|Zapatillas|Tênis|Calções|Lunettes|Óculos|
        Señuelo|Köder|Vêtements|Café molido|Crème|Größe
        """
)


def sentence(key: str, text: str, rng: Random) -> str:
    """A sentence, or half of one, that states a value."""
    patterns = _SENTENCES.get(key)
    if patterns is None or rng.random() < 0.15:
        return f"{rng.choice(NAMES.get(key, (key.replace('_', ' ').capitalize(),)))}: {text}"
    return rng.choice(patterns).replace("{}", text)


def filler(rng: Random) -> str:
    """A sentence that states nothing."""
    return rng.choice(_FILLERS)


def aside(rng: Random) -> str:
    """Words of praise or warning at a title's end."""
    return rng.choice(_ASIDES)


def foreign(rng: Random) -> str:
    """Words of another language."""
    return rng.choice(_FOREIGN)


def below(said: list[str], rng: Random) -> str:
    """Bullet points or running text to stand below a title."""
    if not said:
        return ""
    bullet = rng.choice(("\n- ", "\n• ", "\n* ", "\n", " ", "\n\n", ". ", " | ", " "))
    if bullet.startswith("\n") and len(bullet) == 3:
        return bullet + bullet.join(said)
    joint = bullet if rng.random() < 0.5 else " "
    return rng.choice(("\n", "\n\n", " ", "\nDescription: ", "\n")) + joint.join(said)


def label(key: str, category: Category, rng: Random) -> str:
    """The name of a key in the first column of a table."""
    own = category.names.get(key, ())
    return rng.choice((*own, *NAMES.get(key, (key.replace("_", " ").capitalize(),))))
