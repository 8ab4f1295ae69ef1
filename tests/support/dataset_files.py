"""A few made-up rows in the format of each data set that hpd reads."""

from jsonl import write_lines


def extractgpt(folder):
    """OA-Mine and AE-110k: titles."""
    return write_lines(
        folder / "dev.jsonl",
        {
            "input": "Veldra Women's Trail Shoe, Moss, 8 M",
            "category": "Shoes",
            "target_scores": {"Brand": {"Veldra": 1}, "Color": {"Moss": 1, "moss green": 1}},
        },
        {
            "input": "Harbor Mint Tea, 20 bags",
            "category": "Tea",
            "target_scores": {"Brand": {"Harbor ": 1}, "Caffeine": {"n/a": 1}},
        },
        {"input": "plain shoe", "category": "Shoes", "target_scores": {}},
    )


def wdc_pave(folder):
    """WDC-PAVE: titles and descriptions, ids, and where a value stands."""
    return write_lines(
        folder / "pave.jsonl",
        {
            "id": 501,
            "cluster_id": 7.0,
            "category": "Office",
            "input_title": "Inkwell Pen Set",
            "input_description": "Twelve pens, blue",
            "target_scores": {
                "Brand": {"Inkwell": {"pid": [0], "score": 1}},
                "Quantity": {
                    "Set": {"pid": [0], "score": 1}, "Twelve": {"pid": [1], "score": 1},
                },
                "Width": {"n/a": 1},
            },
            "url": "shop.example",
        },
        {
            "id": 502,
            "category": "Office",
            "input_title": "Paper",
            "input_description": None,
            "target_scores": {"Width": {"A4": {"pid": [0], "score": 1}}},
        },
    )  # fmt: skip


def amazon(folder):
    """Amazon Reviews 2023: what items of ``meta_*.jsonl`` look like, empty fields and all."""
    common = {"average_rating": 4.5, "rating_number": 12, "price": None, "images": [], "videos": []}
    return write_lines(
        folder / "meta_Tools.jsonl",
        {
            **common,
            "main_category": "Tools",
            "title": "Ferrum Claw Hammer",
            "features": ["Forged steel", " ", "16 oz head"],
            "description": ["A hammer.", "For nails."],
            "store": "Ferrum",
            "categories": ["Tools", "Hammers"],
            "details": {"Brand": "Ferrum", "Head Weight": "16 oz", "Best Sellers Rank": {"x": 1}},
            "parent_asin": "B000000001",
            "bought_together": None,
        },
        {
            **common,
            "main_category": None,
            "title": "Tape",
            "features": [],
            "description": [],
            "store": None,
            "categories": ["Tools", "Tape"],
            "details": '{"Brand": "Stik"}',
            "parent_asin": "B000000002",
            "bought_together": None,
        },
        {
            **common,
            "main_category": "Books",
            "title": "A Field Guide",
            "subtitle": "Paperback",
            "author": None,
            "features": [],
            "description": "One text.",
            "categories": [],
            "details": {},
            "parent_asin": "B000000003",
        },
    )


CONLL = """\
-DOCSTART- -X- -X- O

Ada NNP B-NP B-PER
Byron NNP I-NP I-PER
met VBD B-VP O
Charles NNP B-NP B-PER
in IN B-PP O
New NNP B-NP B-LOC
York NNP I-NP I-LOC
. . O O

Ada NNP B-NP B-PER
left VBD B-VP O

-DOCSTART- -X- -X- O

Nobody NN B-NP O
"""


def conll(folder):
    """CoNLL-2003: four columns, BIO."""
    path = folder / "train.conll"
    path.write_text(CONLL)
    return path
