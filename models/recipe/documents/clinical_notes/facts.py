"""The facts of clinical notes, and how they are asked for.

Slots: ``patient`` (``name``), ``born``, ``age``, ``gender`` (forms ``letter``, ``man``, in English
also ``he``, ``his``, ``him``), ``record`` (the patient's number), ``insurance`` and ``policy``,
``doctor`` (who writes), ``referrer`` (another doctor), ``nurse`` and ``relative`` (not asked for),
``hospital``, ``ward``, ``visit``, ``admitted``, ``discharged``, ``operation``, ``next`` (dates),
``next_at`` (a time), ``earlier`` (a date, not asked for), ``hour`` (a time, not asked for),
``diagnosis`` (``name``, ``icd``), ``medicines`` (``name``, ``dose``, ``often``; as many as
``@count: medicines 2-5`` says), ``stopped`` (a medicine no longer taken), ``allergies``,
``systolic``, ``diastolic``, ``pulse``, ``temperature``, ``saturation``, ``breaths``, ``weight``,
``height``, ``glucose``, ``hba1c``, ``haemoglobin``, ``creatinine``, ``crp``, ``pain``,
``old_weight``, ``old_hba1c``, ``old_pulse`` (earlier values, not asked for), ``days`` (of a sick
note), ``phone``, ``other_phone``. Decided by the wording: the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recipe.documents.asking import (
    choice,
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
from recipe.documents.clinical_notes.medicine import (
    ALLERGIES,
    DIAGNOSES,
    HOSPITALS,
    INSURERS,
    MEDICINES,
    OFTEN,
    WARDS,
)
from recipe.facts import Fact, Record, World
from recipe.facts.fact import Form, form

GENDERS = {
    "de": {"man": ("Mann", "Frau"), "letter": ("m", "w")},
    "fr": {"man": ("homme", "femme"), "letter": ("M", "F")},
    "es": {"man": ("varón", "mujer"), "letter": ("V", "M")},
    "it": {"man": ("uomo", "donna"), "letter": ("M", "F")},
    "pt": {"man": ("homem", "mulher"), "letter": ("M", "F")},
    "nl": {"man": ("man", "vrouw"), "letter": ("M", "V")},
    "en": {
        "man": ("man", "woman"),
        "letter": ("M", "F"),
        "word": ("male", "female"),
        "he": ("he", "she"),
        "his": ("his", "her"),
        "him": ("him", "her"),
    },
}

ASKED = {
    "patient.name": text(
        "patient|patient name|name|patient_name|name of the patient|who is the patient?|"
        "full name of the patient|pt_name",
        "the person who is treated",
        de="Patient|Patientin|Name des Patienten", fr="patient|nom du patient", es="paciente",
        it="paziente", pt="paciente|nome do paciente", nl="patiënt|naam patiënt",
    ),
    "born": date(
        "date of birth|dob|born|birth_date|patient's birthday|born on",
        de="Geburtsdatum|geboren am", fr="date de naissance|né le", es="fecha de nacimiento",
        it="data di nascita", pt="data de nascimento", nl="geboortedatum",
    ),
    "age": integer(
        "age|patient age|age in years|how old is the patient?|patient_age|years of age",
        "the patient's age in years, where it is written",
        de="Alter", fr="âge", es="edad", it="età", pt="idade", nl="leeftijd",
    ),
    "gender": choice(
        "sex|gender|patient_sex|sex of the patient|male or female?",
        "male/man/m, female/woman/f",
        always=True,
        de="Geschlecht", fr="sexe", es="sexo", it="sesso", pt="sexo", nl="geslacht",
    ),
    "record": text(
        "record number|mrn|patient number|patient id|medical record number|chart_no|"
        "hospital number|file number",
        "the number of the patient in the hospital or practice",
        de="Patientennummer|Fallnummer", fr="numéro de dossier", es="número de historia",
        it="numero di cartella", pt="número do prontuário", nl="patiëntnummer",
    ),
    "insurance": text(
        "insurance|health insurer|insurance_company|payer|insured with|who insures the patient?",
        de="Krankenkasse|Versicherung", fr="assurance|mutuelle", es="aseguradora",
        nl="zorgverzekeraar",
    ),
    "policy": text(
        "policy number|insurance number|member id|insurance_no|insured number"
    ),
    "doctor.name": text(
        "doctor|physician|author|signed by|attending physician|doctor_name|clinician|"
        "who wrote the note?|treating doctor",
        "the clinician who writes or signs",
        de="Arzt|behandelnder Arzt", fr="médecin", es="médico", it="medico", pt="médico",
        nl="arts|behandelaar",
    ),
    "referrer.name": text(
        "referring doctor|referred by|gp|family doctor|referrer|referring_physician|"
        "who sent the patient?",
        "the doctor who sent the patient or who looks after the patient at home",
        de="Hausarzt|überweisender Arzt", fr="médecin traitant", es="médico de cabecera",
        nl="huisarts|verwijzer",
    ),
    "hospital": text(
        "hospital|clinic|practice|facility|hospital_name|institution|where was the patient seen?",
        "the place of treatment that writes the note",
        de="Klinik|Krankenhaus|Praxis", fr="hôpital|établissement", es="hospital|centro",
        it="ospedale|struttura", pt="hospital|clínica", nl="ziekenhuis|praktijk",
    ),
    "ward": text(
        "ward|department|unit|ward_name|station|service|which ward?",
        de="Station|Abteilung", fr="service", es="servicio|planta", it="reparto",
        pt="setor|enfermaria", nl="afdeling",
    ),
    "visit": date(
        "date of visit|visit date|encounter date|seen on|consultation_date|examined on|"
        "date of the appointment that is described",
        "the day on which the patient was seen",
        de="Untersuchungsdatum|Vorgestellt am", fr="date de consultation",
        es="fecha de la consulta", it="data della visita", pt="data da consulta",
        nl="datum consult",
    ),
    "admitted": date(
        "admission date|admitted|admitted on|date_of_admission|in hospital since|hospitalised on",
        de="Aufnahmedatum|aufgenommen am", fr="date d'admission", es="fecha de ingreso",
        it="data di ricovero", pt="data de internação", nl="opnamedatum",
    ),
    "discharged": date(
        "discharge date|discharged|discharged on|date_of_discharge|left hospital on",
        de="Entlassungsdatum|entlassen am", fr="date de sortie", es="fecha de alta",
        it="data di dimissione", pt="data da alta", nl="ontslagdatum",
    ),
    "operation": date(
        "date of surgery|operation date|operated on|surgery_date|procedure date|day of operation",
        de="OP-Datum", fr="date de l'intervention", es="fecha de la operación",
    ),
    "next": date(
        "next appointment|follow-up date|next visit|follow_up_date|review on|come back on|"
        "date of next appointment",
        de="nächster Termin|Kontrolltermin", fr="prochain rendez-vous", es="próxima cita",
        it="prossimo controllo", pt="próxima consulta", nl="volgende afspraak",
    ),
    "next_at": time(
        "time of next appointment|follow-up time|next_visit_time|appointment time"
    ),
    "diagnosis.name": text(
        "diagnosis|main diagnosis|primary diagnosis|condition|diagnosis_text|illness|"
        "what does the patient have?|impression",
        "the illness that the note settles on",
        de="Diagnose|Hauptdiagnose", fr="diagnostic", es="diagnóstico", it="diagnosi",
        pt="diagnóstico", nl="diagnose",
    ),
    "diagnosis.icd": text(
        "icd code|icd-10|icd10_code|diagnosis code|code of the diagnosis",
        de="ICD-10-Code", fr="code CIM-10", es="código CIE-10",
    ),
    "complaint": text(
        "chief complaint|reason for visit|presenting complaint|reason_for_visit|complaint|"
        "why did the patient come?",
        "why the patient came, in the note's words",
        de="Vorstellungsgrund|Leitsymptom", fr="motif de consultation",
        es="motivo de consulta", it="motivo della visita", pt="queixa principal",
        nl="reden van komst|klacht",
    ),
    "symptoms": texts(
        "symptoms|complaints|symptom_list|what does the patient suffer from?|signs reported",
        "the symptoms that the patient has, not those denied",
        de="Symptome|Beschwerden", fr="symptômes", es="síntomas", it="sintomi", pt="sintomas",
        nl="symptomen|klachten",
    ),
    "history": texts(
        "past medical history|previous illnesses|pmh|medical_history|known conditions|"
        "earlier diagnoses|comorbidities",
        "illnesses known from before",
        de="Vorerkrankungen", fr="antécédents", es="antecedentes", it="anamnesi patologica",
        pt="antecedentes", nl="voorgeschiedenis",
    ),
    "procedure": text(
        "procedure|operation|surgery|procedure_name|what was done?|name of the operation|"
        "intervention",
        de="Eingriff|Operation", fr="intervention", es="intervención", it="intervento",
        pt="procedimento|cirurgia", nl="ingreep",
    ),
    "medicines": objects(
        "medications|medication list|drugs|prescriptions|current_medications|medicines|"
        "what does the patient take?|discharge medication|meds",
        {
            "name": text("name|drug|medication|medicine|drug_name|substance"),
            "dose": text("dose|strength|dosage|amount"),
            "often": text("frequency|how often|schedule|sig|times per day|directions"),
        },
        "the medicines that the patient takes or is to take",
        de="Medikation|Medikamente", fr="traitement|médicaments", es="medicación|tratamiento",
        it="terapia|farmaci", pt="medicamentos|medicação", nl="medicatie|medicijnen",
    ),
    "stopped.name": text(
        "medication stopped|discontinued drug|stopped_medication|which medicine was stopped?|"
        "drug no longer taken"
    ),
    "allergies": texts(
        "allergies|allergic to|known allergies|allergy_list|drug allergies and others|"
        "intolerances",
        de="Allergien|Unverträglichkeiten", fr="allergies", es="alergias", it="allergie",
        pt="alergias", nl="allergieën",
    ),
    "systolic": integer(
        "systolic|systolic blood pressure|bp_systolic|upper blood pressure|sbp",
        "the upper value of the blood pressure, mmHg",
    ),
    "diastolic": integer(
        "diastolic|diastolic blood pressure|bp_diastolic|lower blood pressure|dbp",
        "the lower value of the blood pressure, mmHg",
    ),
    "pulse": integer(
        "pulse|heart rate|hr|heart_rate_bpm|beats per minute|pulse rate",
        de="Puls|Herzfrequenz", fr="pouls", es="pulso", it="polso|frequenza cardiaca",
        pt="pulso", nl="pols|hartslag",
    ),
    "temperature": number(
        "temperature|body temperature|temp|temperature_c|fever|how high is the temperature?",
        de="Temperatur", fr="température", es="temperatura", it="temperatura", pt="temperatura",
        nl="temperatuur",
    ),
    "saturation": integer(
        "oxygen saturation|spo2|o2 sat|saturation|spo2_percent|sats"
    ),
    "breaths": integer("respiratory rate|rr|breathing rate|breaths per minute|resp_rate"),
    "weight": number(
        "weight|weight in kg|body weight|weight_kg|how heavy is the patient?|wt",
        de="Gewicht", fr="poids", es="peso", it="peso", pt="peso", nl="gewicht",
    ),
    "height": integer(
        "height|height in cm|body height|height_cm|how tall is the patient?",
        de="Größe", fr="taille", es="talla", it="altezza", pt="altura", nl="lengte",
    ),
    "glucose": number("glucose|blood sugar|glucose_level|blood glucose|sugar"),
    "hba1c": number("hba1c|a1c|hba1c_percent|glycated haemoglobin|current HbA1c"),
    "haemoglobin": number("haemoglobin|hemoglobin|hb|hgb|haemoglobin_level"),
    "creatinine": number("creatinine|serum creatinine|crea|creatinine_value"),
    "crp": number("crp|c-reactive protein|crp_value|CRP level"),
    "pain": integer("pain score|pain|pain level|pain_scale|pain out of ten|nrs"),
    "days": integer(
        "days off work|sick leave in days|sick_days|how many days is the patient off work?|"
        "length of sick note in days"
    ),
    "phone": text(
        "phone|telephone|phone of the practice|contact number|number to call"
    ),
    "kind": choice(
        "document type|kind of note|type|note_type|what kind of document is it?",
        "discharge summary/discharge letter, referral/referral letter, "
        "progress note/visit note/consultation, prescription, lab report/test results, "
        "operation note/surgical report, nursing note/nursing report, emergency note/ER note, "
        "imaging report/radiology report, sick note/medical certificate, other",
        "what kind of document this is",
        always=True,
        de="Dokumenttyp", fr="type de document", es="tipo de documento", nl="soort document",
    ),
    "specialty": choice(
        "specialty|field of medicine|medical specialty|speciality|branch of medicine",
        "cardiology/heart, orthopaedics/orthopedics/bones and joints, paediatrics/children, "
        "psychiatry/mental health, dermatology/skin, general practice/family medicine, "
        "obstetrics/gynaecology/pregnancy, neurology/nerves, gastroenterology/digestion, "
        "pulmonology/lungs, diabetes/endocrinology, urology/kidneys, dentistry/teeth, "
        "ophthalmology/eyes, ear nose throat/ENT, oncology/cancer, veterinary/animals, other",
        always=True,
        de="Fachgebiet", fr="spécialité", es="especialidad", it="specialità",
    ),
    "smoker": yes_no(
        "smoker|smokes|is_smoker|current smoker|does the patient smoke?",
        "whether the patient smokes now",
        de="Raucher", fr="fumeur", es="fumador", it="fumatore", pt="fumante", nl="roker",
    ),
    "pregnant": yes_no("pregnant|is_pregnant|pregnancy|is the patient pregnant?"),
    "fever": yes_no("fever present|has fever|febrile|is there fever?"),
    "improved": yes_no(
        "improved|condition improved|feeling better|has_improved|is the patient better?"
    ),
    "surgery": yes_no(
        "surgery needed|surgery planned|operation advised|needs_surgery|is an operation planned?"
    ),
    "lives_alone": yes_no("lives alone|living alone|lives_alone|does the patient live alone?"),
    "urgent": yes_no("urgent|is_urgent|urgent referral|is it urgent?", always=True),
    "vitals": group(
        "vital signs|vitals|observations|measurements",
        {
            "systolic": "systolic|bp upper",
            "diastolic": "diastolic|bp lower",
            "pulse": "pulse|heart rate",
            "temperature": "temperature|temp",
            "saturation": "spo2|oxygen saturation",
        },
    ),
    "person": group(
        "patient|patient details|demographics",
        {
            "patient.name": "name|full name",
            "born": "date of birth|dob",
            "gender": "sex|gender",
            "record": "number|id|mrn",
        },
    ),
    "stay": group(
        "stay|hospital stay|admission",
        {"admitted": "from|admitted", "discharged": "to|discharged", "ward": "ward|unit"},
    ),
}  # fmt: skip


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one note."""
    language = world.language
    born = world.date(1934, 2006)
    earlier = world.date(2016, 2018)
    admitted = world.date(2019, 2026)
    operation = world.date(after=admitted, days=(1, 3))
    discharged = world.date(after=operation, days=(1, 14))
    visit = world.date(after=discharged, days=(0, 20))
    age = visit.value.year - born.value.year
    age -= (visit.value.month, visit.value.day) < (born.value.month, born.value.day)
    patient = world.person()
    name, icd = world.rng.choice(DIAGNOSES[language]).split("|")
    pool = world.rng.sample(MEDICINES[language], world.count("medicines", 1, 4) + 1)
    medicines = []
    for line in pool[:-1]:
        drug, doses = line.split("|")
        medicines.append(
            Record(
                name=world.text(drug),
                dose=world.text(world.rng.choice(doses.split(","))),
                often=world.one_of(OFTEN[language]),
            )
        )
    systolic = world.number(98, 184)
    hospital = world.rng.choice(HOSPITALS[language]).replace("*", str(world.city()))
    return {
        "patient": patient,
        "born": born,
        "age": world.number(age, age),
        "gender": _gender(language, bool(patient.male)),
        "record": world.code("%######", "MRN %#######", "%##-%##-%#", "P%####", "20##/%####"),
        "insurance": world.one_of(INSURERS[language]),
        "policy": world.code("?%########", "%##########", "??-%######"),
        "doctor": world.person(),
        "referrer": world.person(),
        "nurse": world.person(),
        "relative": world.person(),
        "hospital": world.text(hospital),
        "ward": world.one_of(WARDS[language]),
        "earlier": earlier,
        "admitted": admitted,
        "operation": operation,
        "discharged": discharged,
        "visit": visit,
        "next": world.date(after=visit, days=(5, 180)),
        "next_at": world.time(8, 17),
        "hour": world.time(0, 23, 5),
        "diagnosis": Record(name=world.text(name), icd=world.text(icd)),
        "medicines": medicines,
        "stopped": Record(name=world.text(pool[-1].split("|")[0])),
        "allergies": world.some(ALLERGIES[language], 1, 3, "allergies"),
        "systolic": systolic,
        "diastolic": world.number(54, min(96, systolic.value - 30)),
        "pulse": world.number(52, 128),
        "temperature": world.number(35.9, 39.8, 1),
        "saturation": world.number(88, 100),
        "breaths": world.number(11, 28),
        "weight": world.number(46, 128, world.pick(0, 1)),
        "height": world.number(149, 196),
        "glucose": world.number(68, 290),
        "hba1c": world.number(5.2, 11.4, 1),
        "haemoglobin": world.number(7.8, 16.4, 1),
        "creatinine": world.number(0.6, 3.4, 2),
        "crp": world.number(2, 210),
        "pain": world.number(1, 9),
        "old_weight": world.number(130, 150),
        "old_hba1c": world.number(11.5, 13.5, 1),
        "old_pulse": world.number(130, 160),
        "days": world.number(2, 28),
        "phone": world.phone(),
        "other_phone": world.phone(),
    }


def _gender(language: str, male: bool) -> Fact:
    gold = "male" if male else "female"
    words = {name: pair[0 if male else 1] for name, pair in GENDERS[language].items()}
    forms: dict[str, Form] = {name: form(word, gold) for name, word in words.items()}
    return Fact(gold, forms["man"], **forms)
