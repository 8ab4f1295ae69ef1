"""The source of facts for one document: a locale, its habits of writing, and a random generator."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, TypeVar

from babel import Locale
from babel.dates import format_date
from babel.numbers import format_decimal
from faker import Faker

from recipe.facts.fact import UNCLEAR, Fact, Form, Record, Statement, form

T = TypeVar("T")

LOCALES = {
    "en": ("en_US", "en_US", "en_US", "en_GB", "en_GB", "en_CA", "en_AU", "en_IE", "en_IN"),
    "de": ("de_DE", "de_DE", "de_AT", "de_CH"),
    "fr": ("fr_FR", "fr_FR", "fr_CA", "fr_CH", "fr_BE"),
    "es": ("es_ES", "es_ES", "es_MX", "es_AR", "es_CO"),
    "it": ("it_IT",),
    "pt": ("pt_BR", "pt_PT"),
    "nl": ("nl_NL", "nl_NL", "nl_BE"),
}
_CURRENCIES = {
    "US": "USD", "GB": "GBP", "CA": "CAD", "AU": "AUD", "IN": "INR", "CH": "CHF", "MX": "MXN",
    "AR": "ARS", "CO": "COP", "BR": "BRL",
}  # fmt: skip
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "INR": "₹", "BRL": "R$"}
_LONG_DATES = {
    "en_US": ("MMMM d, y", "MMM d, y", "d MMMM y"),
    "en": ("d MMMM y", "d MMM y", "MMMM d, y", "dd MMM y"),
    "de": ("d. MMMM y", "d. MMM y", "d. MMMM y"),
    "fr": ("d MMMM y", "d MMM y"),
    "es": ("d 'de' MMMM 'de' y", "d MMM y"),
    "it": ("d MMMM y", "d MMM y"),
    "pt": ("d 'de' MMMM 'de' y", "d 'de' MMM 'de' y"),
    "nl": ("d MMMM y", "d MMM y"),
}
_SHORT_DATES = {
    "en_US": "MM/dd/y",
    "en_CA": "y-MM-dd",
    "de": "dd.MM.y",
    "nl": "dd-MM-y",
}


@cache
def _faker(locale: str) -> Any:
    fake = Faker(locale)
    if locale == "it_IT":
        # Faker has these towns out of a set, whose order is another one in each process.
        (places,) = (each for each in fake.get_providers() if hasattr(each, "cities"))
        places.cities = sorted(places.cities)
    return fake


@cache
def _locale(name: str) -> Locale:
    return Locale.parse(name)


class World:
    """Draws the facts of one document.

    Each document keeps to one locale, one currency and one way to write amounts, dates and
    times; now and then a person, a company or an address comes from another country.
    """

    def __init__(
        self,
        rng: Random,
        language: str = "en",
        locale: str = "",
        counts: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        self.rng = rng
        self.language = language
        self.locale = locale or rng.choice(LOCALES[language])
        self.counts = counts or {}
        self.currency = _CURRENCIES.get(self.locale[3:], "EUR")
        if rng.random() < 0.15:
            self.currency = rng.choice(("EUR", "USD", "GBP", "CHF", "SEK", "PLN", "JPY", "DKK"))
        signs = self.currency in _SIGNS
        first = language == "en" or self.locale in ("pt_BR", "de_CH", "nl_NL")
        self._money_style = rng.choice(
            ("sign", "sign", "code") if signs else ("code",)
        ) + rng.choice(("_first", "_first", "_last") if first else ("_first", "_last", "_last"))
        self._grouped = rng.random() < 0.75
        self._long_date = rng.choice(_LONG_DATES.get(self.locale) or _LONG_DATES[language])
        self._short_date = _SHORT_DATES.get(self.locale) or _SHORT_DATES.get(language, "dd/MM/y")
        self._date_style = rng.choice(("long", "long", "short", "iso"))
        self._twelve_hours = language == "en" and rng.random() < 0.6

    # Choices

    def pick(self, *options: T) -> T:
        """One of several things, at random."""
        return self.rng.choice(options)

    def one_of(self, options: str | Sequence[str]) -> Fact:
        """One word or phrase of a list, which may be written with bars: ``"red|blue|green"``."""
        return self.text(self.rng.choice(_split(options)))

    def some(
        self, options: str | Sequence[str], least: int, most: int, name: str = ""
    ) -> list[Fact]:
        """Several different words or phrases; ``name`` lets a wording say how many."""
        pool = _split(options)
        number = min(self.count(name, least, most), len(pool))
        return [self.text(word) for word in self.rng.sample(pool, number)]

    def count(self, name: str, least: int, most: int) -> int:
        """The number of items of the list of that name, which a wording may limit."""
        return self.rng.randint(*self.counts.get(name, (least, most)))

    # Texts and codes

    def text(self, words: str) -> Fact:
        """A word or phrase that is copied as it is written."""
        return Fact(words, form(words, words))

    def code(self, *patterns: str) -> Fact:
        """A number or code: # is a digit, ? a capital letter, % a digit other than 0.

        One of several patterns is drawn, which may be written with bars: ``"A-%##|%####"``.
        """
        written = "".join(
            self.rng.choice("0123456789")
            if char == "#"
            else self.rng.choice("123456789")
            if char == "%"
            else self.rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ")
            if char == "?"
            else char
            for char in self.rng.choice("|".join(patterns).split("|"))
        )
        return self.text(written)

    def word(self) -> Fact:
        """A made-up name, as of a product or a place."""
        from recipe import makeup

        return self.text(makeup.name(self.rng))

    # Persons and places

    @property
    def fake(self) -> Any:
        """Faker for this locale, now and then for another one."""
        locale = self.locale
        if self.rng.random() < 0.12:
            locale = self.rng.choice(LOCALES[self.rng.choice(tuple(LOCALES))])
        fake = _faker(locale)
        fake.random = self.rng
        return fake

    def person(self) -> Record:
        """A person: ``name``, ``email``, ``phone``, ``job``.

        Forms of the name: ``first``, ``last``, ``formal`` ("Mr Smith"), ``listed`` ("Smith,
        Ann"), ``initial`` ("A. Smith"); ``title`` ("Mr") states nothing.
        """
        fake = self.fake
        male = self.rng.random() < 0.5
        first = fake.first_name_male() if male else fake.first_name_female()
        last = fake.last_name()
        middle = f" {self.rng.choice('ABCDEFGHJKLMNPRSTW')}." if self.rng.random() < 0.06 else ""
        titles = {
            "en": ("Mr", "Ms"), "de": ("Herr", "Frau"), "fr": ("M.", "Mme"), "es": ("Sr.", "Sra."),
            "it": ("Sig.", "Sig.ra"), "pt": ("Sr.", "Sra."), "nl": ("de heer", "mevrouw"),
        }  # fmt: skip
        title = titles[self.language][0 if male else 1]
        full = f"{first}{middle} {last}"
        return Record(
            name=Fact(
                full,
                form(full, full, 3),
                first=form(first, first, 0),
                last=form(last, last, 1),
                formal=form(f"{title} {last}", f"{title} {last}", 1),
                title=Form(title),
                listed=form(f"{last}, {first}", f"{last}, {first}", 2),
                initial=form(f"{first[0]}. {last}", f"{first[0]}. {last}", 1),
            ),
            email=self.email(f"{first} {last}"),
            phone=self.phone(),
            job=self.job(),
            male=male,
        )

    def job(self) -> Fact:
        """A job's title."""
        return self.text(_faker_job(self.fake))

    def company(self) -> Fact:
        """A company's name; form ``short`` leaves out "Ltd" and its like."""
        name = self.fake.company()
        return Fact(name, form(name, name, 3))

    def email(self, name: str = "", domain: str = "") -> Fact:
        """An e-mail address, of a person where a name is given."""
        plain = _ascii(name or self.fake.name())
        words = [word for word in plain.lower().replace("-", " ").split() if word.isalpha()]
        first, last = (words[0], words[-1]) if words else ("info", "office")
        user = self.pick(
            f"{first}.{last}", f"{first[0]}.{last}", f"{first}{last}", f"{first}_{last}", last,
            first, f"{first}{self.rng.randint(1, 99)}",
        )  # fmt: skip
        return self.text(f"{user}@{domain or self.fake.domain_name()}")

    def phone(self) -> Fact:
        """A telephone number as it is written in the locale."""
        return self.text(self.fake.phone_number())

    def url(self) -> Fact:
        """A web address."""
        return self.text(self.fake.url().rstrip("/"))

    def city(self) -> Fact:
        """A town's name."""
        return self.text(self.fake.city())

    def address(self) -> Record:
        """An address: ``street`` (with number), ``postcode``, ``city``, ``country``."""
        fake = self.fake
        return Record(
            street=self.text(fake.street_address().strip().replace("\n", ", ")),
            postcode=self.text(fake.postcode()),
            city=self.text(fake.city()),
            country=self.text(
                fake.current_country() if self.rng.random() < 0.9 else fake.country()
            ),
        )

    # Numbers

    def number(self, least: float, most: float, decimals: int = 0) -> Fact:
        """A number with the separators of the locale; form ``plain`` has no thousands separator."""
        value = self._drawn(least, most, decimals)
        shown = self._decimal(value, decimals)
        plain = self._decimal(value, decimals, grouped=False)
        return Fact(value, form(shown, value), plain=form(plain, value))

    def exact(self, value: float) -> Fact:
        """A number without separators: a year, a port."""
        return Fact(value, form(str(value), value))

    def measure(self, least: float, most: float, unit: str, decimals: int = 0) -> Fact:
        """A number with its unit; the default form "75 m²" states it and its ``unit``.

        Forms: ``number`` alone, ``tight`` ("75m²").
        """
        value = self._drawn(least, most, decimals)
        shown = self._decimal(value, decimals)
        return Fact(
            value,
            form(f"{shown} {unit}", value, unit=unit),
            tight=form(f"{shown}{unit}", value, unit=unit),
            number=form(shown, value),
        )

    def money(
        self, least: float = 1, most: float = 1000, decimals: int = 2, value: float | None = None
    ) -> Fact:
        """An amount; the default form states it and its ``currency`` (a code such as EUR).

        Forms: ``number`` ("1,234.50"), ``code`` ("1,234.50 EUR"), ``round`` (no cents where there
        are none), ``sign`` ("€", the currency alone), ``iso`` ("EUR", alone).
        """
        amount = self._drawn(least, most, decimals) if value is None else round(value, decimals)
        if self.currency == "JPY":
            amount, decimals = round(amount) or 1, 0
        if decimals == 0:
            amount = int(amount)
        shown = self._decimal(amount, decimals)
        round_decimals = 0 if amount == int(amount) else decimals
        currency = self.currency
        return Fact(
            amount,
            self._priced(amount, shown),
            number=form(shown, amount),
            code=form(f"{shown} {currency}", amount, currency=currency),
            round=self._priced(amount, self._decimal(amount, round_decimals)),
            sign=form(_SIGNS.get(currency, currency), None, currency=currency),
            iso=form(currency, None, currency=currency),
        )

    def money_range(self, least: float, most: float, step: int = 1) -> Fact:
        """A range of amounts, which states ``min``, ``max`` and ``currency``.

        Default form: "€58,000 to €66,000" or another; ``number``: no currency; ``short``:
        "58k-66k"; ``from_``: the lower amount alone; ``to``: the upper one alone.
        """
        low, high = self._ends(least, most, step)
        shown, upper = self._decimal(low, 0), self._decimal(high, 0)
        first, second = self._priced(low, shown).text, self._priced(high, upper).text
        last = self._money_style.endswith("_last")
        dash, to = self.pick("-", "\u2013", " - ", " \u2013 "), self._to()
        text = self.pick(
            f"{first} {to} {second}",
            f"{first}{dash}{second}",
            f"{shown}{dash}{second}" if last else f"{first}{dash}{upper}",
            f"{shown} {to} {second}" if last else f"{first} {to} {upper}",
        )
        parts = {"min": low, "max": high}
        sign = _SIGNS.get(self.currency, self.currency + " ")
        number = self.pick(f"{shown}{dash}{upper}", f"{shown} {to} {upper}")
        forms = {
            "number": form(number, None, **parts),
            "from_": form(first, None, min=low, currency=self.currency),
            "to": form(second, None, max=high, currency=self.currency),
        }
        if low % 1000 == high % 1000 == 0:
            short = f"{sign}{low // 1000}k{dash}{high // 1000}k"
            forms["short"] = form(short, None, **parts, currency=self.currency)
        else:
            forms["short"] = form(text, None, **parts, currency=self.currency)
        return Fact((low, high), form(text, None, **parts, currency=self.currency), **forms)

    def number_range(self, least: int, most: int, unit: str = "", step: int = 1) -> Fact:
        """A range of numbers ("3-5 years"), which states ``min``, ``max`` and, if given, ``unit``.

        Forms: ``number`` without the unit.
        """
        low, high = self._ends(least, most, step)
        between = self.pick("-", "\u2013", " - ", f" {self._to()} ")
        text = f"{self._decimal(low, 0)}{between}{self._decimal(high, 0)}"
        units = {"unit": unit} if unit else {}
        return Fact(
            (low, high),
            form(f"{text} {unit}".rstrip(), None, min=low, max=high, **units),
            number=form(text, None, min=low, max=high),
        )

    def percent(self, least: float, most: float, decimals: int = 0) -> Fact:
        """A percentage ("19 %"), whose gold is the number."""
        value = self._drawn(least, most, decimals)
        shown = self._decimal(value, decimals)
        space = "" if self.language == "en" else self.pick("", " ")
        return Fact(value, form(f"{shown}{space}%", value), number=form(shown, value))

    # Dates and times

    def date(
        self, first: int = 2015, last: int = 2027, after: Fact | None = None,
        days: tuple[int, int] = (1, 30),
    ) -> Fact:  # fmt: skip
        """A date, or one that is ``days`` (least, most) after another one; its gold is ISO 8601.

        Forms: ``long`` ("12 March 2024"), ``short`` ("12/03/2024", never one that can be read in
        two ways), ``iso``, ``weekday`` ("Tuesday, 12 March 2024"); and ones that leave the year
        open, whose date is not asked: ``day_month`` ("12 March"), ``month_year``, ``day`` (a
        weekday's name).
        """
        if after is not None:
            day = after.value + datetime.timedelta(days=self.rng.randint(*days))
        else:
            start = datetime.date(first, 1, 1)
            length = (datetime.date(last, 12, 31) - start).days
            day = start + datetime.timedelta(days=self.rng.randint(0, length))
        # In English, 03/04/2024 has two readings.
        clear = self.language != "en" or day.day > 12 or self.locale == "en_CA"
        short = self._short_date if clear else self._long_date
        day_month = self._long_date.replace("'de' y", "").replace(", y", "").replace("y", "")
        iso = day.isoformat()

        def dated(pattern: str, gold: Any = iso, rank: int = 2) -> Callable[[], Form]:
            return lambda: form(self._dated(day, pattern), gold, rank)

        forms = {
            "long": dated(self._long_date),
            "short": dated(short),
            "iso": dated("y-MM-dd"),
            "weekday": dated(f"EEEE, {self._long_date}"),
            "day_month": dated(day_month.strip(), UNCLEAR, 1),
            "month_year": dated("MMMM y", UNCLEAR, 1),
            "day": dated("EEEE", UNCLEAR, 0),
        }
        return Fact(day, forms[self._date_style], **forms)

    def time(self, first: int = 7, last: int = 21, step: int = 15) -> Fact:
        """A time of day without seconds; its gold is HH:MM. Form ``clock``: "18:30"."""
        minutes = self.rng.randrange(first * 60, last * 60 + 1, step) % 1440
        hour, minute = divmod(minutes, 60)
        gold = f"{hour:02}:{minute:02}"
        clock = self.pick(gold, f"{hour}:{minute:02}")
        written = clock
        if self._twelve_hours:
            half = self.pick("am|pm", "am|pm", " AM| PM", "AM|PM", " a.m.| p.m.").split("|")
            shown = f"{(hour - 1) % 12 + 1}"
            if minute or self.rng.random() < 0.4:
                shown += f":{minute:02}"
            written = shown + half[hour >= 12]
        elif self.language == "de":
            written = self.pick(f"{gold} Uhr", f"{hour}.{minute:02} Uhr", gold)
            if minute == 0:
                written = self.pick(written, f"{hour} Uhr")
        elif self.language in ("fr", "pt"):
            written = self.pick(f"{hour}h{minute:02}", f"{hour}h" if not minute else clock, clock)
        elif self.language == "nl":
            written = self.pick(f"{gold} uur", clock)
        return Fact(gold, form(written, gold), clock=form(clock, gold))

    # How this document writes things

    def _drawn(self, least: float, most: float, decimals: int) -> float:
        # Small numbers are as likely as large ones of the same range, and many are round.
        value = self.rng.uniform(least, most)
        if most > 100 and self.rng.random() < 0.25:
            value = min(most, max(least, round(value, -1 if most < 1000 else -2)))
        return round(value) if decimals == 0 else round(value, decimals)

    def _ends(self, least: float, most: float, step: int) -> tuple[int, int]:
        low = self.rng.randrange(int(least), int(most) + 1 - step, step)
        high = self.rng.randrange(low + step, int(most) + 1, step)
        return low, high

    def _decimal(self, value: float, decimals: int, grouped: bool | None = None) -> str:
        pattern = "#,##0" + ("." + "0" * decimals if decimals else "")
        shown = format_decimal(
            value, pattern, _locale(self.locale),
            group_separator=self._grouped if grouped is None else grouped,
        )  # fmt: skip
        return str(shown).replace("\u202f", " ").replace("\xa0", " ").replace("\u2019", "'")

    def _priced(self, amount: float, shown: str) -> Form:
        sign = _SIGNS.get(self.currency, self.currency)
        text = {
            "sign_first": f"{sign}{shown}" if len(sign) == 1 else f"{sign} {shown}",
            "sign_last": f"{shown} {sign}",
            "code_first": f"{self.currency} {shown}",
            "code_last": f"{shown} {self.currency}",
        }[self._money_style]
        return Form(
            text,
            {"": Statement(amount, text), "currency": Statement(self.currency, text)},
        )

    def _dated(self, day: datetime.date, pattern: str) -> str:
        return str(format_date(day, pattern, locale=_locale(self.locale))).replace("\u202f", " ")

    def _to(self) -> str:
        words = {"de": "bis", "fr": "à", "es": "a", "it": "a", "pt": "a", "nl": "tot"}
        return words.get(self.language, "to")


def _split(options: str | Sequence[str]) -> list[str]:
    if not isinstance(options, str):
        return list(options)
    return [" ".join(option.split()) for option in options.split("|") if option.strip()]


def _faker_job(fake: Any) -> str:
    return str(fake.job()).split(" (")[0].split(",")[0]


def _ascii(text: str) -> str:
    import unicodedata

    for char, plain in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        text = text.replace(char, plain)
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
