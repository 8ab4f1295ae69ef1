"""The facts of curricula vitae, and how they are asked for.

Slots: ``person`` (the candidate: ``name``, ``email``, ``phone``), ``born``, ``birthplace``,
``nationality``, ``address``, ``site``, ``jobs`` (the latest first: ``title``, ``company``,
``place``, ``start``, ``end`` as years), ``degrees`` (the highest first: ``degree``, ``subject``,
``school``, ``year``), ``skills`` (of computing), ``languages`` (``name``, ``level``),
``certificates``, ``hobbies``, ``years`` (of experience), ``salary`` (wished for), ``current_pay``
(not asked for), ``available`` and ``written`` (dates), ``notice``, ``referee``, ``referee2`` and
``boss`` (persons; the latter two are not asked for), ``firm``, ``town``, ``team``, ``percent``
(not asked for), ``reference`` (of an advertisement). Decided by the wording: the rest.
The job that somebody still has is marked as ``current_title`` and ``current_company``.
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
from recipe.documents.cvs.careers import (
    CERTIFICATES,
    DEGREES,
    HOBBIES,
    JOBS,
    LANGUAGES,
    LEVELS,
    NATIONALITIES,
    NOTICES,
    SCHOOLS,
    SKILLS,
    SUBJECTS,
)
from recipe.facts import Record, World

ASKED = {
    "person.name": text(
        "name|candidate|full name|applicant|candidate_name|whose CV is it?|name of the applicant|"
        "applicant's name",
        "the person whose career it is",
        de="Name|Bewerber", fr="nom|candidat", es="nombre|candidato", it="nome|candidato",
        pt="nome|candidato", nl="naam|kandidaat",
    ),
    "person.email": text(
        "email|e-mail|email address|candidate_email|e-mail of the applicant|contact email"
    ),
    "person.phone": text(
        "phone|mobile|telephone|phone number|candidate_phone|applicant's telephone number",
        de="Telefon", fr="téléphone", es="teléfono", it="telefono", pt="telefone", nl="telefoon",
    ),
    "born": date(
        "date of birth|birthday|born on|birth_date|dob|when was the candidate born?",
        de="Geburtsdatum", fr="date de naissance", es="fecha de nacimiento",
        it="data di nascita", pt="data de nascimento", nl="geboortedatum",
    ),
    "birthplace": text(
        "place of birth|birthplace|born in|birth_place|town of birth",
        de="Geburtsort", fr="lieu de naissance", es="lugar de nacimiento",
        it="luogo di nascita", nl="geboorteplaats",
    ),
    "nationality": text(
        "nationality|citizenship|citizen of|nationality_of_candidate",
        de="Staatsangehörigkeit|Nationalität", fr="nationalité", es="nacionalidad",
        it="nazionalità", pt="nacionalidade", nl="nationaliteit",
    ),
    "address.street": text("street|street address|home street|street and number|address line"),
    "address.postcode": text("postcode|zip|zip code|postal code|home postcode"),
    "address.city": text(
        "city|town|home town|lives in|city_of_residence|where does the candidate live?|residence",
        "the town where the candidate lives",
        de="Wohnort", fr="ville de résidence", es="ciudad de residencia", nl="woonplaats",
    ),
    "site": text("website|portfolio|homepage|personal website|url|link to profile"),
    "status": text(
        "marital status|family status|civil status|marital_status",
        de="Familienstand", fr="situation familiale", es="estado civil", it="stato civile",
        pt="estado civil", nl="burgerlijke staat",
    ),
    "current_title": text(
        "current job|current position|current title|present occupation|current_role|"
        "what does the candidate do now?|current job title",
        "the job that the candidate has at the moment",
        de="aktuelle Position|derzeitige Tätigkeit", fr="poste actuel", es="puesto actual",
        it="posizione attuale", pt="cargo atual", nl="huidige functie",
    ),
    "current_company": text(
        "current employer|present employer|current company|employer_now|works for|"
        "where does the candidate work now?",
        "the employer at the moment",
        de="aktueller Arbeitgeber", fr="employeur actuel", es="empresa actual",
        it="datore di lavoro attuale", pt="empresa atual", nl="huidige werkgever",
    ),
    "jobs": objects(
        "jobs|work experience|employment history|experience|positions held|career|work_history|"
        "previous jobs and current one|employments",
        {
            "title": text("title|position|role|job title|job|what"),
            "company": text("company|employer|organisation|company_name|firm|where"),
            "place": text("place|city|location|town"),
            "start": integer("from|start|start year|year started|since"),
            "end": integer("to|end|end year|year ended|until"),
        },
        "all jobs that are listed, with years",
        de="Berufserfahrung|beruflicher Werdegang", fr="expérience professionnelle",
        es="experiencia laboral", it="esperienze lavorative", pt="experiência profissional",
        nl="werkervaring",
    ),
    "degrees": objects(
        "education|degrees|studies|qualifications|academic background|schools and degrees|"
        "education_history",
        {
            "degree": text("degree|qualification|title|certificate|what"),
            "subject": text("subject|field|major|field of study|discipline"),
            "school": text("school|university|institution|college|where"),
            "year": integer("year|graduated|year of graduation|completed|finished in"),
        },
        "the studies that are listed",
        de="Ausbildung|Bildungsweg", fr="formation", es="formación académica", it="istruzione",
        pt="formação", nl="opleidingen",
    ),
    "highest": choice(
        "highest degree|highest qualification|education level|education_level|"
        "highest level of education",
        "doctorate/PhD, master/master's degree/postgraduate, bachelor/bachelor's degree, "
        "vocational/apprenticeship/trade certificate, school/secondary school",
        always=True,
    ),
    "skills": texts(
        "skills|technical skills|computer skills|tools|it_skills|software|technologies known|"
        "what can the candidate do?",
        "the skills that are listed",
        de="Kenntnisse|EDV-Kenntnisse", fr="compétences", es="habilidades|conocimientos",
        it="competenze", pt="competências", nl="vaardigheden",
    ),
    "languages": objects(
        "languages|language skills|languages spoken|foreign languages and mother tongue|"
        "spoken_languages",
        {
            "name": text("language|name|which"),
            "level": text("level|proficiency|fluency|how well"),
        },
        "the languages that the candidate speaks",
        de="Sprachen|Sprachkenntnisse", fr="langues", es="idiomas", it="lingue",
        pt="idiomas", nl="talen",
    ),
    "certificates": texts(
        "certificates|certifications|licences and certificates|courses|training|"
        "professional_certifications",
        "certificates and courses besides studies",
    ),
    "hobbies": texts(
        "hobbies|interests|spare time|leisure activities|personal_interests|pastimes",
        de="Hobbys|Interessen", fr="loisirs|centres d'intérêt", es="aficiones|intereses",
        it="interessi", pt="interesses|hobbies", nl="hobby's|interesses",
    ),
    "field": choice(
        "field|professional field|industry|sector|area of work|career_field",
        "technology/IT, health care/medical, education/teaching, hospitality/gastronomy, "
        "construction/trades, retail/sales, logistics/transport, finance/accounting, "
        "office/administration, engineering/manufacturing, arts/media, science/research, law/legal, other",
        "the field in which the candidate works",
        always=True,
        de="Berufsfeld", fr="domaine", es="sector",
    ),
    "wanted": text(
        "desired position|job sought|applies for|target position|position_applied_for|"
        "which job does the candidate want?",
        "the job that the candidate wants next",
    ),
    "years": integer(
        "years of experience|experience in years|years_experience|"
        "how many years of experience?|professional experience (years)"
    ),
    "salary": number(
        "salary expectation|expected salary|desired salary|salary_expectation|"
        "how much does the candidate want to earn?|pay wanted",
        "the pay that the candidate asks for",
        de="Gehaltsvorstellung", fr="prétentions salariales", es="pretensiones salariales",
        it="retribuzione desiderata", pt="pretensão salarial", nl="salarisindicatie",
    ),
    "salary.currency": currency("salary currency|currency|currency of the expected salary"),
    "notice": text(
        "notice period|period of notice|notice|notice_period",
        de="Kündigungsfrist", fr="préavis", es="preaviso", it="preavviso", nl="opzegtermijn",
    ),
    "available": date(
        "available from|availability|can start on|earliest start|available_from|"
        "when can the candidate start?",
        de="verfügbar ab|frühester Eintritt", fr="disponible à partir du",
        es="disponible desde", nl="beschikbaar vanaf",
    ),
    "written": date("date of the CV|last updated|cv_date|written on|version of"),
    "referee.name": text(
        "referee|reference|reference person|referee_name|who can be asked about the candidate?"
    ),
    "referee.email": text("referee's email|email of the referee|reference email|referee_contact"),
    "reference": text(
        "job reference|reference number|advert number|vacancy reference|reference_no"
    ),
    "licence": yes_no(
        "driving licence|has a driver's license|can drive|drivers_license|"
        "does the candidate have a driving licence?",
        de="Führerschein", fr="permis de conduire", es="carné de conducir", it="patente",
    ),
    "relocate": yes_no(
        "willing to relocate|would move|open_to_relocation|would the candidate move?|mobility"
    ),
    "children": yes_no("has children|children|is a parent|has_kids"),
    "employed": yes_no(
        "currently employed|has a job now|is_employed|in work at the moment?", always=True
    ),
    "photo": yes_no("photo|has a photo|photo_included|picture attached"),
    "contact": group(
        "contact|contact details|personal details|candidate",
        {
            "person.name": "name|full name",
            "person.email": "email|e-mail",
            "person.phone": "phone|mobile",
            "address.city": "city|town",
        },
    ),
    "current": group(
        "current job|present employment|now",
        {"current_title": "title|position", "current_company": "company|employer"},
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one career."""
    language = world.language
    written = world.date(2019, 2026)
    born = world.date(1958, 2000)
    year = written.value.year
    jobs = []
    for _ in range(world.count("jobs", 2, 5)):
        end = year
        year -= world.rng.randint(1, 6)
        jobs.append(
            Record(
                title=world.one_of(JOBS[language]),
                company=world.company(),
                place=world.city(),
                start=world.exact(year),
                end=world.exact(end),
            )
        )
    degrees = []
    for _ in range(world.count("degrees", 1, 3)):
        degrees.append(
            Record(
                degree=world.one_of(DEGREES[language]),
                subject=world.one_of(SUBJECTS[language]),
                school=world.text(
                    world.one_of(SCHOOLS[language]).value.replace("*", str(world.city()))
                ),
                year=world.exact(year),
            )
        )
        year -= world.rng.randint(2, 4)
    names = world.some(LANGUAGES[language], 1, 4, "languages")
    return {
        "person": world.person(),
        "born": born,
        "birthplace": world.city(),
        "nationality": world.one_of(NATIONALITIES[language]),
        "address": world.address(),
        "site": world.url(),
        "jobs": jobs,
        "degrees": degrees,
        "skills": world.some(SKILLS, 2, 8, "skills"),
        "languages": [Record(name=name, level=world.one_of(LEVELS[language])) for name in names],
        "certificates": world.some(CERTIFICATES[language], 1, 3, "certificates"),
        "hobbies": world.some(HOBBIES[language], 1, 4, "hobbies"),
        "years": world.number(2, 30),
        "salary": world.money(22000, 99000, decimals=0),
        "current_pay": world.money(21000, 90000, decimals=0),
        "written": written,
        "available": world.date(after=written, days=(10, 200)),
        "notice": world.one_of(NOTICES[language]),
        "referee": world.person(),
        "referee2": world.person(),
        "boss": world.person(),
        "firm": world.company(),
        "town": world.city(),
        "team": world.number(2, 60),
        "percent": world.percent(3, 80),
        "reference": world.code("%###", "JOB-%####", "20##-%##", "??/%##"),
    }
