"""The sums below the lines of an invoice or an order, from the net amount to the total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recipe.documents.trade.columns import right
from recipe.facts import Fact, Record, World

RATES = {
    "en": (20, 20, 8.25, 10, 5, 7), "de": (19, 19, 7, 20), "fr": (20, 20, 10, 5.5), "es": (21,
        21, 10),
    "it": (22, 22, 10), "pt": (23, 23, 6), "nl": (21, 21, 9),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sums:
    """Amounts that fit each other; which of them are in the total is as the wording counts them."""

    subtotal: float
    discount: Fact
    shipping: Fact
    rate: float
    """Of the tax, in percent."""
    tax: Fact
    total: float

    def facts(self, world: World) -> Mapping[str, Any]:
        """The amounts by name, as they stand in a column."""
        return {
            "subtotal": right(world.money(value=self.subtotal), 12),
            "discount": right(self.discount, 12),
            "shipping": right(self.shipping, 12),
            "vat": tax_rate(world, self.rate),
            "tax": right(self.tax, 12),
            "total": right(world.money(value=self.total), 12),
        }


def drawn_sums(
    world: World, lines: Sequence[Record], amounts: tuple[int, int], freight: tuple[int, int]
) -> Sums:
    """The sums of ``lines``.

    Args:
        world: where chance comes from.
        lines: each has an ``amount``.
        amounts: the least and the greatest net amount where there are no lines.
        freight: the least and the greatest cost of shipping.
    """
    subtotal = sum(line.amount.value for line in lines) or world.rng.randint(*amounts)
    discount = world.money(value=max(1, subtotal * world.pick(0.02, 0.05, 0.1)))
    shipping = world.money(*freight)
    rate = world.pick(*RATES[world.language])
    net = subtotal
    if world.count("discount", 0, 0):
        net -= discount.value
    if world.count("shipping", 0, 0):
        net += shipping.value
    tax = world.money(value=net * rate / 100)
    total = net if world.count("untaxed", 0, 0) else net + tax.value
    return Sums(subtotal, discount, shipping, rate, tax, total)


def tax_rate(world: World, rate: float) -> Fact:
    """The rate of a tax in percent, with as many decimals as it needs."""
    decimals = len(f"{rate:g}".partition(".")[2])
    return world.percent(rate, rate, decimals)
