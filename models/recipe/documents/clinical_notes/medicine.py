"""Words of medicine in seven languages: diagnoses with codes, medicines with doses, wards."""

from __future__ import annotations

DIAGNOSES = {
    "en": (
        "community-acquired pneumonia|J18.9", "acute appendicitis|K35.8",
        "type 2 diabetes mellitus|E11.9", "essential hypertension|I10", "atrial fibrillation|I48.9",
        "iron deficiency anaemia|D50.9", "migraine without aura|G43.0", "acute cholecystitis|K81.0",
        "deep vein thrombosis|I82.4", "urinary tract infection|N39.0", "gout|M10.9",
        "hypothyroidism|E03.9", "acute bronchitis|J20.9", "COPD exacerbation|J44.1",
        "cellulitis of the left leg|L03.1", "congestive heart failure|I50.0",
        "acute pancreatitis|K85.9", "diverticulitis|K57.3", "lumbar disc herniation|M51.2",
        "renal colic|N23", "shingles|B02.9", "psoriasis|L40.9", "vestibular neuritis|H81.2",
    ),
    "de": (
        "ambulant erworbene Pneumonie|J18.9", "akute Appendizitis|K35.8",
        "Diabetes mellitus Typ 2|E11.9", "arterielle Hypertonie|I10", "Vorhofflimmern|I48.9",
        "Eisenmangelanämie|D50.9", "akute Cholezystitis|K81.0", "tiefe Beinvenenthrombose|I80.2",
        "Harnwegsinfekt|N39.0", "Hypothyreose|E03.9", "Bandscheibenvorfall L5/S1|M51.2",
        "Gürtelrose|B02.9", "Herzinsuffizienz|I50.9",
    ),
    "fr": (
        "pneumonie aiguë communautaire|J18.9", "appendicite aiguë|K35.8",
        "diabète de type 2|E11.9", "hypertension artérielle|I10", "fibrillation auriculaire|I48.9",
        "anémie ferriprive|D50.9", "cholécystite aiguë|K81.0", "infection urinaire|N39.0",
        "hypothyroïdie|E03.9", "zona|B02.9", "colique néphrétique|N23", "goutte|M10.9",
    ),
    "es": (
        "neumonía adquirida en la comunidad|J18.9", "apendicitis aguda|K35.8",
        "diabetes mellitus tipo 2|E11.9", "hipertensión arterial|I10",
        "fibrilación auricular|I48.9", "anemia ferropénica|D50.9", "colecistitis aguda|K81.0",
        "infección urinaria|N39.0", "hipotiroidismo|E03.9", "herpes zóster|B02.9", "gota|M10.9",
    ),
    "it": (
        "polmonite|J18.9", "appendicite acuta|K35.8", "diabete mellito tipo 2|E11.9",
        "ipertensione arteriosa|I10", "fibrillazione atriale|I48.9", "anemia sideropenica|D50.9",
        "colecistite acuta|K81.0", "cistite|N30.0", "ipotiroidismo|E03.9", "gotta|M10.9",
    ),
    "pt": (
        "pneumonia|J18.9", "apendicite aguda|K35.8", "diabetes tipo 2|E11.9",
        "hipertensão arterial|I10", "fibrilação atrial|I48.9", "anemia ferropriva|D50.9",
        "colecistite aguda|K81.0", "infecção urinária|N39.0", "hipotireoidismo|E03.9",
        "gota|M10.9",
    ),
    "nl": (
        "longontsteking|J18.9", "acute appendicitis|K35.8", "diabetes mellitus type 2|E11.9",
        "hypertensie|I10", "boezemfibrilleren|I48.9", "ijzergebreksanemie|D50.9",
        "galblaasontsteking|K81.0", "urineweginfectie|N39.0", "hypothyreoïdie|E03.9",
        "gordelroos|B02.9", "jicht|M10.9",
    ),
}  # fmt: skip
MEDICINES = {
    "en": (
        "metformin|500 mg,850 mg,1 g", "ramipril|2.5 mg,5 mg,10 mg", "atorvastatin|20 mg,40 mg",
        "amlodipine|5 mg,10 mg", "omeprazole|20 mg,40 mg", "levothyroxine|50 mcg,75 mcg,100 mcg",
        "bisoprolol|2.5 mg,5 mg", "furosemide|20 mg,40 mg", "apixaban|2.5 mg,5 mg",
        "sertraline|50 mg,100 mg", "paracetamol|500 mg,1 g", "ibuprofen|400 mg,600 mg",
        "amoxicillin|500 mg", "prednisolone|5 mg,30 mg", "salbutamol|100 mcg,2 puffs",
        "gabapentin|300 mg", "aspirin|75 mg,81 mg", "losartan|50 mg", "doxycycline|100 mg",
        "insulin glargine|10 units,18 units,24 units", "allopurinol|100 mg,300 mg",
        "ferrous sulfate|200 mg,325 mg", "clopidogrel|75 mg", "tamsulosin|0.4 mg",
        "hydrochlorothiazide|12.5 mg,25 mg", "mirtazapine|15 mg,30 mg", "codeine|30 mg",
    ),
    "de": (
        "Metformin|500 mg,1000 mg", "Ramipril|5 mg,10 mg",
        "Atorvastatin|20 mg,40 mg", "Amlodipin|5 mg,10 mg", "Pantoprazol|20 mg,40 mg",
        "L-Thyroxin|50 µg,75 µg,100 µg", "Bisoprolol|5 mg", "Torasemid|10 mg", "Apixaban|5 mg",
        "Ibuprofen|400 mg,600 mg", "Novaminsulfon|500 mg", "Amoxicillin|1000 mg", "ASS|100 mg",
        "Prednisolon|5 mg,20 mg", "Allopurinol|100 mg,300 mg", "Mirtazapin|15 mg",
    ),
    "fr": (
        "metformine|500 mg,850 mg", "ramipril|5 mg,10 mg", "atorvastatine|20 mg,40 mg",
        "amlodipine|5 mg", "oméprazole|20 mg", "Levothyrox|50 µg,75 µg", "bisoprolol|5 mg",
        "furosémide|40 mg", "apixaban|5 mg", "paracétamol|500 mg,1 g", "amoxicilline|1 g",
        "prednisone|20 mg", "Kardégic|75 mg", "sertraline|50 mg", "allopurinol|100 mg",
    ),
    "es": (
        "metformina|850 mg,1 g", "ramipril|5 mg", "atorvastatina|20 mg,40 mg", "amlodipino|5 mg",
        "omeprazol|20 mg", "levotiroxina|50 mcg,75 mcg", "bisoprolol|5 mg", "furosemida|40 mg",
        "apixabán|5 mg", "paracetamol|650 mg,1 g", "ibuprofeno|400 mg,600 mg",
        "amoxicilina|500 mg", "prednisona|30 mg", "enalapril|10 mg,20 mg", "alopurinol|100 mg",
    ),
    "it": (
        "metformina|500 mg,1000 mg", "ramipril|5 mg", "atorvastatina|20 mg", "amlodipina|5 mg",
        "pantoprazolo|20 mg,40 mg", "levotiroxina|50 mcg,75 mcg", "bisoprololo|5 mg",
        "furosemide|25 mg", "apixaban|5 mg", "paracetamolo|1000 mg", "amoxicillina|1 g",
        "cardioaspirina|100 mg", "allopurinolo|100 mg",
    ),
    "pt": (
        "metformina|500 mg,850 mg", "ramipril|5 mg", "atorvastatina|20 mg", "anlodipino|5 mg",
        "omeprazol|20 mg", "levotiroxina|50 mcg,75 mcg", "bisoprolol|5 mg", "furosemida|40 mg",
        "losartana|50 mg", "paracetamol|750 mg", "dipirona|500 mg", "amoxicilina|500 mg",
        "prednisona|20 mg", "sinvastatina|20 mg",
    ),
    "nl": (
        "metformine|500 mg,850 mg", "ramipril|5 mg", "atorvastatine|20 mg,40 mg",
        "amlodipine|5 mg", "omeprazol|20 mg", "levothyroxine|50 mcg,75 mcg", "bisoprolol|5 mg",
        "furosemide|40 mg", "apixaban|5 mg", "paracetamol|500 mg,1000 mg", "ibuprofen|400 mg",
        "amoxicilline|500 mg", "prednison|5 mg,30 mg", "allopurinol|100 mg",
    ),
}  # fmt: skip
OFTEN = {
    "en": """
        once daily|twice daily|three times a day|at bedtime|every morning|every 8 hours|BID|TID|
        once a week|every 6 hours as needed|OD|nightly|PRN|in the morning
    """,
    "de": "1-0-0|1-0-1|0-0-1|1-1-1|2 x täglich|morgens|abends|bei Bedarf|3 x tgl.|1 x wöchentlich",
    "fr": "une fois par jour|matin et soir|3 fois par jour|le soir au coucher|le matin|si besoin",
    "es": "cada 8 horas|cada 12 horas|una vez al día|por la noche|1-0-0|1-0-1|si dolor",
    "it": "una volta al giorno|due volte al giorno|ogni 8 ore|la sera|al mattino|al bisogno",
    "pt": "1 vez ao dia|de 8 em 8 horas|de 12/12 h|à noite|em jejum|se dor|2 vezes ao dia",
    "nl": "1 x daags|2 x daags|3 x daags|voor de nacht|'s ochtends|zo nodig|1dd1|2dd1",
}
ALLERGIES = {
    "en": "penicillin|latex|peanuts|ibuprofen|shellfish|codeine|bee stings|iodine contrast|cats",
    "de": "Penicillin|Latex|Nüsse|Pollen|Kontrastmittel|Ibuprofen|Hausstaub|Nickel",
    "fr": "pénicilline|latex|arachides|acariens|produits de contraste|aspirine|pollen",
    "es": "penicilina|látex|frutos secos|ácaros|ibuprofeno|contraste yodado|polen",
    "it": "penicillina|lattice|arachidi|acari|aspirina|mezzo di contrasto|nichel",
    "pt": "penicilina|látex|amendoim|ácaros|dipirona|contraste iodado|camarão",
    "nl": "penicilline|latex|noten|huisstofmijt|ibuprofen|jodium|pollen",
}
HOSPITALS = {
    "en": (
        "St. Anne's Hospital", "* General Hospital", "* Medical Center", "Riverside Practice",
        "* Community Clinic", "Harbour Road Surgery", "* University Hospital",
        "Oak Lane Health Centre",
        "Mercy Hospital *", "* Infirmary",
    ),
    "de": (
        "Klinikum *", "St.-Josef-Krankenhaus *", "Gemeinschaftspraxis am Markt",
        "Universitätsklinikum *", "Kreiskrankenhaus *", "MVZ *",
    ),
    "fr": (
        "CHU de *", "Clinique Sainte-Marie", "Centre hospitalier de *",
        "Maison de santé des Tilleuls",
        "Hôpital Saint-Jean",
    ),
    "es": (
        "Hospital General de *", "Clínica Santa Elena", "Centro de Salud *", "Hospital San Rafael",
    ),
    "it": ("Ospedale di *", "Clinica Villa Serena", "Policlinico *", "Ospedale Santa Chiara"),
    "pt": ("Hospital de *", "Clínica São Lucas", "Centro de Saúde de *", "Santa Casa de *"),
    "nl": ("Ziekenhuis *", "Huisartsenpraktijk De Linde", "Sint-Jansziekenhuis", "UMC *"),
}  # fmt: skip
WARDS = {
    "en": "Ward 4A|Ward 7|Cardiology|ICU|Surgical Unit B|Assessment Unit|Ward 3 East|Orthopaedics",
    "de": "Station 3|Station 4B|Innere Medizin|Unfallchirurgie|Intensivstation|Station C2",
    "fr": "médecine interne|cardiologie|chirurgie viscérale|soins intensifs|pneumologie",
    "es": "Medicina Interna|Cardiología|Cirugía General|UCI|planta 4|Traumatología",
    "it": "Medicina Interna|Cardiologia|Chirurgia Generale|Terapia Intensiva|Ortopedia",
    "pt": "Clínica Médica|Cardiologia|Cirurgia Geral|UTI|Ortopedia|enfermaria 4",
    "nl": "afdeling C3|Cardiologie|Interne Geneeskunde|de IC|afdeling 5 Oost|Chirurgie",
}
INSURERS = {
    "en": "Northgate Health|BlueRiver Mutual|Medora Care|Unity Health Plan|Aldercrest|Medicare",
    "de": "AOK|Techniker Krankenkasse|Barmer|DAK-Gesundheit|IKK classic|Debeka",
    "fr": "CPAM|MGEN|Harmonie Mutuelle|MSA|Mutuelle du Centre",
    "es": "Sanitas|Adeslas|Seguridad Social|Mapfre Salud|Muface",
    "it": "SSN|UniSalute|Generali Salute|Previmedical",
    "pt": "SUS|Unimed|ADSE|Médis|Bradesco Saúde",
    "nl": "VGZ|CZ|Menzis|Zilveren Kruis|ONVZ",
}
