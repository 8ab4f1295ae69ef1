"""What the bundled model makes of scripts, signs and numbers that constraints once cut."""

import unicodedata
from pathlib import Path

import pytest

from hpd import Document, Extractor
from hpd.schema import load_schema

BUNDLED = Path(__file__).parents[1] / "models" / "hpd-box.gguf"
TIME = {"properties": {"start": {"type": "string", "format": "time"}}}
CENTS = {"properties": {"price": {"type": "number", "multipleOf": 0.01}}}
AGE = {"properties": {"age": {"type": "integer", "maximum": 120}}}

CASES = [
    ("zip int", "Address: Hauptstr. 5, ZIP 01067 Dresden", 1067),
    ("account_number int", "Account 0012345, holder Ann Lee", 12345),
    ("account_number", "Account 0012345, holder Ann Lee", "0012345"),
    ("order int", "订单编号 00456 已发货", 456),
    ("order_number int", "注文番号\uff1a007812", 7812),
    ("room int", "Room 007, floor 2", 7),
    ("part_number int", "Part 04711 in stock: 20", 4711),
    ("valid_until date", "Valid until 31 Feb 2024", None),
    ('"day" date', "Meeting on 31.04.2024 in Bonn", None),
    ("order_number", "订单号A1023已发货", "A1023"),
    ("phone", "姓名李明\uff0c电话13800001111", "13800001111"),
    ("name", "姓名\uff1a李明\uff0c电话13800001111", "李明"),
    ("phone", "担当者は田中太郎、電話は03-1234-5678です", "03-1234-5678"),
    ("order_number", "주문번호 A77을 김민수가 주문", "A77"),
    ("order_number", "คำสั่งซื้อเลขที่A1023จัดส่งแล้ว", "A1023"),
    ("model", "型号XT-500黑色", "XT-500"),
    ("guest", "Guest: Mme Dupr\u00e9, room 12", "Mme Dupr\u00e9"),
    ("author", "Autor: Jos\u00e9 Garc\u00eda, 2020", "Jos\u00e9 Garc\u00eda"),
    ('"date" date', "会议在2024年5月6日下午3点", "2024-05-06"),
    (TIME, "Beginn: 09:30 Uhr", "09:30:00"),
    (TIME, "開始 午後3時15分", "15:15:00"),
    ("diameter float", "1/3 inch bolt", 0.3333),
    ("milk_cups float", "2/3 cup milk", 0.6667),
    ("net_loss int", "Net loss (139,624)", -139624),
    (CENTS, "Price: 12.345 USD", None),
    (AGE, "Age: 130 years, room 12", None),
    ("brand", "Brand: Nike\x1d, size\x1d42", "Nike"),
    ("user", "Login: CORP\\bob", "CORP\\bob"),
    ("log_file", "Log file: D:\\logs\\run.log, size 3 MB", "D:\\logs\\run.log"),
    ("file_path", "File: C:\\Users\\bo\\table.txt", "C:\\Users\\bo\\table.txt"),
]


@pytest.fixture(scope="module")
def found():
    """The value of each case, and its place."""
    schemas = {str(n): load_schema(schema) for n, (schema, _, _) in enumerate(CASES)}
    documents = [
        # Accents apart from their letters.
        Document(unicodedata.normalize("NFD", text) if "\u00e9" in text else text, category=str(n))
        for n, (_, text, _) in enumerate(CASES)
    ]
    with Extractor(schemas, BUNDLED, n_threads=1, on_invalid="record") as extractor:
        return [
            next(iter(extraction.fields.values()))
            for extraction in extractor.extract_many(documents)
        ]


@pytest.mark.parametrize("n", range(len(CASES)))
def test_what_the_document_states_comes_whole_and_has_its_place(found, n):
    _, text, value = CASES[n]
    own = found[n]
    is_text = isinstance(own.value, str)
    assert (unicodedata.normalize("NFC", own.value) if is_text else own.value) == value, text
    assert value is None or own.match in ("exact", "normalized")


def test_a_choice_that_nothing_supports_is_never_sure():
    schema = "status [open|paid], currency [EUR|USD], paid bool"
    with Extractor(schema, BUNDLED) as extractor:
        for text in ("nothing here", "The weather is nice."):
            for name, field in extractor.extract(text).fields.items():
                if field.value is not None:
                    assert field.match == "none", name
                    assert field.confidence < 0.9, name
