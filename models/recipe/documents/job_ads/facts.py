"""The facts of job advertisements, and how they are asked for.

Slots: ``title`` (of the job; most wordings mark their own), ``company`` (the employer),
``agency`` (a recruiter, not asked for), ``city`` (of work), ``town`` (another one, not asked
for), ``street``, ``postcode``, ``country``, ``salary`` (a range by year; by month with ``@count:
per 2``, by hour with 3, by week with 4, by day with 5), ``pay`` (one amount, not asked for), ``bonus``, ``fee``
(another amount, not asked for), ``hours`` (a week), ``contact`` and ``other`` (persons; the other
one is not asked for), ``reference``, ``site``, ``posted``, ``deadline``, ``start`` (dates, in this
order), ``earlier`` and ``fair`` (dates, not asked for), ``interview`` (a date, not asked for),
``years`` (of experience), ``openings``, ``employees``, ``team`` (a size, not asked for),
``founded`` (a year), ``holiday`` (days), ``months`` (of a limited contract), ``skills`` (of
computing), ``benefits``. Decided by the wording: the rest.
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
    text,
    texts,
    yes_no,
)
from recipe.facts import World

TITLES = {
    "en": """
        Office Manager|Payroll Clerk|Sales Executive|Marketing Coordinator|Data Analyst|
        Executive Assistant|Customer Service Agent|Purchasing Officer|HR Business Partner|
        Account Manager|Junior Controller|Project Coordinator|Communications Officer|
        Legal Secretary|Business Analyst|Facilities Manager|Export Clerk|Content Editor|
        Compliance Officer|Receptionist|Technical Writer|Operations Manager
    """,
    "de": """
        Sachbearbeiter Einkauf (m/w/d)|Bürokauffrau|Teamassistenz|Buchhalter (m/w/d)|
        Vertriebsmitarbeiter im Innendienst|Projektkoordinatorin|Personalreferent (m/w/d)|
        Controller|Assistenz der Geschäftsführung|Kundenberaterin|Exportsachbearbeiter
    """,
    "fr": """
        Assistant administratif (H/F)|Comptable|Chargée de communication|Gestionnaire de paie|
        Responsable des achats|Attaché commercial H/F|Chef de projet|Assistante de direction|
        Conseiller clientèle
    """,
    "es": """
        Auxiliar administrativo|Contable|Responsable de compras|Ejecutiva de cuentas|
        Técnico de recursos humanos|Asistente de dirección|Coordinador de proyectos|
        Agente de atención al cliente
    """,
    "it": """
        Impiegato amministrativo|Addetta alle paghe|Responsabile acquisti|Segretaria di direzione|
        Addetto al servizio clienti|Contabile senior|Coordinatrice di progetto
    """,
    "pt": """
        Assistente administrativo|Analista financeiro|Auxiliar de contabilidade|
        Coordenadora de projetos|Comprador pleno|Assistente de recursos humanos|Secretária executiva
    """,
    "nl": """
        Administratief medewerker|Boekhouder|Projectcoördinator|Medewerker klantenservice|
        Inkoper|HR-adviseur|Managementassistent|Accountmanager binnendienst
    """,
}
SKILLS = """
    Python|SQL|Kubernetes|Terraform|TypeScript|React|Java|Go|Rust|PostgreSQL|Docker|AWS|Azure|
    Kafka|Spark|Linux|Git|GraphQL|C++|C#|.NET|Ansible|Jenkins|Figma|Power BI|Tableau|Excel|SAP|
    Salesforce|Jira|Scala|Node.js|Django|Spring Boot|Redis|Elasticsearch|Vue.js|PHP|Ruby on Rails
"""
BENEFITS = {
    "en": """
        free parking|dental insurance|gym membership|a pension plan|bike leasing|free fruit|
        private health cover|a training budget|childcare vouchers|a season ticket loan|
        flexible hours|team lunches|a laptop of your choice|staff discount|stock options|
        paid parental leave|a birthday off|401(k) match
    """,
    "de": """
        Jobticket|Kantine|betriebliche Altersvorsorge|Dienstrad|flexible Arbeitszeiten|Obstkorb|
        Weihnachtsgeld|Urlaubsgeld|kostenlose Parkplätze|Betriebskita|Fortbildungen|Firmenfeiern
    """,
    "fr": """
        mutuelle|tickets restaurant|13e mois|RTT|prime de vacances|place de parking|
        crèche d'entreprise|participation aux transports|intéressement|formation continue
    """,
    "es": """
        seguro médico|tickets de comida|horario flexible|plan de pensiones|formación|parking|
        descuentos para empleados|gimnasio|jornada intensiva en verano|guardería
    """,
    "it": """
        buoni pasto|assicurazione sanitaria|quattordicesima|auto aziendale|mensa|formazione|
        orario flessibile|welfare aziendale|parcheggio
    """,
    "pt": """
        vale-refeição|plano de saúde|vale-transporte|seguro de vida|horário flexível|
        plano odontológico|auxílio-creche|estacionamento|formação contínua
    """,
    "nl": """
        reiskostenvergoeding|pensioenregeling|13e maand|laptop van de zaak|leasefiets|
        flexibele werktijden|gratis lunch|opleidingsbudget|bedrijfsfitness
    """,
}
SALARIES = {
    1: (24000, 98000, 500),
    2: (1500, 6200, 50),
    3: (11, 46, 1),
    4: (380, 1100, 10),
    5: (150, 700, 10),
}
"""The bounds and the step of salaries by year, month, hour, week and day."""

ASKED = {
    "title": text(
        "job title|position|role|title|job|vacancy|which job is it?|advertised position|"
        "position_title|name of the job|post",
        "the job that is offered",
        de="Stelle|Stellenbezeichnung|Position", fr="poste|intitulé du poste", es="puesto",
        it="posizione|ruolo", pt="cargo|vaga", nl="functie|functietitel",
    ),
    "company": text(
        "company|employer|hiring company|company_name|organisation|who is hiring?|"
        "name of the employer|hiring organization|firm",
        "the employer, not the recruiter",
        de="Arbeitgeber|Firma|Unternehmen", fr="entreprise|employeur", es="empresa",
        it="azienda", pt="empresa", nl="werkgever|bedrijf",
    ),
    "city": text(
        "city|location|place of work|job location|town|workplace_city|where is the job?|"
        "work location",
        "the town where one would work",
        de="Arbeitsort|Ort|Einsatzort", fr="lieu de travail|ville", es="lugar de trabajo|ciudad",
        it="sede di lavoro|città", pt="local de trabalho|cidade", nl="standplaats|plaats",
    ),
    "street": text("street|street address|street and number|address line|office street"),
    "postcode": text("postcode|zip|zip code|postal code|PLZ"),
    "salary.min": number(
        "minimum salary|salary from|salary_min|lowest pay|pay from|lower end of the salary|"
        "min_salary|starting pay",
        "the lower end of what is paid, as a number",
        de="Gehalt von|Mindestgehalt", fr="salaire minimum", es="salario mínimo",
        it="stipendio minimo", pt="salário mínimo", nl="minimumsalaris|salaris vanaf",
    ),
    "salary.max": number(
        "maximum salary|salary to|salary_max|highest pay|pay up to|upper end of the salary|"
        "max_salary",
        "the upper end of what is paid, as a number",
        de="Gehalt bis|Höchstgehalt", fr="salaire maximum", es="salario máximo",
        it="stipendio massimo", pt="salário máximo", nl="maximumsalaris|salaris tot",
    ),
    "salary.currency": currency(
        "currency|salary currency|currency_code|paid in which currency?|currency of the pay"
    ),
    "period": choice(
        "pay period|salary period|salary_unit|pay is per|paid per|rate period",
        "year/annual/per year, month/monthly/per month, week/weekly, day/daily rate, "
        "hour/hourly/per hour",
        "the time to which the pay refers",
    ),
    "bonus": number(
        "bonus|sign-on bonus|bonus_amount|extra payment|how much is the bonus?|signing bonus"
    ),
    "hours": number(
        "weekly hours|hours per week|hours_per_week|working hours|how many hours a week?|"
        "hours a week|weekly working time",
        de="Wochenstunden|Stunden pro Woche", fr="heures par semaine", es="horas semanales",
        it="ore settimanali", pt="horas por semana", nl="uren per week|aantal uren",
    ),
    "employment": choice(
        "employment type|type of employment|employment_type|full or part time?|job type|"
        "working time model",
        "full-time/full time, part-time/part time, internship/placement, freelance/contractor, "
        "apprenticeship/training, mini job/casual",
        "how one would be employed",
        de="Beschäftigungsart|Arbeitszeitmodell", fr="type d'emploi", es="tipo de jornada",
        it="tipo di impiego", pt="regime", nl="dienstverband",
    ),
    "contract": choice(
        "contract|contract type|contract_type|permanent or temporary?|duration of contract|"
        "kind of contract",
        "permanent/unlimited/open-ended, fixed-term/temporary/limited",
        "whether the contract is limited in time",
        de="Vertragsart|Befristung", fr="type de contrat", es="tipo de contrato",
        it="tipo di contratto", pt="tipo de contrato", nl="contractvorm",
    ),
    "months": integer(
        "contract length in months|duration in months|contract_months|for how many months?|"
        "length of contract (months)"
    ),
    "workplace": choice(
        "workplace|work mode|remote or on site?|workplace_type|remote status|work arrangement|"
        "place of work type",
        "on-site/office, hybrid/partly remote, remote/fully remote/home office",
        "where the work is done",
        de="Arbeitsmodell", fr="mode de travail", es="modalidad", nl="werkvorm",
    ),
    "sector": choice(
        "sector|industry|field|line of business|job category|industry_sector|branch",
        "technology/IT/software, health care/healthcare/medical, education/teaching, "
        "hospitality/restaurants and hotels/gastronomy, construction/trades, retail/sales floor, "
        "logistics/transport, finance/banking and insurance, public sector/government, "
        "manufacturing/production, agriculture/farming, other",
        "the field in which one would work",
        always=True,
        de="Branche", fr="secteur", es="sector", it="settore", pt="setor", nl="branche|sector",
    ),
    "seniority": choice(
        "seniority|level|experience level|career level|seniority_level|how senior?",
        "entry level/junior/beginner, experienced/mid-level, senior, lead/management/executive",
        always=True,
    ),
    "skills": texts(
        "required skills|skills|requirements|must haves|skills_required|qualifications|"
        "what must applicants know?|needed skills",
        "what applicants must know or have, without what would only be nice",
        de="Anforderungen|Kenntnisse", fr="compétences requises|exigences", es="requisitos",
        it="requisiti|competenze", pt="requisitos", nl="eisen|vaardigheden",
    ),
    "nice": texts(
        "nice to have|optional skills|preferred skills|pluses|nice_to_haves|"
        "what would be an advantage?|desirable",
        "what would help but is not needed",
    ),
    "duties": texts(
        "duties|responsibilities|tasks|what will you do?|job_duties|main tasks|"
        "key responsibilities",
        "the tasks of the job",
        de="Aufgaben", fr="missions", es="funciones", it="mansioni", pt="funções|atividades",
        nl="taken|werkzaamheden",
    ),
    "benefits": texts(
        "benefits|perks|what is offered|employee_benefits|extras|what do they offer?|advantages",
        "what employees get besides their pay",
        de="Leistungen|Benefits", fr="avantages", es="beneficios", it="benefit|vantaggi",
        pt="benefícios", nl="arbeidsvoorwaarden|extra's",
    ),
    "languages": texts(
        "languages|required languages|languages_spoken|which languages are needed?|"
        "language skills",
        "the languages that applicants have to speak",
        de="Sprachen|Sprachkenntnisse", fr="langues", es="idiomas", it="lingue", nl="talen",
    ),
    "years": integer(
        "years of experience|minimum experience|years_of_experience|experience in years|"
        "how many years of experience are needed?|required years",
        "the least number of years",
        de="Berufserfahrung in Jahren", fr="années d'expérience", es="años de experiencia",
        it="anni di esperienza", pt="anos de experiência", nl="jaren ervaring",
    ),
    "openings": integer(
        "number of openings|positions available|openings|vacancies|how many are wanted?|"
        "number_of_positions|headcount"
    ),
    "employees": integer(
        "employees|number of employees|company size|employee_count|size of the company|staff"
    ),
    "founded": integer("founded|founding year|year founded|company founded in|since when?"),
    "holiday": integer(
        "days of holiday|vacation days|annual leave|vacation_days|paid days off|leave days",
        de="Urlaubstage", fr="jours de congé", es="días de vacaciones", it="giorni di ferie",
        pt="dias de férias", nl="vakantiedagen",
    ),
    "contact.name": text(
        "contact|contact person|recruiter|contact_name|whom to ask|hiring contact|"
        "person to write to",
        "the person who answers questions or takes applications",
        de="Ansprechpartner|Kontakt", fr="personne à contacter", es="persona de contacto",
        it="referente", pt="pessoa de contato", nl="contactpersoon",
    ),
    "contact.email": text(
        "contact email|application email|email|apply_to|e-mail for applications|"
        "where to send the CV"
    ),
    "contact.phone": text(
        "contact phone|phone|telephone|phone_number|number to call|tel",
    ),
    "reference": text(
        "reference|job id|reference number|requisition number|job_ref|ref|vacancy number|"
        "posting id",
        "the number under which the job is advertised",
        de="Kennziffer|Referenznummer", fr="référence", es="referencia", it="riferimento",
        pt="código da vaga", nl="vacaturenummer",
    ),
    "site": text("link|url|website|apply at|careers page|application_url|web address"),
    "posted": date(
        "posted|posted on|date posted|published|posting_date|advertised on|publication date",
        "when the advertisement came out",
    ),
    "deadline": date(
        "deadline|closing date|apply by|application_deadline|last day to apply|until when?|"
        "applications close",
        "the last day for applications",
        de="Bewerbungsschluss|Bewerbungsfrist", fr="date limite", es="fecha límite",
        it="scadenza", pt="prazo de inscrição", nl="sluitingsdatum|reageren voor",
    ),
    "start": date(
        "start date|starting date|job starts|start_date|first day of work|to start on|"
        "when does the job begin?",
        "the first day of the job",
        de="Eintrittsdatum|Beginn", fr="date de début", es="fecha de incorporación",
        it="data di inizio", pt="data de início", nl="startdatum",
    ),
    "reports_to": text(
        "reports to|supervisor|line manager|reporting_to|who is the boss?|manager's title",
        "the post to which the job reports",
    ),
    "degree": yes_no(
        "degree required|degree_required|is a degree needed?|university degree necessary"
    ),
    "licence": yes_no(
        "driving licence required|driver's license needed|license_required|"
        "must one be able to drive?"
    ),
    "travel": yes_no(
        "travel required|business travel|involves_travel|is there travelling?|trips expected"
    ),
    "visa": yes_no(
        "visa sponsorship|visa_sponsored|sponsors visas|is a visa sponsored?|work permit support"
    ),
    "relocation": yes_no(
        "relocation support|help with moving|relocation_package|relocation assistance"
    ),
    "shifts": yes_no("shift work|works in shifts|shifts|is_shift_work|are there shifts?"),
    "weekends": yes_no("weekend work|works weekends|weekend_work|does one work at weekends?"),
    "no_experience": yes_no(
        "open to beginners|career changers welcome|no experience needed|suits_beginners|"
        "can one apply without experience?"
    ),
    "cover_letter": yes_no(
        "cover letter needed|cover_letter_required|must one send a cover letter?|motivation letter"
    ),
    "salary": group(
        "salary|pay|compensation|salary_range|remuneration",
        {
            "salary.min": "min|from|lowest",
            "salary.max": "max|to|highest",
            "salary.currency": "currency",
            "period": "period|per|unit",
        },
    ),
    "contact": group(
        "contact|contact person|apply to|recruiter",
        {
            "contact.name": "name|full name",
            "contact.email": "email|e-mail",
            "contact.phone": "phone|tel",
        },
    ),
    "dates": group(
        "dates|schedule|key dates",
        {
            "posted": "posted|published",
            "deadline": "deadline|apply by",
            "start": "start|begins",
        },
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one advertisement."""
    posted = world.date(2019, 2026)
    deadline = world.date(after=posted, days=(7, 60))
    start = world.date(after=deadline, days=(5, 120))
    founded = world.rng.randint(1887, 2021)
    person, other = world.person(), world.person()
    return {
        "title": world.one_of(TITLES[world.language]),
        "company": world.company(),
        "agency": world.company(),
        "city": world.city(),
        "town": world.city(),
        "street": world.address().street,
        "postcode": world.address().postcode,
        "country": world.address().country,
        "salary": world.money_range(*SALARIES[world.count("per", 1, 1)]),
        "pay": world.money(11, 48),
        "bonus": world.money(200, 5000, decimals=0),
        "fee": world.money(5, 900, decimals=0),
        "hours": world.number(10, 42, world.pick(0, 0, 0, 1)),
        "contact": person,
        "other": other,
        "reference": world.code("%###", "JOB-%####", "20##-%##", "R%######", "??/%##", "HR-%##-?"),
        "site": world.url(),
        "earlier": world.date(2012, 2018),
        "posted": posted,
        "deadline": deadline,
        "fair": world.date(after=posted, days=(2, 20)),
        "interview": world.date(after=deadline, days=(2, 20)),
        "start": start,
        "years": world.number(1, 10),
        "openings": world.number(2, 30),
        "employees": world.number(6, 9000),
        "team": world.number(3, 40),
        "founded": world.exact(founded),
        "holiday": world.number(20, 36),
        "months": world.number(3, 36),
        "skills": world.some(SKILLS, 2, 7, "skills"),
        "benefits": world.some(BENEFITS[world.language], 2, 6, "benefits"),
    }
