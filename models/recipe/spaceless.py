"""Write short texts of labels and values in Chinese, Japanese, Korean and Thai.

There no blank says where a value ends, and the handwritten documents have few short texts of them.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from recipe.codes import made_up_code
from recipe.short import Row

_LABELS: dict[str, dict[str, tuple[str, ...]]] = {
    "zh": {
        "order_number": ("订单号", "订单编号", "单号", "訂單編號", "订单"),
        "model": ("型号", "产品型号", "規格型號", "机型"),
        "phone": ("电话", "手机", "联系电话", "電話"),
        "name": ("姓名", "联系人", "客户", "收件人", "負責人"),
        "room": ("房间", "房号", "教室"),
        "quantity": ("数量", "共", "件数"),
        "price": ("价格", "金额", "总价", "售价"),
        "date": ("日期", "时间", "交货日", "签约日期"),
        "color": ("颜色", "色"),
        "tracking_number": ("快递单号", "运单号", "物流单号"),
        "email": ("邮箱", "电子邮件"),
    },
    "ja": {
        "order_number": ("注文番号", "ご注文番号", "受注番号", "注文No."),
        "model": ("型番", "品番", "モデル", "機種"),
        "phone": ("電話", "電話番号", "TEL", "携帯"),
        "name": ("氏名", "お名前", "担当者", "担当", "宛名"),
        "room": ("部屋番号", "会議室", "号室"),
        "quantity": ("数量", "個数", "人数"),
        "price": ("価格", "金額", "合計", "税込"),
        "date": ("日付", "納期", "発行日", "開催日"),
        "color": ("色", "カラー"),
        "tracking_number": ("お問い合わせ番号", "追跡番号", "送り状番号"),
        "email": ("メール", "メールアドレス"),
    },
    "ko": {
        "order_number": ("주문번호", "주문 번호", "접수번호"),
        "model": ("모델", "모델명", "품번"),
        "phone": ("전화", "연락처", "전화번호", "휴대폰"),
        "name": ("이름", "성명", "담당자", "고객명"),
        "room": ("객실", "호실", "회의실"),
        "quantity": ("수량", "개수", "인원"),
        "price": ("가격", "금액", "합계"),
        "date": ("날짜", "납기", "예약일"),
        "color": ("색상", "컬러"),
        "tracking_number": ("송장번호", "운송장번호"),
        "email": ("이메일", "메일"),
    },
    "th": {
        "order_number": ("คำสั่งซื้อเลขที่", "เลขที่สั่งซื้อ", "หมายเลขคำสั่งซื้อ"),
        "model": ("รุ่น", "โมเดล"),
        "phone": ("โทร", "เบอร์โทร", "โทรศัพท์"),
        "name": ("ชื่อ", "ผู้รับ", "ลูกค้า"),
        "room": ("ห้อง", "ห้องพัก"),
        "quantity": ("จำนวน",),
        "price": ("ราคา", "ยอดรวม"),
        "date": ("วันที่",),
        "color": ("สี",),
        "tracking_number": ("เลขพัสดุ",),
        "email": ("อีเมล",),
    },
}
"""What texts of each language call a field."""
_ENGLISH_NAMES = {
    "order_number": ("order", "order_id", "order no", "Order number"),
    "model": ("model", "model_number", "Model"),
    "phone": ("phone", "telephone", "Phone number", "contact_phone"),
    "name": ("name", "customer", "contact", "Name", "person"),
    "room": ("room", "room_number"),
    "quantity": ("quantity", "qty", "count"),
    "price": ("price", "amount", "total"),
    "date": ("date", "day", "Date"),
    "color": ("color", "colour"),
    "tracking_number": ("tracking_number", "waybill", "tracking"),
    "email": ("email", "e-mail"),
}
_TYPES = {"quantity": "integer", "price": "number", "date": "date"}
_FAMILY_NAMES = {
    "zh": "李 王 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林",
    "ja": "田中 鈴木 佐藤 高橋 渡辺 伊藤 山本 中村 小林 加藤 吉田 山田 佐々木 森 岡田 藤井",
    "ko": "김 이 박 최 정 강 조 윤 장 임 한 오 서 신 권 황",
    "th": "ใจดี แสงทอง บุญมี ศรีสุข วงศ์ไทย ทองคำ",
}
_GIVEN_NAMES = {
    "zh": "明 伟 芳 娜 敏 静 丽 强 磊 军 洋 艳 勇 杰 涛 超 秀 兰 霞 平 刚 桂 英 华 文 玉 萍 红",
    "ja": "太郎 花子 健一 美咲 翔 大輔 陽子 直樹 さくら 恵 拓也 由美 修 葵",
    "ko": "민 수 지 영 서 준 하 은 우 진 현 미 정 호 성 경 아 연 주 원 태 희",
    "th": "สมชาย สมหญิง วิชัย มาลี ประเสริฐ นภา อนันต์ กมล ศิริ ธนา",
}
_COLORS = {
    "zh": ("黑色", "白色", "红色", "银灰", "深蓝", "绿色"),
    "ja": ("黒", "白", "赤", "シルバー", "紺色", "グリーン"),
    "ko": ("검정", "흰색", "빨강", "은색", "남색"),
    "th": ("ดำ", "ขาว", "แดง", "เงิน", "น้ำเงิน"),
}
_COUNTERS = {"zh": ("", "件", "个"), "ja": ("", "個", "名"), "ko": ("", "개"), "th": ("", " ชิ้น")}
_CURRENCIES = {"zh": "元", "ja": "円", "ko": "원", "th": " บาท"}
_DATES = {
    "zh": "{}年{}月{}日",
    "ja": "{}年{}月{}日",
    "ko": "{}년 {}월 {}일",
    "th": "{0}-{1:02}-{2:02}",
}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_BETWEEN = {
    "zh": ("", "", "\uff1a", "\uff1a", ":", "是", "为", " "),
    "ja": ("", "\uff1a", "\uff1a", "は", "は、", ":", " "),
    "ko": (" ", " ", ": ", ":", "는 ", "은 ", ""),
    "th": ("", "", " ", ": ", "คือ"),
}
_AFTER = {
    "zh": "已发货 黑色 现货 已取消 的包裹已到 请查收 有货 一台",
    "ja": "です のご注文 を出荷しました になります 黒 の件 まで",
    "ko": "을 를 입니다 로 의 에서",
    "th": "จัดส่งแล้ว ครับ สีดำ ยกเลิกแล้ว",
}
"""What may follow a value at once."""
_SEPARATORS = {
    "zh": ("\uff0c", "\uff0c", ",", "\uff1b", "\n", " ", "、"),
    "ja": ("、", "、", "\n", " ", "\u3000", "。"),
    "ko": (", ", ", ", "\n", " ", " / "),
    "th": (" ", " ", "\n", ", "),
}


def spaceless_row(rng: Random) -> Row:
    """Return a text with one to four fields, its schema and its answer."""
    language = rng.choice(("zh", "zh", "ja", "ja", "ko", "ko", "th"))
    fields = rng.sample(sorted(_ENGLISH_NAMES), rng.choice((1, 1, 2, 2, 3, 4)))
    others = [field for field in _ENGLISH_NAMES if field not in fields]
    absent = rng.sample(others, rng.choice((0, 0, 0, 1, 2)))
    between = rng.choice(_BETWEEN[language])
    lines: list[str] = []
    asked: list[Attribute] = []
    answer: dict[str, Any] = {}
    for field in fields:
        kind = _TYPES.get(field, "string")
        text, value = _value(field, language, rng)
        if field in ("order_number", "room") and value.isdecimal() and rng.random() < 0.5:
            kind, value = "integer", int(value)
        label = rng.choice(_LABELS[language][field])
        is_label_first = language != "ko" or rng.random() < 0.9
        line = label + between + text if is_label_first else f"{text} {label}"
        # What follows a name or a colour at once could be a part of it.
        if field not in ("name", "color", "email") and rng.random() < 0.7:
            line += rng.choice(_AFTER[language].split())
        lines.append(line)
        if rng.random() < 0.8 or not asked:
            attribute = Attribute(_name(field, language, rng), kind)
            asked.append(attribute)
            answer[attribute.name] = value
    for field in absent:
        attribute = Attribute(_name(field, language, rng), _TYPES.get(field, "string"))
        asked.append(attribute)
        answer[attribute.name] = None
    rng.shuffle(asked)
    text = rng.choice(_SEPARATORS[language]).join(lines)
    return text, Schema(tuple(asked)), {each.name: answer[each.name] for each in asked}


def _name(field: str, language: str, rng: Random) -> str:
    of_language = _LABELS[language][field]
    return rng.choice(of_language if rng.random() < 0.35 else _ENGLISH_NAMES[field])


def _value(field: str, language: str, rng: Random) -> tuple[str, Any]:
    """Return how a text writes a value, and the value."""
    if field == "quantity":
        n = rng.randint(1, rng.choice((9, 99, 999)))
        return f"{n}{rng.choice(_COUNTERS[language])}", n
    if field == "price":
        n = rng.randint(1, 99_999)
        return f"{rng.choice((f'{n:,}', n))}{_CURRENCIES[language]}", n
    if field == "date":
        year, month, day = rng.randint(2019, 2028), rng.randint(1, 12), rng.randint(1, 28)
        iso = f"{year}-{month:02}-{day:02}"
        written = _DATES[language].format(year, month, day)
        return rng.choice((iso, written, written)), iso
    text = {
        "phone": _phone,
        "name": lambda rng: _person(language, rng),
        "room": lambda rng: _digits(rng, 3, 4),
        "color": lambda rng: rng.choice(_COLORS[language]),
        "email": _email,
    }.get(field, _order_code)(rng)
    return text, text


def _order_code(rng: Random) -> str:
    letters = "".join(rng.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=rng.randint(1, 3)))
    return rng.choice((
        _digits(rng, 4, 13),
        letters + rng.choice(("", "", "-")) + _digits(rng, 2, 5),
        made_up_code(rng).replace(" ", ""),
    ))  # fmt: skip


def _phone(rng: Random) -> str:
    form = rng.choice(("1{}{}99", "0{}-{}-{}", "010-{1}-{2}", "0{1}{2}"))
    return form.format(_digits(rng, 1, 2), _digits(rng, 4, 4), _digits(rng, 4, 4))


def _email(rng: Random) -> str:
    name, host = ("".join(rng.choices(_LETTERS, k=rng.randint(3, 8))) for _ in range(2))
    return f"{name}@{host}.{rng.choice(('com', 'cn', 'co.jp', 'kr', 'co.th'))}"


def _person(language: str, rng: Random) -> str:
    given = rng.sample(_GIVEN_NAMES[language].split(), rng.choice((1, 2, 2)))
    if language in ("zh", "ko"):
        return rng.choice(_FAMILY_NAMES[language].split()) + "".join(given)
    if language == "th":
        return f"{given[0]} {rng.choice(_FAMILY_NAMES[language].split())}"
    return rng.choice(_FAMILY_NAMES[language].split()) + rng.choice(("", "", " ")) + given[0]


def _digits(rng: Random, fewest: int, most: int) -> str:
    n = rng.randint(fewest, most)
    first = "0" if rng.random() < 0.3 else rng.choice("123456789")
    return first + "".join(rng.choices("0123456789", k=n - 1))
