"""Numbers, dates and times as documents write them: ``1.299,00``, ``1 299``, ``3. März``.

All readings of a text are returned, with their offsets; parsers such as dateparser return only one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Final

from hpd.prompt.tokens import decode_blanks

MAX_DIGITS: Final = 40
"""Maximum length of an amount in characters; longer ones are serial numbers."""

_EXACT: Final = Context(prec=100)

_TO_ASCII: Final = str.maketrans(
    {
        **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
        "\uff0e": ".",
        **dict.fromkeys("\u2010\u2011", "-"),
        **dict.fromkeys("\u2007\u2009\u202f", "\u00a0"),
    }
)
# A full-width comma also separates the items of a list.
_WIDE_COMMA = re.compile(r"(?<=[\uff10-\uff19])\uff0c(?=[\uff10-\uff19]{3})")

_FRACTION_CHAR: Final = r"[¼½¾\u2150-\u215e]"
_BLANK: Final = r"[ \u00a0\u202f\u2009]"
# Digits with single separators between them; a blank only separates groups of three.
_DIGIT_RUN = re.compile(
    rf"(?<![\w.])\.\d+(?![\d.])|\d+(?:[.,'\u2019\u066b\u066c_]\d+|{_BLANK}\d{{3}}(?!\d))*"
    rf"|{_FRACTION_CHAR}"
)
_MEASURE: Final = (
    "inch(?:es)?|in(?=[.,;:)]|$)|ft|feet|foot|yards?|yd|miles?|mi|cups?|tsp|tbsp|teaspoons?|lbs?|oz"
    "|tablespoons?|pints?|quarts?|gal|gallons?|pounds?|ounces?|hour|[kmc]?[mgl]|lit(?:er|re)|Zoll"
    "|EL|TL|Tassen?|Pfund|tasses?|taza"
)
_MEASURE_JOINED: Final = "[杯匙寸]|英寸|カップ|インチ|컵|큰술|작은술|ถ้วย|ช้อน|كوب|כוס"
# Letters of scripts with blanks between words: those of others may be adjacent to a number.
_LETTER: Final = r"[^\W\d_\u0590-\u1dff\u2000-\U0010ffff]"
_ALNUM: Final = r"[^\W\u0590-\u065f\u066a-\u1dff\u2000-\U0010ffff]"
# 3/4 alone may be a fraction, a day, a ratio or pages; 3/4 inch is a fraction.
_FRACTION = re.compile(
    rf"(?<!{_ALNUM})(?<![.,/\u2044])(?<!\d[-\u2013])(?:(?P<whole>[1-9]\d{{0,2}})(?P<gap>{_BLANK}|-))?(?:"
    rf"(?P<part>(?P<sign>{_FRACTION_CHAR})|[1-9]\d?[/\u2044](?:[2-9]|10|16|32|64)"
    rf"(?=(?P<unit>[ \u00a0-]?(?:(?:{_MEASURE})\b(?!/)|{_MEASURE_JOINED})|\u2033)"
    rf"|(?!{_ALNUM}|[/\u2044]|[.,-]\w))))"
)
_PIECE = re.compile(r"[^,'_ \u2019\u00a0\u202f\u2009]+")
_BLANKS = re.compile(r"[ \u00a0\u202f\u2009'\u2019_]")
_ARABIC: Final = str.maketrans("\u066b\u066c", ".,")
_MONEY: Final = r"[$€£¥₹₽₩₺₪฿₫]"
# Groups that are certainly one number: a group starts with 0, there are more than two groups,
# decimals follow, or the blanks are no-break or thin ones.
_GROUPED = re.compile(
    rf"[1-9]\d{{0,2}}(?:{_BLANK}\d{{3}})*(?:{_BLANK}0\d\d|[\u00a0\u202f\u2009]\d{{3}}"
    rf"|{_BLANK}\d{{3}}{_BLANK}\d{{3}}|{_BLANK}\d{{3}}[.,]\d).*"
)
_MONEY_AFTER = re.compile(
    rf"[ \u00a0]?(?:{_MONEY}|[A-Z]{{3}}\b|kr\b|zł|Kč|\u0440\u0443\u0431|[:,.][-\u2013](?!\w))"
)
_MONEY_BEFORE = re.compile(rf"(?:{_MONEY}|\b(?:[A-Z]{{3}}|kr|Kr))[ \u00a0]?$")
_MARKS = re.compile(r"['\u2019_]")
_WITH_APOSTROPHES = re.compile(r"\d{1,3}(?:['\u2019_]\d{3})+(?:[.,]\d+)?")
_POWER: Final = (
    r"(?:(?:\^|\*\*)(?P<power>[+\u2212-]?\d{1,3})|(?P<superscript>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))"
)
_EXPONENT = re.compile(
    rf"(?:[eE](?P<e>[+-]?\d{{1,3}})|[ \u00a0]?[\u00d7x\u00b7*][ \u00a0]?10{_POWER})(?!\w)"
)
_POWER_OF_TEN = re.compile(rf"(?P<e>){_POWER}(?!\w)")
_SUPERSCRIPTS: Final = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹\u2212", "+-0123456789-")
_SIGN = re.compile(
    rf"(?:[-\u2212\u2013]|\u2212[ \u00a0]|\b(?P<word>minus)[ ])"
    rf"(?P<money>[ \u00a0]?(?:{_MONEY}|[A-Z]{{3}}[ \u00a0]))?$"
)
_SIGN_AFTER = re.compile(r"(?:[ \u00a0]?€)?[-\u2212](?=$|[ \u00a0]?€|\s(?!\d))")
_MAY_BE_NEGATIVE = re.compile(r"\([^\d()]{0,5}\d|\d(?:[ \u00a0]?€)?[-\u2010\u2011\u2212](?!\w)")
_GROUPS = re.compile(
    rf"\d{{1,3}}(?:(?:[.,'\u2019]|{_BLANK})\d{{2,3}})*(?:[.,'\u2019]|{_BLANK})\d{{3}}(?:[.,]\d{{1,2}})?"
)
# Signs of a document with accounts, in which an amount in brackets is negative.
_AMOUNT_WORDS = re.compile(
    rf"{_MONEY}|\b(?:USD|EUR|GBP|CHF|JPY|CNY|HKD|INR|AUD|CAD)\b"
    r"|\b(?:loss(?:es)?|profits?|incomes?|revenues?|expenses?|expenditures?|assets|liabilities"
    r"|equity|earnings|deficits?|cash flows?|dividends?|depreciation|amorti[sz]ation|payables?"
    r"|receivables?|verlust\w*|gewinn\w*|umsatz\w*|aufwand\w*|aufwendungen|ergebnis|pertes?|bénéfices?"
    r"|(?:net|operating) results?|results? (?:before|after|for the (?:year|period))|résultat"
    r"|resultado|risultato|resultaat"
    r"|produits|charges|pérdidas?|ingresos|gastos|beneficios?|perdit[ae]|utile|ricavi|costi)\b"
    r"|净利润|净亏损|亏损|收入|利润|损失|売上|利益|損失|매출|이익|손실|خسارة|إيرادات|הפסד|הכנסות|ขาดทุน|รายได้",
    re.IGNORECASE,
)
_DECIMAL_POINT = re.compile(r"\d\.\d")
_TO_THE_CENT = re.compile(r".*[.,]\d\d")
_MARKED_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)+(?![\w]|[.,]\d)", re.ASCII)
_UNSIGNED = re.compile(rf"\d{{1,{MAX_DIGITS}}}(?:\.\d{{1,{MAX_DIGITS}}})?", re.ASCII)
_JOINED_GROUPS = re.compile(r"[1-9]\d{0,2}\.\d{4,}", re.ASCII)
_THREE_DECIMALS = re.compile(r"-?[1-9]\d{0,2}\.\d{3}", re.ASCII)
_MANY_AMOUNTS: Final = 10
_EUROS: Final = r"(?:€|\b(?:EUR|[Ee]uro)\b)"
_EUROS_AFTER = re.compile(rf"[ \u00a0]?{_EUROS}")
_EUROS_BEFORE = re.compile(rf"{_EUROS}[ \u00a0]?$")
_UNIT_AFTER = re.compile(r"[ \u00a0]?(?:/|(?:per|pro|je)\b)")
PERCENT_AFTER = re.compile(
    r"[ \u00a0\u202f]?(?:[%\uff05]"
    r"|(?:per ?cent|Prozent|procent|pour ?cent|por ?ciento|por cento|per cento)\b)",
    re.IGNORECASE,
)
"""What makes a number a percentage, so that 35 may also be 0.35."""
YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
"""A year, by itself or in a date."""

# By number; in English, German, French, Spanish, Italian, Portuguese, Dutch.
_WORDS: Final = (
    "one ein eine einen einem einer un une una uno um uma een",
    "two zwei deux dos due dois duas twee",
    "three drei trois tres tre três drie",
    "four vier quatre cuatro quattro quatro",
    "five fünf cinq cinco cinque vijf",
    "six sechs seis sei zes",
    "seven sieben sept siete sette sete zeven",
    "eight acht huit ocho otto oito",
    "nine neun neuf nueve nove negen",
    "ten zehn dix diez dieci dez tien",
    "eleven elf onze once undici",
    "twelve zwölf douze doce dodici doze twaalf",
    *["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"],
)
_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUE_OF: Final = {
    **{word: value for value, words in enumerate(_WORDS, start=1) for word in words.split()},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
}
_SCALE_OF: Final = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_ANY_WORD: Final = "|".join((*_VALUE_OF, *_SCALE_OF))
_WORD = re.compile(rf"\b(?:{_ANY_WORD})\b(?:(?:[ -]|[ ]and[ ])(?:{_ANY_WORD})\b)*", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")

# By number; in English, German (* for the endings), French, Spanish.
_ORDINALS: Final = (
    "first erste* premier première primero primera primer",
    "second zweite* deuxième seconde segundo segunda",
    "third dritte* troisième tercero tercera tercer",
    "fourth vierte* quatrième cuarto cuarta",
    "fifth fünfte* cinquième quinto quinta",
    "sixth sechste* sixième sexto sexta",
    "seventh siebte* septième séptimo séptima",
    "eighth achte* huitième octavo octava",
    "ninth neunte* neuvième noveno novena",
    "tenth zehnte* dixième décimo décima",
)
_ORDINAL_OF: Final = {
    word.rstrip("*") + ending: Decimal(number)
    for number, words in enumerate(_ORDINALS, start=1)
    for word in words.split()
    for ending in (("", "n", "r", "s", "m") if word.endswith("*") else ("",))
}
_SHORT_YEAR = re.compile(r"(?<![\w'\u2019])['\u2019](\d\d)(?![\w'\u2019])")
_ORDINAL_WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(_ORDINAL_OF)})(?![\w-])", re.IGNORECASE)

# Signs that a document has numbers that are not read: letters of other languages, signs for
# numbers, and other words for numbers in the languages above.
_OTHER_LETTER = re.compile(
    r"[^\W\d_a-zàâäáãæçéèêëîïíìñôöóòõœùûüúÿßªºµ\u017f\u212a\u4e00-\u9fff"
    r"\u00b2\u00b3\u00b9\u2070-\u209f¼½¾\u2150-\u215f]"
    r"|[零半一二两三四五六七八九十百千]|(?<=[^\W\d_])[¼½¾\u2150-\u215f]|\u215f",
    re.IGNORECASE,
)
_UNREAD = re.compile(
    r"[万萬億亿만억] ?\d|\d ?T(?:€|EUR\b)|(?:₹|\bRs\.?) ?[\d.,]+ ?L\b"
    r"|\b(?:zero|zéro|cero|half|dozen|minus (?=[^\W\d_])|(?<=\d )hundred"
    r"|\w*(?:zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)"
    r"|(?:drei|vier|fünf|sech|sieb|acht|neun)zehn|(?:\w*[^\W\d_]|)(?<!jahr)hundert\w*"
    r"|\w+tausend\w*|(?<!\d )(?:mille|mil)|dix-(?:sept|huit|neuf)"
    r"|treize|quatorze|quinze|seize|vingt|trente|quarante|cinquante|soixante"
    r"|(?:deux|trois|quatre|cinq|sept|huit|neuf)[ -]cents?"
    r"|trece|catorce|diecis\w+|dieci(?:ocho|nueve)|veint\w+|treinta|cuarenta|cincuenta|sesenta"
    r"|setenta|ochenta|noventa|cien|ciento|\w{3,5}cient[oa]s"
    r"|(?:tre|quattor|quin|se)dici|dicia\w+|diciotto|(?:ven|tren|quaran|cinquan|sessan|settan"
    r"|ottan|novan)t(?:i|a)(?:due|tr[eé]|quattro|cinque|sei|sette|nove)|vent(?:uno|otto)"
    r"|treze|quatorze|vinte|trinta|quarenta|cinquenta|sessenta|oitenta"
    r"|(?:der|veer|vijf|zes|zeven|ach|negen)tien|\w*(?:twintig|dertig|veertig|vijftig|zestig"
    r"|zeventig|tachtig|negentig|honderd))\b",
    re.IGNORECASE,
)


def strip_accents(text: str) -> str:
    """Return a text in lower case without accents."""
    parts = unicodedata.normalize("NFD", text.casefold())
    return "".join(char for char in parts if not unicodedata.combining(char))


_POWERS: Final = {
    3: "k thousand tausend tsd mille mil mila duizend",
    5: "lakh lakhs lac lacs",
    6: "million millions mn mill millionen mio mln millones millón milioni milione milhões milhão"
    " miljoen",
    7: "crore crores cr",
    9: "billion billions bn md mds milliarde milliarden mrd milliard milliards miljard miliardi"
    " miliardo",
    12: "trillion trillions tn",
}
_FACTOR_OF: Final = {
    **{word: Decimal(10) ** power for power, words in _POWERS.items() for word in words.split()},
    **dict.fromkeys("万萬만", Decimal(10) ** 4),
    **dict.fromkeys("亿億억", Decimal(10) ** 8),
}
# 12.50 CR is also a credit, 3 lacs are lakes in French.
_AMBIGUOUS_FACTORS: Final = ("k", "cr", "lac", "lacs")
_UNITS: Final = {
    # Without accents, as names are compared. Short words are too ambiguous.
    word: Decimal(10) ** power
    for power, words in _POWERS.items()
    if power > 3
    for word in strip_accents(words).split()
    if len(word) > 3 or word in ("mio", "mln", "mrd")
}
_FACTOR_WORD = re.compile(
    rf"[ \u00a0-]?(?:((?:{'|'.join(w for w in _FACTOR_OF if w.isascii() or len(w) > 1)})\b"
    r"|[万萬億亿만억]))",
    re.IGNORECASE,
)
_FACTOR_LETTER = re.compile(r"[ \u00a0]?(MM|[mMbB])(?:\b|(?=€))")


def _to_plain_forms(document: str) -> str:
    """Return a document of the same length with ASCII's digits, hyphens and no-break blanks."""
    return document if document.isascii() else _WIDE_COMMA.sub(",", document).translate(_TO_ASCII)


def fold_case(word: str) -> str:
    """Return a word in lower case, as a case-insensitive search matches it: ``MİL`` is ``mil``."""
    return word.casefold().replace("\u0307", "").replace("\u0131", "i")


def unit_in_name(text: str) -> Decimal | None:
    """Return the unit of numbers in a name or description: 10**6 for ``price_million``."""
    words = re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))
    return next((unit for word in words if (unit := _UNITS.get(strip_accents(word)))), None)


def numbers_in(document: str, *, loose: bool = False) -> Iterator[tuple[int, int, set[Decimal]]]:
    """Yield the numbers that a document states, with their offsets and all readings.

    Numbers in digits come first, from left to right, then those in words. Parts of numbers are not
    included: neither 25 of ``25 000 €``, nor 45 of ``-45,00 €``. A periodic fraction is rounded to
    four decimals. With ``loose=True``, readings include 1.2 for ``1.2 million``, and all roundings
    of ``2/3``.
    """
    decoded, offsets = decode_blanks(document)
    for start, end, values in _numbers_in_plain(_to_plain_forms(decoded), loose):
        yield offsets[start], offsets[end], values


def _numbers_in_plain(document: str, loose: bool) -> Iterator[tuple[int, int, set[Decimal]]]:
    previous_end = 0
    for match in _DIGIT_RUN.finditer(document):
        if match.start() < previous_end:
            continue  # the 12 of 1.5e-12
        fraction = _FRACTION.match(document, match.start())
        if fraction and (parts := _fraction_values(fraction["part"], loose)):
            values = {int(fraction["whole"] or 0) + part for part in parts}
            yield from _complete_number(document, *fraction.span(), values, loose)
            if fraction["sign"] or fraction["unit"] or fraction["gap"] not in (None, "-"):
                previous_end = fraction.end()
                continue
        exponent = _find_exponent(document, *match.span())
        previous_end = exponent.end() if exponent else 0
        for low, high, values in _run_and_parts(document, *match.span()):
            yield from _complete_number(document, low, high, values, loose)
    for match in _WORD.finditer(document):
        # A scale after digits (3 million) is read with them.
        is_scale = fold_case(match.group()) in _SCALE_OF
        if not is_scale or document[max(0, match.start() - 2) : match.start()] in ("a ", "A "):
            yield from _numbers_in_words(match.start(), match.group())


def ordinals_in(document: str) -> Iterator[tuple[int, int, set[Decimal]]]:
    """Yield the ordinals that a document states in words, with their offsets."""
    for match in _ORDINAL_WORD.finditer(document):
        yield match.start(), match.end(), {_ORDINAL_OF[fold_case(match.group())]}


def short_years_in(document: str) -> Iterator[tuple[int, int, set[Decimal]]]:
    """Yield the years such as '98 that a document states, with their offsets."""
    for match in _SHORT_YEAR.finditer(document):
        yield match.start(), match.end(), {Decimal(year) for year in _years(match[1])}


def _fraction_values(text: str, loose: bool) -> set[Decimal]:
    """Return the decimals for ``1/2`` or ``½``, rounded if periodic; empty for ``3/2``."""
    is_sign = len(text) == 1
    part = Fraction(unicodedata.numeric(text) if is_sign else text.replace("\u2044", "/"))
    part = part.limit_denominator(64)
    value = Decimal(part.numerator) / part.denominator
    if value >= 1:
        return set()
    if len(value.as_tuple().digits) < 9:
        return {value}
    if not loose:
        return {round(value, 4)}
    return {round(value, n) for n in range(1, 17)} | {Decimal(str(float(part)))}


def has_unread_numbers(document: str) -> bool:
    """Return whether a document has words for numbers that ``numbers_in`` does not read."""
    return any(unread.search(document) for unread in (_OTHER_LETTER, _UNREAD))


def _find_exponent(document: str, start: int, end: int) -> re.Match[str] | None:
    """Return the power of ten that follows a number, or the exponent that follows a 10."""
    forms = (_EXPONENT, _POWER_OF_TEN) if document[start:end] == "10" else (_EXPONENT,)
    return next(filter(None, (form.match(document, end) for form in forms)), None)


def _complete_number(
    document: str, start: int, end: int, values: set[Decimal], loose: bool
) -> Iterator[tuple[int, int, set[Decimal]]]:
    """Extend a number in digits with its exponent, factor in words and sign."""
    low, high = start, end
    exponent, factor_word = _find_exponent(document, start, end), _FACTOR_WORD.match(document, end)
    money = _MONEY_BEFORE.search(document[max(0, start - 5) : start])
    letter = _FACTOR_LETTER.match(document, end)
    # Without a currency before the number, ``m`` may mean millions or metres.
    if letter and not (money or letter[1].isupper()):
        letter = letter if _MONEY_AFTER.match(document, letter.end()) else None
    if exponent:
        power = int(
            (exponent["e"] or exponent["power"] or exponent["superscript"]).translate(_SUPERSCRIPTS)
        )
        if exponent.re is _POWER_OF_TEN:
            values = {Decimal(1)}
        values = {value.scaleb(power, _EXACT) for value in values}
        high = exponent.end()
    elif factor_word or letter:
        word = fold_case(factor_word[1]) if factor_word else ""
        factor = _FACTOR_OF[word] if factor_word else Decimal(10) ** (9 if letter[1] in "bB" else 6)  # type: ignore[index]
        if loose or word in _AMBIGUOUS_FACTORS or (letter and not money):
            yield start, end, values
        values = {_EXACT.multiply(value, factor) for value in values}
        high = factor_word.end() if factor_word else letter.end()  # type: ignore[union-attr]
    if high == end and re.match(_FRACTION_CHAR, document[high : high + 1]):
        values = {
            value + part for value in values for part in _fraction_values(document[high], loose)
        }
        high += 1
    is_negative, is_positive = False, True
    is_to_the_cent = _TO_THE_CENT.fullmatch(document, start, high) is not None
    sign = _SIGN.search(document[max(0, start - 6) : start])
    if sign:
        low = start - len(sign.group())
        before = document[low - 1 : low]
        is_word = sign["word"] is not None  # 10 minus 5 is not -5.
        is_negative = not before or not (before.isalnum() or before in ".,)%]")
        if not is_negative:
            low = start
        elif before in ("", "\n"):
            # It may be a list's dash, but not before an amount of money.
            is_money = sign["money"] or is_to_the_cent or _MONEY_AFTER.match(document, high)
            is_positive = not is_money
        else:
            is_positive = is_word
    else:
        after = _SIGN_AFTER.match(document, high) if is_to_the_cent else None
        before = document[: start - len(money.group()) if money else start][-1:]
        if after:
            is_negative, is_positive, high = True, False, after.end()
        elif before == "(" and document[high : high + 1] == ")":
            has_groups = _GROUPS.fullmatch(document, start, end) is not None
            if is_to_the_cent or money or has_groups:
                low = start - (len(money.group()) if money else 0) - 1
                is_negative, high = True, high + 1
                is_positive = not (
                    (is_to_the_cent and (money or has_groups))
                    or (has_groups and _has_amounts(document))
                )
    if is_positive:
        yield (start if is_negative else low), end if is_negative else high, values
    if is_negative:
        yield low, high, {value.copy_negate() for value in values}


@lru_cache(maxsize=4)
def _has_amounts(document: str) -> bool:
    """Return whether a document has amounts of money."""
    return _AMOUNT_WORDS.search(document) is not None


@lru_cache(maxsize=4)
def thousands_separator(document: str) -> str | None:
    """Return the separator of groups of three digits, ``.`` or ``,``; None if it is unclear.

    Numbers with both marks (``1.234,56``) or with several groups (``1.234.567``) show it. Decimals
    after a comma show a dot, if none are after a dot and no more numbers have three digits after a
    comma. So do many amounts with three digits after a dot, as money has no three decimals.
    """
    shown = {".": 0, ",": 0}
    decimals = {".": 0, ",": 0}
    threes = {".": 0, ",": 0}
    for match in _MARKED_NUMBER.finditer(document):
        first, *groups = re.split("[.,]", match.group())
        marks = re.findall("[.,]", match.group())
        has_groups = len(first) <= 3 and all(len(group) == 3 for group in groups[:-1])
        if marks[0] != marks[-1]:
            if has_groups and marks.count(marks[-1]) == 1:
                shown[marks[0]] += 1
        elif len(marks) > 1:
            # If the first group has three digits, it may be an IP address.
            if len(first) < 3 and has_groups and len(groups[-1]) == 3:
                shown[marks[0]] += 1
        elif len(groups[0]) != 3 or len(first) > 3 or first[0] == "0":
            # Neither a reference, such as (8,9), nor a date, such as 30.03., has decimals.
            is_reference = document[match.start() - 1 : match.start()] in ("(", "[")
            is_date = len(match.group()) <= 5 and document[match.end() : match.end() + 1] == "."
            decimals[marks[0]] += not (is_reference or is_date)
        else:
            threes[marks[0]] += 1
    if any(shown.values()):
        return None if all(shown.values()) else max(shown, key=lambda mark: shown[mark])
    if decimals["."]:
        return None
    if decimals[","]:
        return "." if decimals[","] >= threes[","] else None
    return "." if threes["."] >= _MANY_AMOUNTS and _has_amounts(document) else None


def restore_thousands(numeral: str, document: str) -> str | None:
    """Return the whole number that the document means by a number with three decimals, or None.

    Models copy ``2.655`` from documents in which it means 2655, and ``900,000``, which JSON
    lacks, as 900.
    """
    if not _THREE_DECIMALS.fullmatch(numeral):
        return _restore_groups(numeral, document)
    unsigned = numeral.lstrip("-")
    with_dot = _spans_of(document, unsigned)
    with_comma = _spans_of(document, unsigned.replace(".", ","))
    if bool(with_dot) == bool(with_comma):  # in neither form, or in both
        return None
    mark = thousands_separator(document)
    if mark is None and with_dot and all(_is_in_euros(document, *span) for span in with_dot):
        mark = "."
    return numeral.replace(".", "") if mark == ("." if with_dot else ",") else None


def with_three_decimals(number: float, document: str) -> str | None:
    """Return what the document has for a whole number that may as well be a decimal, or None.

    This is 12.345 for 12345 if nothing shows that its dot marks thousands.
    """
    if number != int(number) or abs(number) < 1000:
        return None
    numeral = _group_thousands(str(int(number)))
    is_decimal = _THREE_DECIMALS.fullmatch(numeral) and _spans_of(document, numeral.lstrip("-"))
    return numeral if is_decimal and restore_thousands(numeral, document) is None else None


@lru_cache(maxsize=4)
def _stated_numbers(document: str) -> tuple[tuple[int, int, set[Decimal]], ...]:
    """Return the numbers that a document states, for the many values of a list."""
    return tuple(numbers_in(document))


@lru_cache(maxsize=4)
def without_sign(document: str) -> frozenset[Decimal]:
    """Return what is left of the negative numbers that are stated without a minus before them.

    Numbers that the document also states otherwise are not included.
    """
    found: set[Decimal] = set()
    others: set[Decimal] = set()
    # Most documents have none, and reading all of their numbers takes long.
    may_have_some = _MAY_BE_NEGATIVE.search(document) is not None
    for start, _, values in _stated_numbers(document) if may_have_some else ():
        is_marked = document[start] == "(" or document[start].isdigit()
        for value in values:
            (found if value < 0 and is_marked else others).add(abs(value))
    return frozenset(found - others)


def _restore_groups(numeral: str, document: str) -> str | None:
    """Return the number whose first group of digits was copied alone, or None.

    A single digit may also be a count that the document does not state.
    """
    sign, digits = ("-", numeral[1:]) if numeral.startswith("-") else ("", numeral)
    if not re.fullmatch(r"[1-9]\d{1,2}", digits) or thousands_separator(document) != ",":
        return None
    found = set(re.findall(rf"(?<![\w.,]){digits}(?:,\d{{3}})+(?![\d,])", document))
    if len(found) != 1:
        return None
    whole = found.pop()
    is_stated = any(
        Decimal(digits) in values and whole not in document[start:end]
        for start, end, values in _stated_numbers(document)
    )
    return None if is_stated else sign + whole.replace(",", "")


def restore_decimals(numeral: str, document: str) -> str | None:
    """Return the decimal that the document states where the model wrote another number, or None.

    JSON has no decimal comma, so models copy ``225,56`` as 22556 or as 225, ``2.345,00`` as
    2.345 or as 2.34500, and ``2.345,70`` as 2.3457.
    """
    digits = numeral.lstrip("-")
    is_joined = _JOINED_GROUPS.fullmatch(digits) and not _spans_of(document, digits)
    if is_joined:
        digits = digits.replace(".", "")
    is_grouped = _THREE_DECIMALS.fullmatch(numeral) and not _spans_of(document, digits)
    if is_grouped:
        digits = digits.replace(".", "")
    mark = thousands_separator(document)
    has_decimal_comma = mark == "." or not (is_grouped or _DECIMAL_POINT.search(document))
    if not digits.isdecimal() or mark == "," or not has_decimal_comma:
        return None
    if _spans_of(document, digits, _group_thousands(digits)):
        return None
    joined = (
        f"{digits[:n] or '0'}.{digits[n:]}{zero}"
        for n in range(max(0, len(digits) - 4), len(digits))
        for zero in (("", "0") if is_joined else ("",))
    )
    cut = (
        f"{digits}.{match[1]}"
        for match in re.finditer(
            rf"(?<![\w.,])(?:{digits}|{re.escape(_group_thousands(digits))}),(\d{{1,4}})(?![\d,])",
            document,
        )
    )
    found = {
        form
        for form in (*(() if is_grouped else joined), *cut)
        for whole, _, decimals in [form.partition(".")]
        # Where commas also mark thousands, 17,33 may still have decimals.
        if (mark or len(decimals) == 2)
        and _spans_of(document, f"{whole},{decimals}", f"{_group_thousands(whole)},{decimals}")
    }
    sign = "-" if numeral.startswith("-") else ""
    return sign + found.pop() if len(found) == 1 else None


def restore_fraction(numeral: str, document: str) -> str | None:
    """Return the decimal of a fraction, if the document states a number only as its beginning.

    JSON has no fractions, so models copy ``1/2 tsp`` and ``1 1/2 cups`` as 1.
    """
    fractions = [match for match in _FRACTION.finditer(document) if match["unit"]]
    found: set[Decimal] = set()
    for start, _ in _spans_of(document, numeral) if fractions else ():
        around = next((each for each in fractions if each.start() <= start < each.end()), None)
        if around is None:
            return None
        if around.start() == start:
            parts = _fraction_values(around["part"], False)
            found |= {int(around["whole"] or 0) + part for part in parts}
    return str(found.pop()) if len(found) == 1 else None


def without_trailing_zeros(numeral: str) -> str:
    """Return a decimal without the end that does not change it: 12 for ``12.00``."""
    is_decimal = "." in numeral and "e" not in numeral.lower()
    return numeral.rstrip("0").rstrip(".") if is_decimal else numeral


def restore_sign(numeral: str, document: str) -> str | None:
    """Return the negative of a number if the document states only that; otherwise None.

    Models copy ``(1,234)`` and ``17,33-`` without what makes them negative.
    """
    is_unsigned = _UNSIGNED.fullmatch(numeral) is not None
    return f"-{numeral}" if is_unsigned and Decimal(numeral) in without_sign(document) else None


def _group_thousands(digits: str) -> str:
    return f"{int(digits):,}".replace(",", ".")


def _spans_of(document: str, *forms: str) -> list[tuple[int, int]]:
    """Return the spans of a number in any of its forms, where it stands on its own."""
    any_form = "|".join(map(re.escape, forms))
    number = re.compile(rf"(?<![\w.,])(?:{any_form})(?!\w|[.,]\d)")
    return [match.span() for match in number.finditer(document)]


def _is_in_euros(document: str, start: int, end: int) -> bool:
    """Return whether an amount is in euros, and neither an exchange rate nor a price per unit.

    With other currencies, a dot is as often a decimal point.
    """
    after = _EUROS_AFTER.match(document, end)
    before = _EUROS_BEFORE.search(document[max(0, start - 5) : start])
    if "=" in document[max(0, start - 6) : start]:
        return False
    return bool(after or before) and not _UNIT_AFTER.match(document, after.end() if after else end)


def _run_and_parts(document: str, start: int, end: int) -> Iterator[tuple[int, int, set[Decimal]]]:
    """Yield a run of digits and separators as one number, and its parts if they may be several.

    A run with blanks may be several numbers (``size 10 200 mm``), unless it is money or has a form
    that only one number has. A run that cannot be one number is several (``1,2,3``).
    """
    run = document[start:end]
    is_one = not _MARKS.search(run) or _WITH_APOSTROPHES.fullmatch(run)
    values = readings(run) if is_one and len(run) <= MAX_DIGITS else set()
    if values:
        yield start, end, values
        before = document[max(0, start - 5) : start]
        if (
            " " not in run
            or _GROUPED.fullmatch(run)
            or _MONEY_AFTER.match(document, end)
            or _MONEY_BEFORE.search(before)
            or _FACTOR_WORD.match(document, end)
        ):
            return
    for piece in _PIECE.finditer(run):
        low, high = start + piece.start(), start + piece.end()
        if high - low <= MAX_DIGITS and piece.group() != run:
            yield low, high, readings(piece.group())
    if not values:
        # The year of a date such as 12.05.2025.
        for year in YEAR.finditer(run):
            yield start + year.start(), start + year.end(), {Decimal(year.group())}


def _numbers_in_words(start: int, text: str) -> Iterator[tuple[int, int, set[Decimal]]]:
    """Yield the numbers in a series of words for numbers, each from as many words as possible."""
    total = current = low = high = 0
    for word in (*_LETTERS.finditer(text), None):
        name = fold_case(word.group()) if word else ""
        value, scale = _VALUE_OF.get(name), _SCALE_OF.get(name)
        if name == "and" and current % 100 == 0 and (current or total):
            continue
        is_open = current % 100 == 0 or (current % 10 == 0 and current % 100 >= 20)
        if value and (total or current) and is_open:
            # A digit may follow a ten or a hundred, a ten only a hundred.
            is_open = value < 100 if current % 100 == 0 else value < 10
        if scale == 100 and 0 < current < 100:
            current, high = current * 100, word.end() if word else 0
            continue
        if scale and scale > 100 and current and (not total or total % (scale * 1000) == 0):
            total, current = total + current * scale, 0
            high = word.end() if word else 0
            continue
        if value and is_open and high:
            current, high = current + value, word.end() if word else 0
            continue
        if high:
            yield start + low, start + high, {Decimal(total + current)}
            total = current = low = high = 0
        if word and (value or scale):
            low, high = word.span()
            total, current = (scale, 0) if scale and scale > 100 else (0, value or scale or 0)


def readings(text: str) -> set[Decimal]:
    """Return all readings of a written number: 1299 and 1.299 for ``1,299``."""
    text = _BLANKS.sub("", text).translate(_ARABIC)
    dots, commas = text.count("."), text.count(",")
    forms = []
    if dots and commas:
        # The last separator is the decimal one, so it occurs only once.
        decimal, thousands = (".", ",") if text.rfind(".") > text.rfind(",") else (",", ".")
        if text.count(decimal) == 1 and _is_grouped(text.split(decimal)[0], thousands):
            forms.append(text.replace(thousands, "").replace(decimal, "."))
    elif dots or commas:
        separator = "." if dots else ","
        if text.count(separator) == 1:
            forms.append(text.replace(separator, "."))
        if _is_grouped(text, separator):
            forms.append(text.replace(separator, ""))
    else:
        forms.append(text)
    values = set()
    for form in forms:
        try:
            values.add(Decimal(form))
        except InvalidOperation:
            continue
    return values


def _is_grouped(text: str, separator: str) -> bool:
    """Return whether digits are in groups of three or, as in India, of two before a last three."""
    first, *groups = text.split(separator)
    if 1 <= len(first) <= 3 and all(len(group) == 3 for group in groups):
        return True
    *middle, last = groups
    return (
        separator == ","
        and 1 <= len(first) <= 2
        and len(last) == 3
        and bool(middle)
        and all(len(group) == 2 for group in middle)
    )


# By month; in English, German, French, Spanish, Italian, Portuguese, Dutch, the Nordic languages,
# Indonesian, Turkish, Hungarian, Czech, Polish, Russian, Ukrainian, Greek, Arabic, Hebrew, Thai,
# Hindi. *Listopada* is missing: it is November in Polish, but October in Croatian.
_MONTHS: Final = (
    "january januar janvier enero gennaio janeiro januari jan jänner janv ene gen tammikuuta ocak"
    " január ledna stycznia января січня ιανουαρίου يناير ינואר มกราคม ม.ค. जनवरी",
    "february februar février fevrier febrero febbraio fevereiro februari feb févr fev helmikuuta"
    " şubat február února lutego февраля лютого φεβρουαρίου فبراير شباط פברואר กุมภาพันธ์ ก.พ."
    " फ़रवरी फरवरी",
    "march märz maerz mars marzo março marco maart mar mrz mrt marts maaliskuuta maret mart"
    " március března marca марта березня μαρτίου مارس آذار מרץ מרס มีนาคม มี.ค. मार्च",
    "april avril abril aprile apr avr abr huhtikuuta nisan április dubna kwietnia апреля квітня"
    " απριλίου أبريل إبريل نيسان אפריל เมษายน เม.ย. अप्रैल",
    "may mai mayo maggio maio mei mag maj toukokuuta mayis május května maja мая травня μαΐου"
    " مايو أيار מאי พฤษภาคม พ.ค. मई",
    "june juni juin junio giugno junho jun giu kesäkuuta haziran június června czerwca июня червня"
    " ιουνίου يونيو حزيران יוני มิถุนายน มิ.ย. जून",
    "july juli juillet julio luglio julho jul juil lug heinäkuuta temmuz július července lipca июля"
    " липня ιουλίου يوليو تموز יולי กรกฎาคม ก.ค. जुलाई",
    "august août aout agosto augustus aug ago augusti elokuuta agustus ağustos augusztus srpna"
    " sierpnia августа серпня αυγούστου أغسطس آب אוגוסט สิงหาคม ส.ค. अगस्त",
    "september septembre septiembre setiembre settembre setembro sept sep set syyskuuta eylül"
    " szeptember září września сентября вересня σεπτεμβρίου سبتمبر أيلول ספטמבר กันยายน ก.ย."
    " सितंबर सितम्बर",
    "october oktober octobre octubre ottobre outubro oct okt ott out lokakuuta ekim október října"
    " października октября жовтня οκτωβρίου أكتوبر אוקטובר ตุลาคม ต.ค. अक्टूबर अक्तूबर",
    "november novembre noviembre novembro nov marraskuuta kasim listopadu ноября листопада"
    " νοεμβρίου نوفمبر נובמבר พฤศจิกายน พ.ย. नवंबर नवम्बर",
    "december dezember décembre decembre diciembre dicembre dezembro dec dez déc dic desember"
    " joulukuuta aralik prosince grudnia декабря грудня δεκεμβρίου ديسمبر דצמבר ธันวาคม ธ.ค."
    " दिसंबर दिसम्बर",
)
_MONTH_OF: Final = {
    form: month
    for month, names in enumerate(_MONTHS, start=1)
    for name in names.split()
    for form in (name, fold_case(name))
}
_NAME: Final = "|".join(map(re.escape, sorted(_MONTH_OF, key=len, reverse=True)))
_NAME_ENDS: Final = r"(?![^\W_])"
_GAP: Final = r"[ \u00a0,/-]{1,3}"
_PREPOSITION: Final = rf"(?:(?:of|den|del|de|di|do){_GAP}|ב|من )?"
_ORDINAL: Final = r"(?:(?:st|nd|rd|th)(?: day)?|er|[ºª°])?\.?"
_YEAR: Final = r"(?:พ\.ศ\. ?|ค\.ศ\. ?|['\u2019])?(?:\d{4}|\d{2})"
_ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "民國": 1911, "民国": 1911}
"""The year before the first one of each era."""
_HAN_DIGITS: Final = "一二三四五六七八九"
_HAN_NUMBER: Final = f"[{_HAN_DIGITS}]?十[{_HAN_DIGITS}]?|[{_HAN_DIGITS}]"
_FROM_HAN: Final = str.maketrans(f"〇零○{_HAN_DIGITS}", "000123456789")

_DATE = re.compile(
    rf"(?<!\d)(?<!\d[-/.])(?<!{_LETTER})(?:"
    r"(?P<year_first>\d{4}(?P<a>[-/]|\. ?)\d{1,2}(?P=a)\d{1,2})"
    r"|(?P<ideographs>\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일号號]?)"
    rf"|(?P<han>[〇零○{_HAN_DIGITS}]{{4}}年(?:{_HAN_NUMBER})月(?:{_HAN_NUMBER})日)"
    rf"|(?P<era>(?:{'|'.join(_ERAS)})(?:\d{{1,3}}|元)年\d{{1,2}}月\d{{1,2}}日)"
    r"|(?P<year_last>\d{1,2}(?P<b>[-/.]| [-/.] )[ ]?\d{1,2}(?P=b)[ ]?(?:\d{4}|\d{2}))"
    rf"|(?P<day_name>\d{{1,2}}{_ORDINAL}{_GAP}{_PREPOSITION}(?:{_NAME}){_NAME_ENDS}\.?(?:{_GAP}{_PREPOSITION}{_YEAR})?)"
    rf"|(?P<name_day>(?:{_NAME}){_NAME_ENDS}\.?{_GAP}\d{{1,2}}{_ORDINAL}(?:{_GAP}{_YEAR})?)"
    rf"|(?P<year_name>\d{{4}}\.?{_GAP}(?:{_NAME}){_NAME_ENDS}{_GAP}\d{{1,2}})"
    r"|(?P<compact>\d{8})"
    rf")(?!\d|{_LETTER}{{2}})(?![-/.]\d)",
    re.IGNORECASE,
)
_UNTIL: Final = r"(?: ?[-\u2013\u2014] ?| (?:to|until|till|through|bis|au|al|a|tot) )"
# 10 may be an hour: May 1-3, 10 am
_PLAIN_YEAR: Final = r"(?:\d{4}|['\u2019]\d\d)"
_DATE_RANGES: Final = {
    form: re.compile(
        rf"(?<![\d:.,/-])(?<!{_LETTER})(?:{pattern})(?!\d|{_LETTER}{{2}})(?![-/.]\d)", re.IGNORECASE
    )
    for form, pattern in {
        # 01.05.2024-03.05.2024
        "year_first": rf"(?P<first>\d{{4}}(?P<a>[-/.])\d\d?(?P=a)\d\d?)(?:{_UNTIL}|/)"
        r"(?P<last>\d{4}(?P=a)\d\d?(?P=a)\d\d?)",
        "year_last": rf"(?P<first>\d\d?(?P<a>[-/.])\d\d?(?P=a)(?:\d{{4}}|\d\d)){_UNTIL}"
        r"(?P<last>\d\d?(?P=a)\d\d?(?P=a)(?:\d{4}|\d\d))",
        # 01.05.-03.05.2024, 1.-3.5.2024, 14/05-16/05/2024
        "numbers": rf"(?P<day>\d\d?)(?:[./](?P<month>\d\d?))?\.?{_UNTIL}"
        r"(?P<last>\d\d?(?P<a>[./])\d\d?(?P=a)(?:\d{4}|\d\d))",
        # 1-3 May 2024, 1. bis 3. Mai
        "day_name": rf"(?P<day>\d\d?){_ORDINAL}{_UNTIL}"
        rf"(?P<last>\d\d?{_ORDINAL}{_GAP}{_PREPOSITION}(?:{_NAME}){_NAME_ENDS}"
        rf"(?:\.?{_GAP}{_PREPOSITION}{_PLAIN_YEAR})?)",
        # May 1-3, 2024
        "name_day": rf"(?P<name>(?:{_NAME}){_NAME_ENDS}\.?{_GAP})(?P<first>\d\d?){_ORDINAL}{_UNTIL}"
        rf"(?P<last>\d\d?){_ORDINAL}(?P<year>{_GAP}{_PLAIN_YEAR})?",
    }.items()
}
# A day and a year around an unknown word, an era, a week, or a month without blanks.
_UNREAD_DAY = re.compile(
    r"\b\d{1,2}\.?\s[^\W\d_]{3,12}\.?,?\s[12]\d{3}\b"
    r"|[^\W\d_]{3,12}\.?\s\d{1,2},?\s[12]\d{3}\b"
    r"|\b[12]\d{3}\.?\s[^\W\d_]{3,12}\.?\s\d{1,2}\b|\d\.[IVX]{1,4}\.\d"
    rf"|\b(?i:(?:first|second|third|(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf|\w{{3,5}}teen"
    rf"|twentie|thirtie)th)\s(?:of\s)?(?:{_NAME}))\b|\b\d\d?[ |]\d\d?[ |](?:19|20)\d\d\b"
    r"|\b\d{1,2}/\d{1,2}-\d{2,4}\b|[十〇零一二三四五六七八九]月|\b[MTSHR]\d{1,2}\.\d{1,2}\.\d{1,2}\b"
    r"|\b\d\d?\.(?:0?[1-9]|1[0-2])\.(?!\d)"
    r"|(?<![\d/])(?:0\d|[12]\d|3[01])/(?:0\d|[12]\d|3[01])(?![\d/])"
    rf"|\d ?[月월日일]|\d{{4}}-W\d\d|\b\d{{1,2}}(?i:{_NAME})\d{{2,4}}\b|تشرين|كانون"
)
# Other digits, an era, a date without separators, a Hijri or Buddhist year.
_OTHER_YEAR = re.compile(
    rf"(?![0-9])\d|[〇零一二三四五六七八九]|{'|'.join(_ERAS)}|\d{{5}}|\b(?:1[34]|2[4-6])\d\d\b"
)
_DATE_FIELD = re.compile(rf"\d+|元|{'|'.join(_ERAS)}|{_NAME}", re.IGNORECASE)

_BETWEEN_DATE_AND_TIME = re.compile(
    r"(?:[ \u00a0]?[(\uff08][^()\uff08\uff09\n]{1,12}[)\uff09])?"
    r"[ \u00a0]{0,2}(?:T|,|at|um|à|alle|a las|às|om|الساعة|בשעה|เวลา)?[ \u00a0]{0,2}",
    re.IGNORECASE,
)
_AM_WORDS: Final = "上午|午前|凌晨|清晨|早上|오전"
_PM_WORDS: Final = "下午|午後|晚上|傍晚|오후"
_TIME = re.compile(
    rf"(?:(?:(?P<early>{_AM_WORDS})|(?P<late>{_PM_WORDS}))[ ]?)?(?<![\d:.,])(?P<hour>\d{{1,2}})"
    r"(?:[:.h\uff1a](?P<minute>[0-5\u0660-\u0665]\d)(?::(?P<second>[0-5]\d)(?P<fraction>[.,]\d{1,9})?)?"
    r"|(?P<sign>[ ]?[點点時时시](?![間间간])"
    r"(?:[ ]?(?P<minutes>[0-5\u0660-\u0665]?\d)[ ]?[分분]|[ ]?(?P<past>[半반]))?))?"
    r"(?:[ \u00a0]?(?P<half>[ap])(?:\.[ \u00a0]?)?m\b\.?"
    r"|[ ]?(?:(?P<morning>صباح\u064b?\u0627?\u064b?)|(?P<evening>مساء\u064b?\u0627?))"
    r"|[ \u00a0]?(?P<mark>h|uhr|heures?|uur)\b(?:[ \u00a0](?P<after>[0-5]\d)\b)?)?(?![\d:])",
    re.IGNORECASE,
)
# The first time of a range, and the text between its times.
_FIRST_TIME = re.compile(
    r"(?<![\d:.,/-])(?P<hour>\d{1,2})(?:[:.h](?P<minute>[0-5]\d))?"
    r"(?: ?[-\u2013\u2014] ?| (?:to|until|till|bis|and|und|à|a|al|às|tot) )$",
    re.IGNORECASE,
)
_BETWEEN_TIMES = re.compile(
    r"\s?(?:[-\u2013\u2014~\u301c\uff5e\u81f3\u5230]|から|부터|to|until|bis)\s?"
)
_MAX_TO: Final = 15
"""How many characters before the last time of a range the first one may begin."""
_HALVES: Final = ("half", "early", "late", "morning", "evening")
"""The groups of its match that tell the half of the day."""
_IMPOSSIBLE_TIME = re.compile(
    r"(?:\dT|\b(?:at|from|by|until|um|ab|bis|von|a las|alle|às|om) )"
    r"(?P<time>(?:(?:2[5-9]|[3-9]\d):\d\d|\d\d:[6-9]\d)(?::\d\d)?)(?![\d:])",
    re.IGNORECASE,
)
_WRITTEN_TIME = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?P<fraction>\.\d+)?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)? ?(?P<zone>Z|[+-]\d{2}:\d{2})?",
    re.ASCII | re.IGNORECASE,
)
_UNREAD_TIME = re.compile(
    r"\b(?:noon|midnight|half past|quarter (?:past|to)|o['\u2019]clock|mittags?|mitternacht|midi"
    r"|minuit|mediod[ií]a|medianoche|mezzogiorno|mezzanotte|meio-dia|meia-noite"
    r"|\d{4} ?(?:h|hrs|hours|uhr)|\d{1,2} ?(?:h|uhr) (?:\d|[6-9]\d)|(?<![-+])0\d[0-5]\d"
    r"|abends|nachmittags|nachts"
    r"|in the (?:afternoon|evening)|at night|de la (?:tarde|noche|mañana)"
    r"|da (?:tarde|noite|manhã)|du soir|de l['\u2019]après-midi|di sera|del pomeriggio)\b"
    r"|\b(?:at|um|a las|alle|às|om|kl\.?) \d{1,2}(?![\d:/%°-]|[.,]\d|\s?\w)"
    r"|[一二两三四五六七八九十半][點点時时]|정오|자정|正午|中午|โมง|ทุ่ม|นาฬิกา|\d ?[صم]\b|ظهر|צהריים"
    r"|\d{8}[T ]\d{4}|/\d{4}:\d\d:\d\d|\d:\d\d.{1,12}\w/\w|\d:\d\d.{1,20} time\b",
    re.IGNORECASE,
)
# 09:00-17:00 has no time zone, but 09:00:00-05:00 and T09:00-05:00 do.
_ZONE = re.compile(
    r"[ \u00a0]?\(?(?:(?P<zero>Z|(?:UTC|GMT)(?! ?[+\u2212-]\d))\b"
    r"|(?P<sign>[+\u2212-])(?P<hours>[01]\d):?(?P<minutes>[0-5]\d)(?![\d:])"
    r"|(?:UTC|GMT) ?(?P<utc_sign>[+\u2212-])(?P<utc_hours>[01]?\d)"
    r"(?::?(?P<utc_minutes>[0-5]\d))?(?![\d:])"
    r"|(?P<named>[ECMPA][SD]T|[ECMP]T|W?ES?T|W?EDT|CES?T|MES?Z|[BIJK]ST|MSK|HKT|AE[SD]T)\b)"
)


@dataclass(frozen=True, slots=True)
class Day:
    """A reading of a day; the year is 0 if it is not stated."""

    year: int
    month: int
    day: int

    def iso_date(self, year: int) -> str | None:
        """Return the date in ISO 8601, in ``year`` if it has none; None if there is no such day."""
        try:
            return date(self.year or year, self.month, self.day).isoformat()
        except ValueError:
            return None

    def iso_form(self, year: int) -> str:
        """Return what ``iso_date`` would, even if there is no such day."""
        return f"{self.year or year:04}-{self.month:02}-{self.day:02}"


class DocumentDates:
    """The days that a document states, read once for many searches.

    Args:
        document: its text.
        years: the years that the rest of the prompt states.
    """

    def __init__(self, document: str, years: Collection[int] = ()) -> None:
        self.document = _to_plain_forms(document)
        self._years = years_in(document).union(years)
        self._by_day: dict[tuple[int, int], list[tuple[int, int, set[Day]]]] = {}
        self.spans: list[tuple[int, int]] = []
        """The spans of these days, from left to right."""
        for start, end, days in dates_in(document):
            self.spans.append((start, end))
            for month, day in {(day.month, day.day) for day in days}:
                self._by_day.setdefault((month, day), []).append((start, end, days))

    def find(self, value: str) -> Iterator[tuple[int, int]]:
        """Yield the offsets of everything that means the day ``value`` (YYYY-MM-DD).

        The time of a date-time must be next to the day, unless it is midnight. In a numeric date,
        day and month may be in either order. Days with years come first, then those whose year is
        elsewhere in the document.
        """
        wanted, _, time = value.partition("T")
        time = time[:8]
        year, month, day = (int(part) for part in wanted.split("-"))
        found = [
            (min(day.year == 0 for day in same), start, end)
            for start, end, days in self._by_day.get((month, day), ())
            if (same := [day for day in days if day.iso_date(year) == wanted])
        ]
        for has_no_year, start, end in sorted(found):
            if has_no_year and year not in self._years:
                continue
            if not time or time == "00:00:00":
                yield start, end
                continue
            gap = _BETWEEN_DATE_AND_TIME.match(self.document, end)
            assert gap, "it also matches empty text"
            # After 日 and the like no separator is needed.
            is_apart = gap.end() > end or not self.document[end - 1].isdigit()
            beside = _TIME.match(self.document, gap.end()) if is_apart else None
            if beside and time in _read_times(beside):
                yield start, beside.end()

    def year_error(self, value: str) -> str | None:
        """Return why the year of a date (YYYY-MM-DD) is made up, or None if it may be stated."""
        year, month, day = (int(part) for part in value[:10].split("-"))
        stated = self._by_day.get((month, day), ())
        has_year = any(day.year for *_, days in stated for day in days)
        if has_year or year in self._years:
            return None
        around = self.document
        for start, end, _ in stated:
            around = f"{around[:start]}{' ' * (end - start)}{around[end:]}"
        if re.search(rf"(?<!\d){year % 100:02}(?!\d)", around):
            return None
        if stated:
            start, end, _ = stated[0]
            return f"the document states {self.document[start:end].rstrip('.')} without a year"
        return (
            None if self._may_have_other_years else f"the document does not state the year {year}"
        )

    @cached_property
    def _may_have_other_years(self) -> bool:
        """Whether the document may state years in forms that ``years_in`` does not read."""
        is_unread = has_unread_days(self.document)
        return is_unread or _OTHER_YEAR.search(self.document) is not None


def has_unread_days(document: str) -> bool:
    """Return whether a document seems to have dates that ``dates_in`` does not read."""
    document = _to_plain_forms(document)
    for dates in (*_DATE_RANGES.values(), _DATE):
        document = dates.sub(" | ", document)
    return _UNREAD_DAY.search(document) is not None


def has_unread_times(document: str) -> bool:
    """Return whether a document seems to have times that ``times_in`` does not read."""
    return _UNREAD_TIME.search(_to_plain_forms(document)) is not None


def impossible_time(document: str) -> str | None:
    """Return an impossible time that a document states, such as 36:00, or None."""
    found = _IMPOSSIBLE_TIME.search(document)
    return found and found["time"]


def years_in(document: str) -> set[int]:
    """Return the years that a document states."""
    return {int(year) for year in YEAR.findall(document)}


def dates_in(document: str) -> Iterator[tuple[int, int, set[Day]]]:
    """Yield the dates that a document states, with their offsets and all readings."""
    document = _to_plain_forms(document)
    found: dict[tuple[int, int], set[Day]] = {}
    for match in _DATE.finditer(document):
        found[match.span()] = {*_read_days(match.lastgroup or "", match.group())}
    for form, dates in _DATE_RANGES.items():
        for match in dates.finditer(document):
            for span, days in _ends_of_range(form, match):
                found.setdefault(span, set()).update(days)
    for (start, end), days in sorted(found.items(), key=lambda item: item[0]):
        yield start, end, days


def _ends_of_range(
    form: str, match: re.Match[str]
) -> Iterator[tuple[tuple[int, int], Iterable[Day]]]:
    """Yield both days of a range with their spans: that of the range if only it is complete."""
    if form in ("year_first", "year_last"):
        for end in ("first", "last"):
            yield match.span(end), _read_days(form, match[end])
    elif form == "name_day":
        for end in ("first", "last"):
            yield match.span(), _read_days(form, match["name"] + match[end] + (match["year"] or ""))
    else:
        last = [*_read_days("year_last" if form == "numbers" else form, match["last"])]
        yield match.span("last"), last
        day, month = int(match["day"]), int(match.groupdict().get("month") or 0)
        yield match.span(), [_first_day(each, month, day) for each in last]
        if month:
            yield match.span(), [_first_day(each, day, month) for each in last]


def _first_day(last: Day, month: int, day: int) -> Day:
    """Return the first day of a range; month 0 means that of the last day, or the one before."""
    year, its_month = last.year, month or last.month
    if not month and day > last.day:
        its_month = last.month - 1 or 12
    if year and (its_month, day) > (last.month, last.day):
        year -= 1
    return Day(year, its_month, day)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day that a document states."""

    start: int
    end: int
    times: set[str]
    """HH:MM:SS, with a fraction if it has one."""
    zone: str | None = ""
    """``Z`` or ``+02:00``; empty if not stated, None if stated only by name."""
    is_marked: bool = False
    """Whether am, pm or the like tells which half of the day it is in."""


def times_in(document: str) -> Iterator[Clock]:
    """Yield the times of day that a document states."""
    document = _to_plain_forms(document)
    position = 0
    before: Clock | None = None
    while match := _TIME.search(document, position):
        position = match.end()
        times = _read_times(match)
        if not times:
            continue
        zone = _ZONE.match(document, position)
        is_iso = match["second"] or document[match.start() - 1 : match.start()] == "T"
        if zone and zone["sign"] not in (None, "+") and not is_iso:
            zone = None
        if zone:
            position = zone.end()
        fraction = (match["fraction"] or "").replace(",", ".")
        times = {time + fraction for time in times}
        is_marked = any(match[mark] for mark in _HALVES)
        offset = _utc_offset(zone) if zone else ""
        first = _FIRST_TIME.search(document, max(0, match.start() - _MAX_TO), match.start())
        if first and int(first["hour"]) < 24:
            own = {f"{int(first['hour']):02}:{first['minute'] or '00'}:00"}
            if is_marked:
                own = {_first_time_of_range(time, last) for time in own for last in times}
            end = first.end("minute" if first["minute"] else "hour")
            is_known = before and (
                before.start < first.start() < before.end
                or (first.start(), own) == (before.start, before.times)
            )
            if not is_known:
                yield Clock(first.start(), end, own, offset, is_marked)
        elif (
            before
            and before.is_marked
            and not is_marked
            and _BETWEEN_TIMES.fullmatch(document, before.end, match.start())
        ):
            times = {_last_time_of_range(time, early) for time in times for early in before.times}
        before = Clock(match.start(), position, times, offset, is_marked)
        yield before


def _first_time_of_range(time: str, last: str) -> str:
    """Return the first time of a range in which only the last time has am or pm."""
    halves = [f"{int(time[:2]) % 12 + half:02}{time[2:]}" for half in (0, 12)]
    return max((each for each in halves if each < last), default=halves[1])


def _last_time_of_range(time: str, first: str) -> str:
    """Return the last time of a range in which only the first time has am or pm."""
    later = f"{int(time[:2]) + 12:02}{time[2:]}"
    return later if time <= first < later < "24" else time


@lru_cache(maxsize=4)
def _stated_times(document: str, is_marked: bool) -> frozenset[str]:
    """Return the times that a document states, or only those with am, pm and the like."""
    return frozenset(
        time[:8]
        for clock in times_in(document)
        if clock.is_marked or not is_marked
        for time in clock.times
    )


_MIN_DATE_DIGITS = 6
"""Fewer digits, such as those of 3.4.24, may also begin another date."""


def restore_date(text: str, document: str) -> str:
    """Return the date whose digits a model copied in another order; other texts unchanged.

    A model that would write 31/10/17 as the document does, but must write YYYY-MM-DD, writes its
    digits: 3110-17-20.
    """
    digits = re.sub(r"\D", "", text)
    found = {
        each
        for start, end, days in dates_in(document)
        if len(own := re.sub(r"\D", "", document[start:end])) >= _MIN_DATE_DIGITS
        and digits.startswith(own)
        and (each := _only_reading(days, document))
    }
    return found.pop() if len(found) == 1 else text


def _only_reading(days: Iterable[Day], document: str) -> str | None:
    """Return the one date that a text with some readings can mean, or None.

    A year of two digits is in this century, unless the document states the other year.
    """
    dates = {each for day in days if day.year and (each := day.iso_date(day.year))}
    if len({each[4:] for each in dates}) != 1:
        return None
    stated = {each for each in dates if each[:4] in document}
    return min(stated) if len(stated) == 1 else max(dates)


def iso_time(text: str, document: str) -> str:
    """Return a time as HH:MM:SS with its fraction and zone; other texts unchanged.

    Models copy 3:00 from ``3:00 pm`` without what makes it 15:00.
    """
    match = _WRITTEN_TIME.fullmatch(text.strip())
    if match is None:
        return text
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    rest = f":{match['minute']}:{match['second'] or '00'}"
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif 1 <= hour <= 12 and f"{hour:02}{rest}" not in _stated_times(document, False):
        other = (hour + 12) % 24
        hour = other if f"{other:02}{rest}" in _stated_times(document, True) else hour
    return f"{hour:02}{rest}{match['fraction'] or ''}{match['zone'] or ''}"


def _utc_offset(zone: re.Match[str]) -> str | None:
    if zone["named"]:
        return None
    if zone["zero"]:
        return "Z"
    sign = "+" if "+" in (zone["sign"], zone["utc_sign"]) else "-"
    hours, minutes = zone["hours"] or zone["utc_hours"], zone["minutes"] or zone["utc_minutes"]
    return f"{sign}{int(hours):02}:{minutes or '00'}"


def _read_days(form: str, text: str) -> Iterator[Day]:
    if form == "han":
        year, month, day, _ = re.split("[年月日]", text)
        yield Day(int(year.translate(_FROM_HAN)), _han_number(month), _han_number(day))
        return
    fields = [str(_MONTH_OF.get(fold_case(field), field)) for field in _DATE_FIELD.findall(text)]
    if form == "era":
        first = 1 if fields[1] == "元" else int(fields[1])
        yield Day(_ERAS[fields[0]] + first, int(fields[2]), int(fields[3]))
        return
    numbers = [int(field) for field in fields]
    match form:
        case "year_first" | "ideographs" | "year_name":
            for year in _years(fields[0]):
                yield Day(year, numbers[1], numbers[2])
        case "compact":
            yield Day(int(text[:4]), int(text[4:6]), int(text[6:]))
        case "year_last":
            for year in _years(fields[2]):
                yield Day(year, numbers[1], numbers[0])
                yield Day(year, numbers[0], numbers[1])
            if "-" in text and len(fields[2]) == 2:
                for year in _years(fields[0].zfill(2)):  # 24-05-31
                    yield Day(year, numbers[1], numbers[2])
        case "day_name" | "name_day":
            day, month = numbers[:2] if form == "day_name" else numbers[1::-1]
            for year in _years(fields[2]) if len(fields) > 2 else (0,):
                yield Day(year, month, day)


def _han_number(text: str) -> int:
    """Return a number below 100: 21 for ``二十一``."""
    tens, has_tens, ones = text.translate(_FROM_HAN).partition("十")
    return int(f"{tens or 1}{ones or 0}") if has_tens else int(tens)


def _years(text: str) -> Iterator[int]:
    """Yield the years that a number can mean: 00 to 59 are in this century or the last.

    2567 may be a Buddhist year, as in Thailand.
    """
    if len(text) == 4:
        yield int(text)
        if 2400 <= int(text) < 2700:
            yield int(text) - 543
    else:
        if int(text) < 60:
            yield 2000 + int(text)
        yield 1900 + int(text)


def _read_times(match: re.Match[str]) -> set[str]:
    if not any(match[name] for name in ("minute", "half", "mark", "sign", "morning", "evening")):
        return set()  # A number alone is not a time.
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return set()
        hour = hour % 12 + (12 if half == "p" else 0)
    elif match["late"] or match["evening"]:
        hour += 12 if hour < 12 else 0
    elif (match["early"] or match["morning"]) and hour == 12:
        hour = 0
    if hour > 23:
        return set()
    minute = int("30" if match["past"] else match["minute"] or match["minutes"] or 0)
    # 30 in *9 h 30* may also be another number.
    minutes = {minute, int(match["after"] or minute)}
    return {f"{hour:02}:{each:02}:{int(match['second'] or 0):02}" for each in minutes}


_DECIMALS = re.compile(r"[.,](\d{1,12})\D*$", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)


def as_float(number: int) -> int | float:
    """Return an integer as a float if one is equal to it, or else unchanged."""
    try:
        found = float(number)
    except OverflowError:
        return number
    return found if found == number else number


def with_trailing_zeros(number: int | float, stated: str) -> str:
    """Return a number in decimal with the trailing zeros of a text: 235.6 as ``235.60``."""
    plain = f"{Decimal(repr(number)):f}"
    decimals = _DECIMALS.search(stated)
    if decimals is None:
        return plain
    whole, _, fraction = plain.partition(".")
    wanted = whole + "." + fraction.rstrip("0").ljust(len(decimals[1]), "0")
    digits = "".join(_DIGITS.findall(stated)).lstrip("0")
    is_same = "".join(_DIGITS.findall(wanted)).lstrip("0") == digits
    return wanted if is_same else plain
