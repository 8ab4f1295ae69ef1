"""Write short texts with values that can only be copied character by character.

Paths, logins, part numbers and negative amounts in brackets are rare in the handwritten documents.
"""

from __future__ import annotations

import re
from random import Random
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from recipe.short import SEPARATORS, SPACELESS, Row, labelled_line

_LABELS = {
    "path": ("File", "file path", "log file", "Config", "Source", "script", "folder", "Attachment"),
    "login": ("Login", "user", "account", "Owner", "Operator", "signed in as"),
    "code": (
        *("Model", "part number", "SKU", "Serial no", "Article", "Ref", "order code", "Batch"),
        *("Tracking number", "licence key", "Version", "device", "型号", "编号", "订单号", "品番"),
        *("注文番号", "모델", "주문번호", "Artikelnummer", "Référence", "Código", "رقم الطلب"),
    ),
    "amount": (
        *("Net loss", "change", "Operating result", "Balance", "Adjustment", "Cash flow", "loss"),
        *("Other income", "Ergebnis", "Résultat net", "difference", "Impairment", "Net income"),
    ),
}
_OTHERS = ("12 pcs", "size 3 MB", "ok", "黑色", "已发货")
"""What may stand beside the values."""
_SPACELESS_ENDS = ("已发货", "黑色", "现货", "のご注文", "です", "を出荷", "")
_WORDS = ("logs", "table", "new", "run", "reports", "users", "temp", "bin", "notes", "data")
_ROOTS = ("C:\\", "C:\\", "D:\\", "E:\\", "C:\\Users\\", "\\\\server\\")
_SUFFIXES = (".log", ".txt", ".csv", ".pdf", ".exe", ".py", ".ini", ".tar.gz", "")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def code_row(rng: Random) -> Row:
    """Return a text with one to three such values, its schema and its answer."""
    form = Random(rng.random())
    lines: list[str] = []
    asked: dict[str, Attribute] = {}
    answer: dict[str, Any] = {}
    for _ in range(rng.choice((1, 1, 2, 3))):
        kind = rng.choice(("path", "login", "code", "code", "code", "amount", "amount"))
        label = rng.choice(_LABELS[kind])
        name = label if rng.random() < 0.4 else label.lower().replace(" ", "_")
        if name in asked:
            continue
        if kind == "amount":
            text, value = _amount(rng)
            is_integer = isinstance(value, int) and rng.random() < 0.6
            asked[name] = Attribute(name, "integer" if is_integer else "number")
        else:
            text = value = {"path": _path, "login": _login, "code": made_up_code}[kind](rng)
            asked[name] = Attribute(name)
        answer[name] = value
        line = labelled_line(label, text, form, rng)
        lines.append(line + rng.choice(_SPACELESS_ENDS) if SPACELESS.search(label) else line)
    if rng.random() < 0.5:
        lines.insert(rng.randint(0, len(lines)), rng.choice(_OTHERS))
    return rng.choice(SEPARATORS).join(lines), Schema(tuple(asked.values())), answer


def _word(rng: Random) -> str:
    return "".join(rng.choice(_LETTERS) for _ in range(rng.randint(2, 7)))


def _path(rng: Random) -> str:
    parts = [
        rng.choice((_word(rng), _word(rng).capitalize(), *_WORDS)) for _ in range(rng.randint(1, 4))
    ]
    end = rng.choice(_SUFFIXES)
    if rng.random() < 0.65:
        return rng.choice(_ROOTS) + "\\".join(parts) + end
    return rng.choice(("/", "~/", "./", "/home/", "/var/")) + "/".join(parts) + end


def _login(rng: Random) -> str:
    first = _word(rng)
    form = rng.choice(("{}\\{}", "{}\\{}", "{}@{}", "{}.{}", "{}_{}"))
    return form.format(first.upper() if rng.random() < 0.5 else first, _word(rng))


def made_up_code(rng: Random) -> str:
    """Return letters and digits, with up to two signs between."""
    code = "".join(
        rng.choice(_LETTERS.upper() if rng.random() < 0.5 else "0123456789")
        for _ in range(rng.randint(3, 11))
    )
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        position = rng.randint(1, len(code) - 1)
        code = code[:position] + rng.choice("--/._ ") + code[position:]
    return re.sub(r"([-/._ ])[-/._ ]+", r"\1", code)


def _amount(rng: Random) -> tuple[str, float]:
    """Return a text and its number, often a negative one."""
    places = rng.choice((0, 0, 1, 2))
    number = rng.choice((-1, -1, 1)) * rng.randint(1, 10 ** rng.randint(2, 7))
    value = number / 10**places if places else number
    form = rng.choice(("({})", "({})", "-{}", "\u2212{}")) if number < 0 else "{}"
    return rng.choice(("", "", "$", "€ ")) + form.format(f"{abs(value):,.{places}f}"), value
