"""The facts of contracts and of terms and conditions, and how they are asked for.

Slots: the parties by their roles, of which a wording uses one pair: ``landlord`` and ``tenant``,
``employer`` and ``employee``, ``seller`` and ``buyer``, ``provider`` and ``client``, ``lender``
and ``borrower``, ``discloser`` and ``recipient``, ``licensor`` and ``licensee`` (each a company
or a person; ``.firm`` and ``.person`` decide it). ``number``, ``signed``, ``start``, ``end``
(dates, in this order), ``earlier`` and ``survey`` (dates, not asked for), ``rent``, ``salary``,
``price``, ``loan``, ``deposit``, ``penalty``, ``cap`` (amounts), ``fee`` and ``old`` (other
amounts, not asked for), ``interest``, ``late`` (percentages), ``share`` (another one, not asked
for), ``payment_days``, ``hours``, ``holiday``, ``months`` and ``weeks`` (numbers, not asked for),
``place`` (of signing), ``court`` (a town), ``law``, ``premises`` (an address), ``town`` and
``other`` (a town and a person, not asked for), ``signers`` (1 to 3: ``name``, ``job``),
``milestones`` (none unless counted: ``name``, ``due``, ``amount``), ``email``, ``site``.
Decided by the wording: the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recipe.documents.asking import (
    choice,
    currency,
    date,
    group,
    integer,
    number,
    objects,
    text,
    texts,
    yes_no,
)
from recipe.facts import Fact, Form, Record, World
from recipe.facts.fact import Statement, form

ROLES = (
    ("landlord", "tenant"),
    ("employer", "employee"),
    ("seller", "buyer"),
    ("provider", "client"),
    ("lender", "borrower"),
    ("discloser", "recipient"),
    ("licensor", "licensee"),
)
LAWS = {
    "en": "England and Wales|the State of New York|Delaware|Ireland|Scotland|Ontario|"
    "New South Wales|Singapore|the State of California|Texas|Hong Kong",
    "de": "deutsches Recht|österreichisches Recht|schweizerisches Recht",
    "fr": "droit français|droit belge|droit suisse|droit québécois",
    "es": "la legislación española|las leyes de la República Argentina|la legislación mexicana",
    "it": "legge italiana|diritto svizzero",
    "pt": "lei portuguesa|legislação brasileira",
    "nl": "Nederlands recht|Belgisch recht",
}
STAGES = {
    "en": "first draft|site survey|prototype|delivery of parts|installation|acceptance test|"
    "training of staff|final report|launch|design review|foundations|roof|handover",
    "de": "Konzept|Entwurf|Prototyp|Lieferung|Montage|Abnahme|Schulung|Schlussbericht|Rohbau",
    "fr": "étude préalable|maquette|livraison|pose|recette|formation|rapport final|gros œuvre",
    "es": "anteproyecto|prototipo|entrega|instalación|pruebas|formación|informe final|cimentación",
    "it": "progetto di massima|prototipo|consegna|montaggio|collaudo|formazione|relazione finale",
    "pt": "anteprojeto|protótipo|entrega|instalação|testes|formação|relatório final|fundações",
    "nl": "voorontwerp|prototype|levering|montage|oplevering|training|eindrapport|ruwbouw",
}

ASKED = {
    "title": text(
        "title|title of the contract|document title|heading|agreement_title|name of the agreement",
        "the heading of the document",
        de="Titel|Überschrift", fr="intitulé|titre", es="título", it="titolo", pt="título",
        nl="titel|opschrift",
    ),
    "kind": choice(
        "type of contract|contract_type|kind of agreement|document type|agreement type|category",
        "employment/employment contract, lease/rental/tenancy, "
        "services/service agreement/consulting, sale/purchase/sale of goods, "
        "non-disclosure/confidentiality/NDA, loan/credit, licence/license/software licence, "
        "terms and conditions/general terms/terms of use, other",
        "what the contract is about",
        always=True,
        de="Vertragsart", fr="type de contrat", es="tipo de contrato", it="tipo di contratto",
        pt="tipo de contrato", nl="soort overeenkomst",
    ),
    "parties": texts(
        "parties|contracting parties|contract_parties|who are the parties?|names of the parties|"
        "between whom|signatory parties",
        "the two parties to the contract, by name",
        de="Vertragsparteien|Parteien", fr="parties", es="partes", it="parti", pt="partes",
        nl="partijen",
    ),
    "landlord": text(
        "landlord|lessor|landlord_name|who lets it?|owner who lets",
        de="Vermieter", fr="bailleur", es="arrendador", it="locatore", pt="senhorio|locador",
        nl="verhuurder",
    ),
    "tenant": text(
        "tenant|lessee|tenant_name|renter|who rents it?",
        de="Mieter", fr="locataire|preneur", es="arrendatario|inquilino", it="conduttore|inquilino",
        pt="inquilino|locatário", nl="huurder",
    ),
    "employer": text(
        "employer|hiring company|employer_name|who employs?|company that hires",
        de="Arbeitgeber", fr="employeur", es="empleador|empresa", it="datore di lavoro",
        pt="empregador", nl="werkgever",
    ),
    "employee": text(
        "employee|worker|employee_name|who is hired?|name of the employee",
        de="Arbeitnehmer", fr="salarié", es="trabajador", it="lavoratore", pt="trabalhador",
        nl="werknemer",
    ),
    "seller": text(
        "seller|vendor|seller_name|who sells?", de="Verkäufer", fr="vendeur", es="vendedor",
        it="venditore", pt="vendedor", nl="verkoper",
    ),
    "buyer": text(
        "buyer|purchaser|buyer_name|who buys?", de="Käufer", fr="acheteur|acquéreur",
        es="comprador", it="acquirente|compratore", pt="comprador", nl="koper",
    ),
    "provider": text(
        "provider|service provider|contractor|provider_name|who does the work?|supplier of services",
        "the party that provides the services",
        de="Auftragnehmer|Anbieter", fr="prestataire", es="prestador|proveedor", it="fornitore",
        pt="prestador", nl="opdrachtnemer",
    ),
    "client": text(
        "client|customer|client_name|who orders the services?|principal",
        "the party that receives the services",
        de="Auftraggeber|Kunde", fr="client", es="cliente", it="committente|cliente",
        pt="cliente|contratante", nl="opdrachtgever",
    ),
    "lender": text(
        "lender|creditor|lender_name|who lends the money?", de="Darlehensgeber", fr="prêteur",
        es="prestamista", it="mutuante", pt="mutuante", nl="geldgever",
    ),
    "borrower": text(
        "borrower|debtor|borrower_name|who borrows?", de="Darlehensnehmer", fr="emprunteur",
        es="prestatario", it="mutuatario", pt="mutuário", nl="geldnemer",
    ),
    "discloser": text("disclosing party|discloser|disclosing_party|who gives the secrets away?"),
    "recipient": text("receiving party|recipient of the information|receiving_party"),
    "licensor": text("licensor|licensor_name|who grants the licence?", de="Lizenzgeber"),
    "licensee": text("licensee|licensee_name|who gets the licence?", de="Lizenznehmer"),
    "number": text(
        "contract number|contract_no|agreement number|reference|contract id|file number",
        "the number of the contract",
        de="Vertragsnummer", fr="numéro de contrat", es="número de contrato",
        it="numero di contratto", pt="número do contrato", nl="contractnummer",
    ),
    "signed": date(
        "signed|signed on|date of signature|signature_date|date signed|when was it signed?|"
        "date of agreement",
        "the day on which the contract was signed or made",
        de="Unterzeichnet am|Vertragsdatum", fr="date de signature", es="fecha de firma",
        it="data di firma", pt="data de assinatura", nl="datum ondertekening",
    ),
    "start": date(
        "start date|effective date|start|commencement_date|in force from|when does it begin?|"
        "valid from|effective_date",
        "the day from which the contract is in force",
        de="Beginn|Vertragsbeginn", fr="date d'effet|début", es="fecha de inicio",
        it="decorrenza", pt="data de início", nl="ingangsdatum",
    ),
    "end": date(
        "end date|expiry date|expires|expiration_date|valid until|when does it end?|end_of_term",
        "the day on which the contract ends",
        de="Ende|Vertragsende", fr="date de fin|échéance", es="fecha de vencimiento",
        it="scadenza", pt="data de fim|termo", nl="einddatum",
    ),
    "term": text(
        "term|duration|contract period|length of contract|for how long?|contract_term",
        "how long the contract runs, as it is written",
        de="Laufzeit", fr="durée", es="duración", it="durata", pt="duração|vigência", nl="looptijd",
    ),
    "notice": text(
        "notice period|notice|period of notice|notice_period|how long is the notice?",
        "the period of notice, as it is written",
        de="Kündigungsfrist", fr="préavis", es="preaviso", it="preavviso", pt="aviso prévio",
        nl="opzegtermijn",
    ),
    "rent": number(
        "rent|monthly rent|rent per month|rent_amount|how much is the rent?",
        de="Miete", fr="loyer", es="renta|alquiler", it="canone", pt="renda|aluguel", nl="huurprijs",
    ),
    "rent.currency": currency("currency of the rent|rent currency|rent_currency"),
    "salary": number(
        "salary|pay|gross salary|remuneration|wage|salary_amount|how much does the employee earn?",
        de="Gehalt|Lohn", fr="salaire|rémunération", es="salario", it="retribuzione",
        pt="salário|retribuição", nl="salaris",
    ),
    "salary.currency": currency("currency of the salary|salary currency|pay_currency"),
    "salary_period": choice(
        "pay period|salary is per|paid per|salary_period", "hour/hourly, month/monthly, "
        "year/yearly/annual",
        "the period for which the salary is given",
    ),
    "price": number(
        "price|purchase price|fee|contract price|agreed price|price_agreed|service fee|"
        "how much has to be paid?",
        "what the buyer or client pays",
        de="Preis|Vergütung|Honorar", fr="prix|honoraires", es="precio", it="prezzo|corrispettivo",
        pt="preço", nl="prijs|vergoeding",
    ),
    "price.currency": currency("currency of the price|price currency|currency_of_price"),
    "loan": number(
        "loan amount|principal sum|sum lent|loan_amount|amount borrowed|how much is lent?",
        de="Darlehensbetrag", fr="montant du prêt", es="importe del préstamo", it="importo mutuato",
        pt="montante do empréstimo", nl="leenbedrag|hoofdsom",
    ),
    "interest": number(
        "interest rate|interest|rate of interest|interest_rate|annual interest|interest percent",
        "the yearly interest on the loan in percent",
        de="Zinssatz", fr="taux d'intérêt", es="tipo de interés", it="tasso di interesse",
        pt="taxa de juro", nl="rente",
    ),
    "late": number(
        "late payment interest|default interest|interest on arrears|late_interest_rate|"
        "penalty interest",
        "the interest in percent on amounts that are paid late",
        de="Verzugszinsen", fr="intérêts de retard", es="intereses de demora",
    ),
    "deposit": number(
        "deposit|security deposit|deposit_amount|how much is the deposit?|security",
        de="Kaution", fr="dépôt de garantie", es="fianza", it="deposito cauzionale", pt="caução",
        nl="waarborgsom|borg",
    ),
    "deposit.currency": currency("currency of the deposit|deposit currency"),
    "penalty": number(
        "penalty|contractual penalty|penalty_amount|liquidated damages|fine for breach",
        "what has to be paid for a breach",
        de="Vertragsstrafe", fr="pénalité", es="penalización", it="penale", pt="penalidade",
        nl="boete",
    ),
    "cap": number(
        "liability cap|limit of liability|maximum liability|liability_limit|liable up to",
        "the greatest amount for which a party is liable",
        de="Haftungshöchstgrenze", fr="plafond de responsabilité",
        es="límite de responsabilidad",
    ),
    "payment_days": integer(
        "days to pay|payment term in days|payment_days|payable within how many days?|net days",
        "the number of days within which invoices are to be paid",
        de="Zahlungsziel in Tagen", fr="délai de paiement en jours", es="plazo de pago en días",
        nl="betaaltermijn in dagen",
    ),
    "hours": number(
        "working hours per week|weekly hours|hours_per_week|hours a week|working time",
        de="Wochenstunden", fr="heures par semaine", es="horas semanales", it="ore settimanali",
        pt="horas semanais", nl="uren per week",
    ),
    "holiday": integer(
        "days of holiday|annual leave|vacation_days|leave days|paid holidays a year",
        de="Urlaubstage", fr="jours de congé", es="días de vacaciones", it="giorni di ferie",
        pt="dias de férias", nl="vakantiedagen",
    ),
    "job": text(
        "job title|position|employed as|job_title|role of the employee|post",
        "the job for which the employee is hired",
        de="Tätigkeit|Position", fr="poste|fonction", es="puesto", it="mansione", pt="cargo|função",
        nl="functie",
    ),
    "probation": text(
        "probation|probation period|trial period|probationary_period|how long is the trial?",
        de="Probezeit", fr="période d'essai", es="período de prueba", it="periodo di prova",
        pt="período experimental|período de experiência", nl="proeftijd",
    ),
    "law": text(
        "governing law|applicable law|law|governing_law|under which law?|choice of law",
        "the law under which the contract stands",
        de="anwendbares Recht", fr="droit applicable", es="ley aplicable", it="legge applicabile",
        pt="lei aplicável", nl="toepasselijk recht",
    ),
    "court": text(
        "place of jurisdiction|court|courts of|venue for disputes|jurisdiction_city|"
        "where are disputes heard?",
        "the town whose courts decide",
        de="Gerichtsstand", fr="tribunal compétent", es="tribunales competentes",
        it="foro competente", pt="foro", nl="bevoegde rechter",
    ),
    "place": text(
        "place of signature|signed in|signed at|place_of_signing|where was it signed?",
        de="Ort der Unterzeichnung", fr="fait à", es="lugar de firma", it="luogo", pt="local",
        nl="plaats van ondertekening",
    ),
    "premises.street": text("street of the premises|street|premises_street|property street"),
    "premises.postcode": text("postcode of the premises|postcode|property_postcode|zip"),
    "premises.city": text("town of the premises|city|property_city|where is the property?"),
    "subject": text(
        "subject of the contract|object sold|what is sold or licensed?|goods|subject_matter",
        "the thing that is sold, lent or licensed",
        de="Vertragsgegenstand|Kaufgegenstand", fr="objet", es="objeto", it="oggetto", pt="objeto",
        nl="voorwerp",
    ),
    "services": texts(
        "services|scope of services|scope of work|services_listed|deliverables|what is provided?|"
        "duties of the provider",
        "the services that the provider owes",
        de="Leistungen", fr="prestations", es="servicios", it="servizi|prestazioni", pt="serviços",
        nl="diensten|werkzaamheden",
    ),
    "exclusions": texts(
        "exclusions|not covered|excluded|what is not included?|excluded_items",
        "what the contract or the warranty does not cover",
    ),
    "milestones": objects(
        "milestones|stages|instalments|payment schedule|milestone_list|stages of the work",
        {
            "name": text("name|milestone|stage|what"),
            "due": date("due|due date|date|by when"),
            "amount": number("amount|payment|sum|price"),
        },
        "the stages of the work",
        de="Meilensteine|Raten", fr="étapes", es="hitos", it="fasi", pt="etapas", nl="fasen",
    ),
    "signers": objects(
        "signatories|signed by|signers|signatures|who signed?",
        {
            "name": text("name|person|full name"),
            "job": text("title|position|function|capacity"),
        },
        "the persons who signed",
        de="Unterzeichner", fr="signataires", es="firmantes", it="firmatari", pt="signatários",
        nl="ondertekenaars",
    ),
    "email": text("e-mail for notices|contact email|notices_email|email|where to write to"),
    "renewal": yes_no(
        "automatic renewal|renews automatically|auto_renewal|is it extended automatically?|"
        "tacit renewal",
        "whether the contract goes on by itself when nobody gives notice",
    ),
    "confidential": yes_no(
        "confidentiality clause|confidentiality|duty of confidentiality|is_confidential|"
        "must secrets be kept?"
    ),
    "exclusive": yes_no(
        "exclusive|exclusivity|is_exclusive|exclusive rights|is it exclusive?",
        "whether rights or services are given to this party alone",
    ),
    "assignable": yes_no(
        "transferable|assignable|can it be transferred?|assignment allowed|may rights be assigned?"
    ),
    "sublet": yes_no("subletting allowed|may the tenant sublet?|subletting|sublet_allowed"),
    "pets": yes_no("pets allowed|pets|may the tenant keep pets?|pets_permitted"),
    "arbitration": yes_no(
        "arbitration|disputes go to arbitration|arbitration_clause|is there arbitration?"
    ),
    "noncompete": yes_no(
        "non-compete|non_compete_clause|is competition forbidden?|ban on competition"
    ),
    "written": yes_no(
        "written form|changes in writing only|written_form_required|must changes be in writing?"
    ),
    "who_pays": group(
        "parties|roles|contracting parties",
        {
            "provider": "provider|contractor",
            "client": "client|customer",
        },
    ),
    "lease": group(
        "lease|tenancy|rental terms",
        {
            "landlord": "landlord|lessor",
            "tenant": "tenant|lessee",
            "rent": "rent|monthly_rent",
            "deposit": "deposit",
            "start": "start|from",
        },
    ),
    "period": group(
        "period|contract period|validity",
        {"start": "start|from|begins", "end": "end|until|expires"},
    ),
}  # fmt: skip


class Party(Fact):
    """A party, which stands under its role and in the list of the parties as well."""

    def __init__(self, number: int, default: str, **forms: str) -> None:
        written = {name: form(words, words) for name, words in forms.items()}
        super().__init__(default, form(default, default), **written)
        self.number = number

    def __getattr__(self, name: str) -> Form:
        return self._as_party(super().__getattr__(name))

    @property
    def written(self) -> Form:
        """The default form."""
        return self._as_party(super().written)

    def _as_party(self, shown: Form) -> Form:
        statement = Statement(shown.text, shown.text)
        return Form(shown.text, {**shown.states, f"parties.{self.number}": statement})


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one contract."""
    parties: dict[str, Party] = {}
    for pair in ROLES:
        for place, role in enumerate(pair, start=1):
            firm, person = str(world.company().value), str(world.person().name.value)
            parties[role] = Party(place, world.pick(firm, person), firm=firm, person=person)
    signed = world.date(2012, 2026)
    start = world.date(after=signed, days=(1, 45))
    end = world.date(after=start, days=(170, 1900))
    due = signed
    milestones = []
    for _ in range(world.count("milestones", 0, 0)):
        due = world.date(after=due, days=(10, 90))
        milestones.append(
            Record(
                name=world.one_of(STAGES[world.language]),
                due=due,
                amount=world.money(500, 40000, decimals=0),
            )
        )
    signers = []
    for _ in range(world.count("signers", 1, 3)):
        person = world.person()
        signers.append(Record(name=person.name, job=person.job))
    return {
        **parties,
        "number": world.code(
            "20##/%##", "C-%####", "??-%###-##", "AGR-%#####", "%###/%#", "MSA-%##"
        ),
        "signed": signed,
        "start": start,
        "end": end,
        "earlier": world.date(2003, 2010),
        "survey": world.date(after=signed, days=(3, 30)),
        "rent": world.money(320, 3900, decimals=world.pick(0, 0, 2)),
        "salary": world.money(1500, 98000, decimals=0),
        "price": world.money(400, 240000, decimals=world.pick(0, 0, 2)),
        "loan": world.money(1000, 400000, decimals=0),
        "deposit": world.money(300, 6000, decimals=0),
        "penalty": world.money(500, 50000, decimals=0),
        "cap": world.money(10000, 5000000, decimals=0),
        "fee": world.money(5, 250),
        "old": world.money(300, 3000, decimals=0),
        "interest": world.percent(1, 12, world.pick(0, 1, 2)),
        "late": world.percent(2, 15, world.pick(0, 0, 1)),
        "share": world.percent(5, 60),
        "payment_days": world.number(7, 90),
        "hours": world.number(8, 42, world.pick(0, 0, 1)),
        "holiday": world.number(20, 36),
        "months": world.number(2, 60),
        "weeks": world.number(2, 12),
        "place": world.city(),
        "court": world.city(),
        "town": world.city(),
        "law": world.one_of(LAWS[world.language]),
        "premises": world.address(),
        "other": world.person(),
        "signers": signers,
        "milestones": milestones,
        "email": world.email(),
        "site": world.url(),
    }
