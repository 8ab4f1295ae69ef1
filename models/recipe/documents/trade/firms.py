"""Firms that sell to each other."""

from __future__ import annotations

from recipe.documents.trade.codes import BIC, IBAN
from recipe.facts import Record, World

BANKS = (
    "Harbour & Mill Bank|First Prairie Bank|Sparkasse Nordtal|Volksbank Auental|"
    "Banque du Littoral|Crédit Rural de l'Ouest|Caja del Sureste|Banca di Valverde|"
    "Banco do Planalto|Polderbank"
)


def drawn_firm(world: World) -> Record:
    """A company with its address, its contacts, and the numbers of its tax and bank."""
    address, person = world.address(), world.person()
    return Record(
        name=world.company(),
        street=address.street,
        postcode=address.postcode,
        city=address.city,
        country=address.country,
        contact=person.name,
        email=person.email,
        phone=person.phone,
        url=world.url(),
        vat_id=world.code("GB%########|DE%########|FR%#%########|ESB%#######|NL%########B0%"),
        iban=world.code(IBAN),
        bic=world.code(BIC),
        bank=world.one_of(BANKS),
    )
