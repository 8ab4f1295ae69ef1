"""Made-up listings for timing, if the user has no documents."""

from __future__ import annotations

import random

from hpd.bench.workload import Item, Workload
from hpd.schema import load_schemas

N_DOCUMENTS = 128
_N_WARM_UP = 2

_SENTENCES = {
    "Brand": ("Made by {}.", ("Alder", "Bramwell", "Corvo", "Estrella", "Fenwick", "Juniper")),
    "Product type": ("This is a {} that lasts.", ("backpack", "kettle", "lantern", "grinder")),
    "Color": ("The one shown is {}.", ("charcoal grey", "forest green", "navy", "off-white")),
    "Material": ("The body is {}.", ("ripstop nylon", "stainless steel", "waxed canvas")),
    "Weight": ("All in all it weighs {}.", ("0.8 kg", "1.4 kg", "2.3 kg", "650 g", "900 g")),
    "Capacity": ("It holds {} with ease.", ("2 liters", "18 liters", "0.75 liters", "40 liters")),
    "Warranty": ("It comes with a {} warranty.", ("two-year", "lifetime", "five-year", "90-day")),
    "Country of origin": ("Finished by hand in {}.", ("Portugal", "Vietnam", "Poland", "Japan")),
    "Model number": ("The label says {}.", ("KL-110", "TR-207", "XQ-498", "KQ-692", "TL-886")),
    "Closure": ("It shuts with a {}.", ("zipper", "roll-top", "magnetic snap", "screw cap")),
}
_FILLERS = (
    "We tested it for months, and it came back nearly new.",
    "Shipping takes a few days, and the box fits most parcel lockers.",
    "There is nothing to put together, and no tool is needed at any time.",
    "If something is not as you hoped, write to us and a person will answer.",
    "The edges are rounded, the seams are straight, and nothing rattles on the way.",
    "It stands on its own, packs flat, and does not mind being forgotten in a corner.",
    "We keep spare parts for everything that we sell, and are glad to send them.",
    "What you see on your screen may look different in daylight.",
)


def catalogue() -> Workload:
    """Listings of about 120 tokens that state half of the attributes; always the same."""
    rng = random.Random(0)
    items = [Item(str(n), _listing(rng), None) for n in range(1, N_DOCUMENTS + _N_WARM_UP + 1)]
    return Workload(
        "made-up listings",
        load_schemas(list(_SENTENCES)),
        tuple(items[:N_DOCUMENTS]),
        tuple(items[N_DOCUMENTS:]),
        is_replay=False,
    )


def _listing(rng: random.Random) -> str:
    stated = rng.sample(sorted(_SENTENCES), len(_SENTENCES) // 2)
    sentences = [_SENTENCES[name][0].format(rng.choice(_SENTENCES[name][1])) for name in stated]
    sentences += rng.sample(_FILLERS, 4)
    rng.shuffle(sentences)
    return " ".join(sentences)
