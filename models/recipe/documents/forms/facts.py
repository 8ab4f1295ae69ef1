"""The facts of forms that are filled in, and how they are asked for.

Slots: ``applicant`` (``name`` with the forms ``.first``, ``.last`` and ``.listed``, ``email``,
``phone``, ``job``), ``guardian``, ``emergency`` (persons), ``clerk`` and ``other`` (persons, not
asked for), ``witnesses`` (none unless counted: ``name``, ``phone``), ``employer``, ``firm`` (that
the form is for), ``born``, ``young`` (of a child, to be marked), ``signed``, ``start``, ``end``, ``incident`` (dates), ``received`` and
``form_date`` (dates, not asked for), ``incident_time``, ``hour`` (not asked for), ``birthplace``,
``nationality``, ``street``, ``postcode``, ``city``, ``country``, ``place`` (of signing),
``old_street``, ``old_city`` (not asked for), ``number`` (of the case or customer), ``form_number``
(not asked for), ``id_number``, ``iban``, ``policy``, ``plate``, ``amount``, ``income``, ``fee``
(the fee is not asked for), ``children``, ``persons``, ``score`` (0 to 10), ``height`` (cm),
``body`` (kg), ``items`` (none unless counted: ``name``, ``quantity``, ``value``).
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
    time,
    yes_no,
)
from recipe.facts import Fact, Record, World
from recipe.facts.fact import form

NATIONS = {
    "en": "British|Canadian|Irish|Indian|Polish|Nigerian|Brazilian|US|Australian|Turkish|Kenyan",
    "de": "deutsch|österreichisch|polnisch|türkisch|italienisch|schweizerisch|kroatisch",
    "fr": "française|belge|suisse|marocaine|portugaise|canadienne|sénégalaise",
    "es": "española|mexicana|argentina|colombiana|peruana|rumana|marroquí",
    "it": "italiana|rumena|albanese|svizzera|francese|peruviana",
    "pt": "portuguesa|brasileira|angolana|cabo-verdiana|ucraniana",
    "nl": "Nederlandse|Belgische|Poolse|Surinaamse|Marokkaanse|Turkse",
}
GOODS = {
    "en": "laptop|suitcase|bicycle|mobile phone|winter coat|camera|train ticket|hotel night|taxi|"
    "used books|vase|headphones|parking",
    "de": "Laptop|Koffer|Fahrrad|Handy|Wintermantel|Bahnfahrt|Hotelnacht|Taxi|Bücher",
    "fr": "ordinateur|valise|vélo|téléphone|manteau|billet de train|nuit d'hôtel|taxi|livres",
    "es": "portátil|maleta|bicicleta|teléfono|abrigo|billete de tren|noche de hotel|taxi|libros",
    "it": "portatile|valigia|bicicletta|telefono|cappotto|biglietto del treno|taxi|libri",
    "pt": "computador|mala|bicicleta|telemóvel|casaco|bilhete de comboio|táxi|livros",
    "nl": "laptop|koffer|fiets|telefoon|winterjas|treinkaartje|hotelnacht|taxi|boeken",
}

ASKED = {
    "kind": choice(
        "form type|type of form|kind of form|form_type|purpose of the form|what is it for?",
        "registration/enrolment/sign-up, application, claim/insurance claim/accident report, "
        "order/order form/return, survey/questionnaire/feedback, leave request/absence, "
        "expense claim/reimbursement, medical/patient form/health questionnaire, "
        "consent/permission/declaration, complaint, change of details/change of address",
        always=True,
        de="Formularart", fr="type de formulaire", es="tipo de formulario", nl="soort formulier",
    ),
    "applicant.name": text(
        "name|full name|applicant|applicant_name|name of the person|who filled it in?|"
        "submitted by|participant",
        "the full name of the person whom the form is about",
        de="Name|Antragsteller", fr="nom complet|demandeur", es="nombre completo|solicitante",
        it="nome e cognome|richiedente", pt="nome completo|requerente", nl="naam|aanvrager",
    ),
    "applicant.name.first": text(
        "first name|given name|first_name|forename|christian name", de="Vorname", fr="prénom",
        es="nombre de pila", it="nome di battesimo", pt="primeiro nome", nl="voornaam",
    ),
    "applicant.name.last": text(
        "last name|surname|family name|last_name", de="Nachname|Familienname", fr="nom de famille",
        es="apellidos", it="cognome", pt="apelido", nl="achternaam",
    ),
    "born": date(
        "date of birth|birth date|dob|born|date_of_birth|birthday|when born?",
        de="Geburtsdatum", fr="date de naissance|né(e) le", es="fecha de nacimiento",
        it="data di nascita", pt="data de nascimento", nl="geboortedatum",
    ),
    "birthplace": text(
        "place of birth|birthplace|born in|birth_place", de="Geburtsort", fr="lieu de naissance",
        es="lugar de nacimiento", it="luogo di nascita", pt="naturalidade", nl="geboorteplaats",
    ),
    "nationality": text(
        "nationality|citizenship|citizen of|nationality_text", de="Staatsangehörigkeit",
        fr="nationalité", es="nacionalidad", it="cittadinanza", pt="nacionalidade",
        nl="nationaliteit",
    ),
    "gender": choice("gender|sex|gender_code", "female/woman/f, male/man/m, other/diverse/x"),
    "marital": choice(
        "marital status|family status|marital_status|married or single?",
        "single/unmarried, married/married or in partnership, divorced/separated, widowed",
        de="Familienstand", fr="situation familiale", es="estado civil", it="stato civile",
        pt="estado civil", nl="burgerlijke staat",
    ),
    "applicant.email": text("email|e-mail|e-mail address|email_address|applicant_email"),
    "applicant.phone": text(
        "phone|telephone|mobile|phone_number|telephone of the applicant", de="Telefon",
        fr="téléphone", es="teléfono", it="telefono", pt="telefone", nl="telefoon",
    ),
    "applicant.job": text("occupation|profession|job|occupation_title|works as", de="Beruf",
                          fr="profession", es="profesión", it="professione", nl="beroep"),
    "employer": text("employer|company|works for|employer_name|organisation of the applicant"),
    "street": text(
        "street|address|street address|street_and_number|home address", de="Straße", fr="rue|adresse",
        es="calle|domicilio", it="via|indirizzo", pt="rua|morada", nl="straat|adres",
    ),
    "postcode": text("postcode|zip|postal code|zip_code", de="PLZ", fr="code postal",
                     es="código postal", it="CAP", pt="código postal", nl="postcode"),
    "city": text("city|town|place of residence|city_of_residence", de="Ort|Wohnort", fr="ville",
                 es="ciudad|población", it="comune|città", pt="localidade", nl="woonplaats"),
    "country": text("country|country of residence|country_name", de="Land", fr="pays", es="país"),
    "number": text(
        "case number|customer or member number|reference|application_no|file number|member_id",
        "the number of the case, customer, pupil or member",
        de="Aktenzeichen|Kundennummer", fr="numéro de dossier", es="número de expediente",
        nl="dossiernummer",
    ),
    "id_number": text("id number|passport number|identity card|id_document_no|passport_no"),
    "iban": text("iban|bank account|account number|account to be credited or debited|bank_account"),
    "policy": text("policy number|insurance number|policy_no|insured under"),
    "plate": text("number plate|licence plate|registration number of the vehicle|plate_no"),
    "guardian.name": text(
        "parent or guardian|guardian|legal guardian|guardian_name|parent", "for minors: the parent"
    ),
    "guardian.phone": text("guardian's phone|phone of the parent|guardian_phone"),
    "emergency.name": text(
        "emergency contact|whom to call in an emergency|emergency_contact|contact in emergency"
    ),
    "emergency.phone": text("emergency phone|emergency number|emergency_phone|phone in emergency"),
    "amount": number(
        "amount|amount requested|amount claimed|sum_requested|how much is asked for?|total claimed",
        "the sum that is asked for or claimed",
        de="Betrag|beantragter Betrag", fr="montant demandé", es="importe solicitado",
        it="importo richiesto", pt="montante pedido", nl="bedrag",
    ),
    "amount.currency": currency("currency of the amount|amount currency|claim_currency"),
    "income": number("income|monthly income|net income|monthly_income|salary"),
    "children": integer(
        "number of children|children|dependants|children_count|how many children?",
        de="Kinder|Anzahl Kinder", fr="nombre d'enfants", es="número de hijos", nl="kinderen",
    ),
    "persons": integer("number of persons|persons in the household|participants|people|group size"),
    "score": integer("satisfaction score|score|rating given|nps|points from 0 to 10"),
    "height": number("height in cm|body height|height_cm|how tall?"),
    "body": number("body weight|weight in kg|weight_kg|how heavy?"),
    "start": date(
        "from|start date|desired start|start_date|first day|valid from|beginning",
        "the first day of what is asked for",
        de="ab|Beginn|von", fr="à partir du|date de début", es="desde|fecha de inicio",
        it="dal|data di inizio", pt="desde|data de início", nl="vanaf|begindatum",
    ),
    "end": date(
        "until|end date|last day|end_date|to", "the last day of what is asked for",
        de="bis|Ende", fr="jusqu'au|date de fin", es="hasta|fecha de fin", it="fino al",
        pt="até", nl="tot en met|einddatum",
    ),
    "incident": date(
        "date of the incident|accident date|incident_date|date of loss|when did it happen?",
        "the day of the accident, loss or damage",
        de="Schadentag|Unfalldatum", fr="date du sinistre", es="fecha del siniestro",
        it="data del sinistro", nl="schadedatum",
    ),
    "incident_time": time("time of the incident|accident time|incident_time|at what time?"),
    "incident_place": text("place of the incident|accident location|where did it happen?|scene"),
    "signed": date(
        "date of signature|signed on|signature date|date_signed|dated", de="Datum der Unterschrift",
        fr="date de signature", es="fecha de firma", it="data della firma", nl="datum ondertekening",
    ),
    "place": text("signed at|place of signature|signature place", de="Ort der Unterschrift"),
    "reason": text(
        "reason|purpose|reason given|reason_text|why?|ground for the request",
        "the reason, in the words of the form",
        de="Grund|Begründung", fr="motif", es="motivo", it="motivo", pt="motivo", nl="reden",
    ),
    "plan": text("membership type|tariff|course chosen|plan|category_chosen|option chosen"),
    "comments": text("comments|remarks|other information|notes|free text"),
    "size": text("t-shirt size|clothing size|size|shirt_size"),
    "allergies": texts("allergies|known allergies|allergic to|allergy_list", de="Allergien",
                       fr="allergies", es="alergias", it="allergie", pt="alergias", nl="allergieën"),
    "medicines": texts("medication|medicines taken|current medication|medicines|drugs taken"),
    "languages": texts("languages|languages spoken|spoken_languages|which languages?"),
    "enclosed": texts("enclosures|documents enclosed|attached documents|enclosed|attachments"),
    "interests": texts("interests|boxes ticked|topics chosen|areas of interest|selected options"),
    "items": objects(
        "items|articles|positions|things listed|item_list|goods|expenses",
        {
            "name": text("name|item|article|description|what"),
            "quantity": integer("quantity|number|qty|pieces"),
            "value": number("value|price|amount|cost|sum"),
        },
        "the items that the form lists",
        de="Positionen|Gegenstände", fr="articles|objets", es="artículos", it="articoli",
        pt="artigos", nl="posten|voorwerpen",
    ),
    "witnesses": objects(
        "witnesses|references|people who saw it|witness_list",
        {"name": text("name|witness|person"), "phone": text("phone|telephone|number")},
    ),
    "contact_by": choice(
        "preferred contact|contact by|preferred_contact_method|how to be reached?",
        "phone/telephone/call, e-mail/email, post/letter/mail, sms/text message",
    ),
    "payment": choice(
        "payment method|pays by|payment_method|means of payment",
        "direct debit/sepa, bank transfer/transfer, credit card/card, cash, invoice",
    ),
    "newsletter": yes_no(
        "newsletter|wants the newsletter|newsletter_consent|marketing consent|advertising allowed",
        "whether the person wants to be sent news",
    ),
    "terms": yes_no("terms accepted|accepts the terms|terms_accepted|agreed to the conditions"),
    "privacy": yes_no("privacy policy accepted|data protection consent|gdpr_consent|consent to data"),
    "photos": yes_no("photo consent|may be photographed|photo_permission|pictures allowed"),
    "smoker": yes_no("smoker|smokes|is_smoker|does the person smoke?"),
    "member": yes_no("existing customer|already a member|is_member|returning customer|known to us"),
    "licence": yes_no("driving licence|has a driving licence|licence_held|can drive"),
    "police": yes_no("reported to the police|police informed|police_report|police involved"),
    "injured": yes_no("anyone injured|personal injury|injuries|has_injuries"),
    "swims": yes_no("can swim|swimmer|is_swimmer|able to swim"),
    "vegetarian": yes_no("vegetarian|vegetarian meals|eats_vegetarian|no meat"),
    "pregnant": yes_no("pregnant|is_pregnant|pregnancy"),
    "disability": yes_no("disability|has a disability|disabled|special needs"),
    "pets": yes_no("has pets|pets in the household|owns_pets|other animals at home"),
    "approved": yes_no("approved|request approved|is_approved|granted"),
    "signature": yes_no("signed|is it signed?|has_signature|signature present"),
    "person": group(
        "applicant|person|personal data|participant",
        {
            "applicant.name.first": "first_name|given name",
            "applicant.name.last": "last_name|surname",
            "born": "born|date_of_birth",
            "nationality": "nationality",
        },
    ),
    "home": group(
        "address|home address|residence",
        {"street": "street|line1", "postcode": "postcode|zip", "city": "city|town"},
    ),
    "absence": group("period|dates|absence", {"start": "from|start", "end": "to|until|end"}),
    "emergency": group(
        "emergency contact|in case of emergency", {"emergency.name": "name",
                                                   "emergency.phone": "phone|number"}
    ),
}  # fmt: skip


def _name(world: World) -> Fact:
    """A person's name, which states its first and last part as well."""
    full = world.person().name
    first, last = full.first.text, full.last.text
    whole = f"{first} {last}"
    listed = f"{last}, {first}"
    return Fact(
        whole,
        form(whole, whole, 3, first=first, last=last),
        first=form(first, None, first=first),
        last=form(last, None, last=last),
        listed=form(listed, listed, first=first, last=last),
    )


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one form."""
    name = _name(world)
    start = world.date(2019, 2026)
    end = world.date(after=start, days=(1, 40))
    address, old = world.address(), world.address()
    items, claimed = [], 0.0
    for _ in range(world.count("items", 0, 0)):
        value = world.money(4, 900)
        claimed += value.value
        items.append(
            Record(
                name=world.one_of(GOODS[world.language]), quantity=world.number(1, 5), value=value
            )
        )
    incident = world.date(2018, 2025)
    return {
        "applicant": Record(
            name=name,
            email=world.email(name.value),
            phone=world.phone(),
            job=world.job(),
        ),
        "guardian": world.person(),
        "emergency": world.person(),
        "clerk": world.person(),
        "other": world.person(),
        "witnesses": [
            Record(name=world.person().name, phone=world.phone())
            for _ in range(world.count("witnesses", 0, 0))
        ],
        "employer": world.company(),
        "firm": world.company(),
        "born": world.date(1938, 2008),
        "young": world.date(2009, 2019),
        "received": world.date(2019, 2026),
        "form_date": world.date(2009, 2017),
        "start": start,
        "end": end,
        "signed": world.date(2019, 2026),
        "incident": incident,
        "incident_time": world.time(6, 22, 5),
        "hour": world.time(),
        "birthplace": world.city(),
        "nationality": world.one_of(NATIONS[world.language]),
        "street": address.street,
        "postcode": address.postcode,
        "city": address.city,
        "country": address.country,
        "old_street": old.street,
        "old_city": old.city,
        "place": world.city(),
        "number": world.code("%#####", "M-%####", "%##-%##-%", "A/%###/2#", "??%#####"),
        "form_number": world.code("Form %##?", "F-%#.%", "%###-?"),
        "id_number": world.code("?%#######", "??%######", "%#%#%#%#?", "X%#######"),
        "iban": world.text(world.fake.iban()),
        "policy": world.code("P%#######", "??-%#####-%#", "%##.%##.%##-%"),
        "plate": world.code("??-?? %##", "??%# ???", "?? %## ??", "%???%##"),
        "amount": world.money(20, 25000, value=claimed or None),
        "income": world.money(900, 9000, decimals=0),
        "fee": world.money(5, 120),
        "children": world.number(2, 6),
        "persons": world.number(2, 12),
        "score": world.number(0, 10),
        "height": world.number(140, 205),
        "body": world.number(42, 130),
        "items": items,
    }
