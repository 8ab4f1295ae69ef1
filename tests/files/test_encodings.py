"""Texts in the encodings of other scripts: read right, or with a word that it is a guess."""

# ruff: noqa: E501, RUF001

import io
import json
import sys

import pytest

pytest.importorskip("charset_normalizer")

from hpd.errors import InputError
from hpd.files.reader import RecordReader

JAPANESE = (
    "株式会社山田商店は東京都千代田区にある文房具の専門店です。請求書番号は2026-4711、合計金額は税込みで"
    "12,800円、お支払い期限は11月30日となります。ご不明な点は担当の佐藤までご連絡ください。"
)
RUSSIAN = (
    "Общество Восток основано в 1998 году и торгует бытовой техникой. Номер заказа 2026-4711, общая "
    "сумма двенадцать тысяч рублей, просим оплатить до тридцатого ноября."
)
TEXTS = {
    "shift_jis": JAPANESE,
    "euc_jp": JAPANESE,
    "gb18030": (
        "上海东方贸易有限公司成立于一九九八年，主要经营家用电器和办公用品。订单号为2026-4711，总金额为"
        "人民币一万二千八百元，请在十一月三十日之前付款。如有任何问题，请与我们的客服经理王小明联系。"
    ),
    "big5": (
        "臺北東方貿易股份有限公司成立於一九九八年，主要經營家用電器和辦公用品。訂單編號為2026-4711，"
        "總金額為新臺幣一萬二千八百元，請在十一月三十日之前付款。如有問題，請與客服經理王小明聯絡。"
    ),
    "euc_kr": (
        "서울동방무역 주식회사는 가전제품과 사무용품을 판매하고 있습니다. 주문 번호는 2026-4711이고 총 금액은"
        " 십이만 팔천 원이며, 십일월 삼십일까지 결제해 주시기 바랍니다. 담당자 김민수에게 연락해 주십시오."
    ),
    "koi8-r": RUSSIAN,
    "cp1251": RUSSIAN,
    "cp866": RUSSIAN,
    "cp1250": (
        "Spółka Wschód została założona w 1998 roku i sprzedaje sprzęt gospodarstwa domowego. Numer "
        "zamówienia to 2026-4711, łączna kwota wynosi dwanaście tysięcy złotych, prosimy o zapłatę do "
        "trzydziestego listopada. Pytania proszę kierować do pana Łukasza Żółtowskiego: służymy pomocą "
        "także wieczorem. Część urządzeń wysyłamy później, gdyż oczekujemy na dostawę części zamiennych."
        " Jeżeli życzą sobie Państwo zmienić ilość, należy złożyć wyjaśnienie w ciągu tygodnia, "
        "późniejsze życzenia uwzględnimy, jeśli będzie to możliwe. Dziękujemy za złożenie zamówienia."
    ),
    "cp1253": (
        "Η εταιρεία Ανατολή ιδρύθηκε το 1998 και πουλάει οικιακές συσκευές. Ο αριθμός παραγγελίας είναι "
        "2026-4711, το συνολικό ποσό είναι δώδεκα χιλιάδες ευρώ και πληρώνεται τον Νοέμβριο."
    ),
}  # fmt: skip
NO_TELLING = ("", "店")
"""What is valid UTF-8 in another encoding as well."""
FORMS = ("txt", "html", "csv", "jsonl", "lines")


def records(text, form, encoding):
    """A file with the text, in a table with a part of it on each row."""
    parts = [text[i : i + 20] for i in range(0, len(text), 20)]
    content = {
        "txt": text,
        "html": f"<html><head><title>Shop</title></head><body class='page'><p>{text}</p></body></html>",
        "csv": f"id;text;{text[:5].strip()}\n" + "".join(f"{n};{part};1\n" for n, part in enumerate(parts)),
        "jsonl": "".join(json.dumps({"text": part}, ensure_ascii=False) + "\n" for part in parts),
        "lines": "\n".join(parts),
    }[form]  # fmt: skip
    file = io.BytesIO(content.encode(encoding))
    text_field = "text" if form == "csv" else None
    return list(RecordReader(file, format=form, text_field=text_field))


def said(record):
    return " ".join([*record.notes, *([str(record.error)] if record.error else [])])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("encoding", TEXTS)
def test_what_is_long_enough_is_read_right_and_the_guess_is_said(encoding, form):
    found = records(TEXTS[encoding], form, encoding)
    assert [said(record) for record in found if record.error] == []
    whole = "".join(record.text for record in found)
    assert "".join(whole.split()) == "".join(TEXTS[encoding].split())
    (note,) = [note for record in found for note in record.notes]
    name = {"euc_kr": "CP949", "cp866": "CP866", "koi8-r": "KOI8-R", "euc_jp": "EUC-JP"}.get(
        encoding, encoding.upper().replace("CP", "Windows-").replace("_", "-")
    )
    assert note == f"read as {name}, which is a guess (--encoding names another)"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("encoding", TEXTS)
def test_what_is_short_is_never_wrong_without_a_word(encoding, form):
    text = TEXTS[encoding]
    for start in range(0, 40, 7):
        for n in (1, 2, 3, 5, 8, 13, 21, 34, 55):
            part = " ".join(text[start : start + n].split())
            if part in NO_TELLING:
                continue
            try:
                found = records(part, form, encoding)
            except InputError as error:  # of the header of a table
                whole, words = "", str(error)
            else:
                whole, words = "".join(record.text for record in found), " ".join(map(said, found))
            is_right = "".join(whole.split()) == "".join(part.split())
            assert is_right or "which is a guess" in words or "not valid UTF-8" in words, part


@pytest.mark.parametrize("text", TEXTS.values())
def test_utf8_with_a_wrong_byte_is_no_other_encoding(text):
    data = (text * 2).encode()
    for wrong in (data[:-1] + b"\xff", data[:100] + b"\xe3" + data[100:]):
        (record,) = RecordReader(io.BytesIO(wrong), format="txt")
        assert "not valid UTF-8" in said(record)


@pytest.mark.parametrize(
    "text",
    [
        "Größe L, Straße, fünf Übergrößen, schön für Käufer in Köln und Österreich",
        "L'Haÿ-les-Roses : « déjà vu à l'été », été passé, reçu à Sèvres, préféré à Créteil, né",
        "El señor Íñigo Muñoz, él le ayudará mañana; más información: ¿cuándo? ¡Después!",
        "João Conceição não está disponível amanhã à tarde, às três; ação, coração, informações",
        "Åsa Sjöström på försäljningsavdelningen, år två, räksmörgås, kött och grönsaker",
        "Það er ekki þannig að þú getir fengið það ódýrt; ég þarf að fá þýðingu á íslensku, já",
        "Die Größe für Herrn Tichý: fünf Stück, schön verpackt, zu je 5 Euro; Grüße aus Köln",
        "Fläche 20 m², Raum 30 m³, 5 °C, ½ l, 3 × 4 cm, ±2 %, © Müller®, “schön” – für 9 €",
    ],
)
def test_western_texts_stay_western(text):
    (record,) = RecordReader(io.BytesIO(f"{text}. {text}".encode("cp1252")), format="txt")
    assert record.text.startswith(text)
    assert record.notes == ("read as Windows-1252, which is a guess (--encoding names another)",)


def test_turkish_texts_are_no_western_ones():
    text = "İstanbul'da kışlık mont, beden M, bağcıklı; sipariş numarası 4711, ödeme kapıda, teşekkürler"
    (record,) = RecordReader(io.BytesIO(text.encode("cp1254")), format="txt")
    assert record.text == text
    assert record.notes == ("read as Windows-1254, which is a guess (--encoding names another)",)


def test_without_the_package_it_is_an_error_as_before(monkeypatch):
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    (record,) = records(RUSSIAN, "txt", "koi8-r")
    assert "not valid UTF-8" in said(record)
    assert "--encoding" in said(record)


def test_a_part_of_an_e_mail_that_names_no_charset():
    pytest.importorskip("inscriptis")
    head = b"From: a@b.example\nSubject: order\n\n"
    (long,) = RecordReader(io.BytesIO(head + RUSSIAN.encode("koi8-r")), format="eml")
    assert long.text.endswith(RUSSIAN)
    assert "read as KOI8-R, which is a guess" in said(long)
    (short,) = RecordReader(io.BytesIO(head + "Луна".encode("koi8-r")), format="eml")
    assert said(short) == "a part is in an encoding that is not known"
