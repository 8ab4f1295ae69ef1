"""Facts as they stand in the columns of a printed table."""

from __future__ import annotations

from recipe.facts import Fact, Form, Record, World


def left(fact: Fact, width: int) -> Fact:
    """A text with the form ``wide``, which is filled up with spaces on its right."""
    plain = fact.written
    return Fact(fact.value, plain, wide=Form(plain.text.ljust(width), plain.states))


def right(fact: Fact, width: int) -> Fact:
    """An amount with the form ``wide``, which is filled up with spaces on its left."""

    def loose(bound: Form) -> Form:
        # A form of a fact that has no place yet is bound to the empty path.
        return Form(
            bound.text, {path.removeprefix("."): state for path, state in bound.states.items()}
        )

    plain = loose(fact.number)
    return Fact(
        fact.value,
        loose(fact.written),
        wide=Form(plain.text.rjust(width), plain.states),
        number=plain,
        code=loose(fact.code),
        round=loose(fact.round),
        sign=loose(fact.sign),
        iso=loose(fact.iso),
    )


def line(
    world: World,
    name: Fact,
    quantity: Fact,
    price: Fact,
    widths: tuple[int, int, int] = (32, 10, 12),
) -> Record:
    """A line of a bill, with its amount; ``widths`` are those of name, price and amount."""
    amount = world.money(value=quantity.value * price.value)
    return Record(
        name=left(name, widths[0]),
        quantity=quantity,
        price=right(price, widths[1]),
        amount=right(amount, widths[2]),
    )
