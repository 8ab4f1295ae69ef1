"""Short documents of lines that are put together again each time, with typed fields.

Beside the handwritten wordings, which are as long and as irregular as documents are, these are
what somebody writes to try out an extraction: an invoice of five lines, a ticket of three.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from recipe.forms.contacts import make_contact
from recipe.forms.events import make_event
from recipe.forms.form import Form
from recipe.forms.invoices import make_invoice
from recipe.forms.jobs import make_job
from recipe.forms.news import make_news
from recipe.forms.property import make_property
from recipe.forms.records import make_record
from recipe.forms.reviews import make_review
from recipe.forms.tickets import make_ticket

KINDS: tuple[Callable[[Random], Form], ...] = (
    make_ticket,
    make_job,
    make_invoice,
    make_contact,
    make_news,
    make_event,
    make_review,
    make_record,
    make_property,
)


def make_form(rng: Random) -> Form:
    """A form of a kind that is drawn at random."""
    return rng.choice(KINDS)(rng)
