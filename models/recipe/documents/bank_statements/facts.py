"""The facts of account and card statements, and how they are asked for.

Slots: ``bank`` (``name``, ``branch``, ``phone``, ``city``), ``holder`` (a person), ``firm`` (a company that a
wording marks as ``holder.name``), ``other`` (another person), ``home`` (an address), ``account``, ``iban``,
``bic``, ``sort_code``, ``customer_no``, ``number`` (of the statement), ``card`` (last four digits), ``code``,
``issued``, ``period.start``, ``period.end``, ``opening``, ``closing``, ``total_in``, ``total_out``, ``fee``,
``interest`` (amount), ``rate`` (percentage), ``overdraft`` (limit), ``minimum`` and ``due`` (of cards),
``transactions`` (1 to 12: ``date``, ``description``, ``amount``, ``balance``), ``old_total`` and
``spare`` (other amounts).

Forms of ``amount``: default ("45.00", no sign), ``signed`` ("-45.00", "45.00"),
    ``plus`` ("-45.00", "+45.00"),
``trailing`` ("45.00-", "45.00+"), ``letters`` ("45.00 DR", "45.00 CR"),
    ``out`` and ``in_`` (empty unless money
goes that way); these also state ``amount.direction``. ``wide_signed``, ``wide_out`` and ``wide_in`` are filled up
with spaces.
Counts: ``transactions``, ``sector`` (1 household, 2 business, 3 card purchases), and
``overdrawn 1`` where the balance may fall below 0.
Decided by the wording: ``account_type``, ``overdrawn``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recipe.documents.asking import (
    choice,
    currency,
    date,
    group,
    number,
    objects,
    text,
    yes_no,
)
from recipe.documents.bank_statements.bookings import BANKS, BOOKINGS
from recipe.documents.trade.codes import BIC, IBAN
from recipe.documents.trade.columns import left, right
from recipe.facts import Fact, Form, Record, World
from recipe.facts.fact import Statement

ASKED = {
    "bank.name": text(
        "bank|bank name|financial institution|issuer|bank_name|which bank?",
        "the bank that keeps the account",
        de="Bank|Kreditinstitut", fr="banque", es="banco|entidad", it="banca", pt="banco",
            nl="bank",
    ),
    "bank.branch": text("branch|branch name|branch office", de="Filiale", fr="agence",
        es="sucursal"),
    "bank.phone": text("bank phone|hotline|customer service number|phone of the bank"),
    "holder.name": text(
        "account holder|holder|customer|account_holder|owner of the account|card holder|"
        "account name|client",
        "the person or company to whom the account belongs",
        de="Kontoinhaber", fr="titulaire", es="titular", it="intestatario", pt="titular",
        nl="rekeninghouder",
    ),
    "holder.street": text("holder street|customer street|street address of the holder"),
    "holder.city": text("holder city|customer city|town of the holder"),
    "account": text(
        "account number|account_no|account|acct no.", "the number of the account",
        de="Kontonummer", fr="numéro de compte", es="número de cuenta", it="numero di conto",
        pt="número da conta", nl="rekeningnummer",
    ),
    "iban": text("IBAN|iban_number|international account number"),
    "bic": text("BIC|SWIFT|swift code|bic_code"),
    "sort_code": text("sort code|routing number|sort_code|bank code"),
    "customer_no": text("customer number|customer_id|client number|CIF"),
    "number": text("statement number|statement_no|number of the statement|sheet",
        de="Auszugsnummer"),
    "card": text("card number ending|last four digits|card_last4|card ending in"),
    "issued": date(
        "statement date|issue date|date of the statement|created on|statement_date",
        de="Auszugsdatum"
    ),
    "period.start": date(
        "period start|from|statement from|start date|period_from|first day",
        "first day of the period",
        de="Zeitraum von", fr="période du", es="desde",
    ),
    "period.end": date(
        "period end|to|statement to|end date|period_to|last day", "last day of the period",
        de="Zeitraum bis", fr="au", es="hasta",
    ),
    "opening": number(
        "opening balance|previous balance|balance brought forward|starting balance|"
        "opening_balance|old balance",
        "the balance at the start",
        de="Anfangssaldo|alter Kontostand", fr="solde initial|ancien solde", es="saldo inicial",
        it="saldo iniziale", pt="saldo inicial", nl="beginsaldo",
    ),
    "closing": number(
        "closing balance|new balance|ending balance|final balance|closing_balance|"
        "balance at the end",
        "the balance at the end",
        de="Endsaldo|neuer Kontostand", fr="solde final|nouveau solde", es="saldo final",
        it="saldo finale", pt="saldo final", nl="eindsaldo",
    ),
    "closing.currency": currency("currency|account currency|currency_code", de="Währung",
        fr="devise"),
    "total_in": number("total credits|money in|total deposits|total_in|sum of credits|paid in",
        de="Summe Haben"),
    "total_out": number("total debits|money out|total withdrawals|total_out|sum of debits|"
        "paid out", de="Summe Soll"),
    "fee": number("account fee|bank charges|monthly fee|service charge|fees",
        de="Kontoführungsgebühr"),
    "interest": number("interest amount|interest paid|interest charged|interest_amount"),
    "rate": number("interest rate|annual rate|APR|interest_rate", "rate in per cent"),
    "overdraft": number("overdraft limit|arranged overdraft|credit limit|limit|credit line",
        de="Dispolimit"),
    "minimum": number("minimum payment|minimum due|minimum_payment|least amount to pay"),
    "due": date("payment due date|pay by|due date|payment deadline"),
    "transactions": objects(
        "transactions|bookings|entries|movements|account movements|list of transactions|payments",
        {
            "date": date("date|booking date|posted|transaction_date|day"),
            "description": text("description|details|payee|text|purpose|reference|memo"),
            "amount": number("amount|value|sum|transaction amount"),
            "balance": number("balance|balance after|running balance"),
            "amount.direction": choice(
                "direction|type|debit or credit|in or out", "debit/out/withdrawal/money out, "
                "credit/in/deposit/money in"
            ),
        },
        "all transactions of the statement|every booking",
        de="Buchungen|Umsätze", fr="opérations|mouvements", es="movimientos", it="movimenti",
        pt="movimentos", nl="transacties",
    ),
    "account_type": choice(
        "account type|kind of account|product|type_of_account",
        "current account/checking account/checking/giro, savings "
        "account/savings, credit card/card account, "
        "business account/corporate account, loan/mortgage, brokerage/securities "
        "account, e-wallet/wallet",
        always=True,
    ),
    "overdrawn": yes_no("overdrawn|balance negative|is_overdrawn|in the red", always=True),
    "account_holder": group(
        "holder|account holder|customer",
        {"holder.name": "name|full name", "holder.street": "street|address",
            "holder.city": "city|town",
         "customer_no": "number|id"},
    ),
    "period": group(
        "period|statement period|time span",
        {"period.start": "from|start", "period.end": "to|end"},
    ),
    "balances": group(
        "balances|summary|account summary",
        {"opening": "opening|start|old", "closing": "closing|end|new", "total_in": "credits|in",
         "total_out": "debits|out", "closing.currency": "currency"},
    ),
}  # fmt: skip


def booked(world: World, value: float) -> Fact:
    """The amount of a transaction, of which a value below 0 is a debit."""
    plain = world.money(value=abs(value)).number.text
    out = value < 0

    def forms(text: str, gold: float, directed: bool = True) -> Form:
        states = {"": Statement(gold, text)}
        if directed:
            states["direction"] = Statement("debit" if out else "credit", text)
        return Form(text, states)

    unsigned = forms(plain, abs(value))
    signed = forms(f"-{plain}" if out else plain, value)
    nothing = Form("")
    return Fact(
        value,
        forms(plain, abs(value), directed=False),
        signed=signed,
        plus=forms(f"-{plain}" if out else f"+{plain}", value),
        trailing=forms(f"{plain}-" if out else f"{plain}+", value),
        letters=forms(f"{plain} {'DR' if out else 'CR'}", abs(value)),
        out=unsigned if out else nothing,
        in_=nothing if out else unsigned,
        wide_signed=Form(signed.text.rjust(12), signed.states),
        wide_out=Form(plain.rjust(12), unsigned.states) if out else Form(" " * 12),
        wide_in=Form(" " * 12) if out else Form(plain.rjust(12), unsigned.states),
    )


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one statement."""
    start = world.date(2015, 2026)
    end = world.date(after=start, days=(27, 33))
    n_transactions = world.count("transactions", 1, 12)
    sector = world.count("sector", 0, 0) or world.pick(1, 1, 3)
    kinds = BOOKINGS[world.language][sector - 1]
    drawn = world.rng.sample([*kinds["in"], *kinds["out"], *kinds["out"]], n_transactions)
    days = sorted(world.rng.randint(0, 26) for _ in drawn)
    values = [
        (1 if text in kinds["in"] else -1) * world.money(2, world.pick(80, 300, 1500)).value
        for text in drawn
    ]
    opening = world.money(20, world.pick(900, 9000))
    lowest = min(sum(values[:end]) for end in range(len(values) + 1))
    if not world.count("overdrawn", 0, 0):
        opening = world.money(value=opening.value - lowest)
    balance, transactions = opening.value, []
    for description, day, value in zip(drawn, days, values, strict=True):
        balance = round(balance + value, 2)
        shown = world.money(value=balance)
        transactions.append(
            Record(
                date=world.date(after=start, days=(day, day)),
                description=left(world.text(description), 34),
                amount=booked(world, value),
                balance=right(shown, 12),
            )
        )
    address, holder, issued = world.address(), world.person(), world.date(after=end, days=(0, 5))
    return {
        "bank": Record(
            name=world.one_of(BANKS), branch=world.city(), phone=world.phone(), city=world.city()
        ),
        "holder": Record(
            name=holder.name,
            street=address.street,
            postcode=address.postcode,
            city=address.city,
            email=holder.email,
        ),
        "firm": world.company(),
        "other": world.person(),
        "account": world.code("%#######", "%## %### %##", "00%######", "%###-%####", "XXXX-XX%##"),
        "iban": world.code(IBAN),
        "bic": world.code(BIC),
        "sort_code": world.code("%#-##-##", "%#######"),
        "customer_no": world.code("%#######", "C-%#####", "%###.%##"),
        "number": world.code("%", "%#", "%/20##", "0%", "%##"),
        "card": world.code("####"),
        "code": world.code("%########", "??%#####", "%###/%##"),
        "issued": issued,
        "period": Record(start=start, end=end),
        "due": world.date(after=issued, days=(14, 28)),
        "next": world.date(after=issued, days=(29, 45)),
        "opening": right(opening, 12),
        "closing": right(world.money(value=balance), 12),
        "total_in": right(world.money(value=sum(value for value in values if value > 0)), 12),
        "total_out": right(world.money(value=-sum(value for value in values if value < 0)), 12),
        "fee": right(world.money(1, 18), 12),
        "interest": right(world.money(0.1, 60), 12),
        "rate": world.percent(0.1, 21, 2),
        "overdraft": right(world.money(value=world.pick(250, 500, 1000, 1500, 3000, 5000)), 12),
        "minimum": right(world.money(10, 90), 12),
        "transactions": transactions,
        "old_total": world.money(20, 4000),
        "spare": world.money(1, 90),
    }  # fmt: skip
