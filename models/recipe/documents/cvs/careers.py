"""Words of careers in seven languages: jobs, degrees, subjects, schools, languages, hobbies."""

from __future__ import annotations

JOBS = {
    "en": """
        Sales Assistant|Store Manager|Software Engineer|Warehouse Operative|Staff Nurse|
        Accountant|Project Manager|Bartender|Primary School Teacher|Site Foreman|Receptionist|
        Marketing Executive|Lab Technician|Delivery Driver|Graphic Designer|Data Analyst|
        Sous Chef|Legal Assistant|HR Generalist|Machine Operator|Team Leader|Call Centre Agent|
        Quality Inspector|Business Analyst|Intern|Copywriter|Logistics Planner|Payroll Clerk
    """,
    "de": """
        Verkäuferin|Filialleiter|Softwareentwickler|Lagerist|Krankenpfleger|Buchhalterin|
        Projektleiter|Kellnerin|Erzieherin|Polier|Sachbearbeiter|Laborantin|Praktikant|
        Mediengestalter|Disponent|Köchin|Teamleiter|Maschinenführer|Vertriebsassistent
    """,
    "fr": """
        Vendeuse|Responsable de magasin|Développeur|Magasinier|Infirmière|Comptable|
        Chef de projet|Serveur|Institutrice|Chef de chantier|Assistante|Technicien de laboratoire|
        Stagiaire|Graphiste|Cuisinier|Chargé de clientèle
    """,
    "es": """
        Dependienta|Jefe de tienda|Programador|Mozo de almacén|Enfermera|Contable|
        Jefa de proyecto|Camarero|Maestra|Encargado de obra|Recepcionista|Técnico de laboratorio|
        Becario|Diseñadora gráfica|Cocinero|Comercial
    """,
    "it": """
        Commessa|Responsabile di negozio|Programmatore|Magazziniere|Infermiera|Contabile|
        Capo progetto|Cameriere|Maestra|Capocantiere|Segretaria|Tecnico di laboratorio|
        Tirocinante|Grafica|Cuoco|Impiegato commerciale
    """,
    "pt": """
        Vendedora|Gerente de loja|Programador|Auxiliar de armazém|Enfermeira|Contabilista|
        Gestor de projetos|Garçom|Professora|Mestre de obras|Recepcionista|Técnico de laboratório|
        Estagiário|Designer gráfica|Cozinheiro|Assistente comercial
    """,
    "nl": """
        Verkoopmedewerker|Filiaalmanager|Softwareontwikkelaar|Magazijnmedewerker|Verpleegkundige|
        Boekhouder|Projectleider|Serveerster|Leerkracht|Uitvoerder|Receptioniste|Laborant|
        Stagiair|Grafisch vormgever|Kok|Accountmanager
    """,
}
DEGREES = {
    "en": "BSc|BA|MSc|MA|MBA|PhD|B.Eng.|Diploma|Associate Degree|LLB|Higher National Diploma",
    "de": "Bachelor of Science|Master of Arts|Diplom|B.A.|M.Sc.|Magister|Staatsexamen|Promotion",
    "fr": "Licence|Master|DUT|BTS|Diplôme d'ingénieur|Doctorat|Maîtrise|Bac+5",
    "es": "Grado|Máster|Licenciatura|Diplomatura|Doctorado|Ingeniería Técnica|Técnico Superior",
    "it": "Laurea triennale|Laurea magistrale|Dottorato|Diploma universitario|Master di I livello",
    "pt": "Licenciatura|Mestrado|Bacharelado|Doutoramento|Pós-graduação|Curso técnico",
    "nl": "Bachelor|Master|HBO-diploma|Doctoraal|MBO niveau 4|BSc|MSc",
}
SUBJECTS = {
    "en": """
        Economics|Mechanical Engineering|Business Administration|Biology|Computer Science|
        Marketing|History|Psychology|Nursing|Chemistry|Graphic Design|Statistics|Law|
        English Literature|Architecture|Hospitality Management|Physics|Education
    """,
    "de": """
        Betriebswirtschaftslehre|Maschinenbau|Informatik|Germanistik|Chemie|Psychologie|
        Soziale Arbeit|Elektrotechnik|Geschichte|Pflegewissenschaft|Architektur
    """,
    "fr": """
        Gestion|Informatique|Droit|Lettres modernes|Biologie|Génie civil|Psychologie|
        Commerce international|Histoire|Mathématiques appliquées
    """,
    "es": """
        Administración de Empresas|Ingeniería Informática|Derecho|Biología|Psicología|
        Magisterio|Historia|Química|Turismo|Arquitectura
    """,
    "it": """
        Economia aziendale|Informatica|Giurisprudenza|Biologia|Psicologia|Lettere moderne|
        Ingegneria civile|Chimica|Scienze della formazione
    """,
    "pt": """
        Administração|Engenharia Civil|Direito|Biologia|Psicologia|Informática|História|
        Contabilidade|Enfermagem|Turismo
    """,
    "nl": """
        Bedrijfskunde|Informatica|Rechten|Biologie|Psychologie|Werktuigbouwkunde|Geschiedenis|
        Accountancy|Verpleegkunde|Communicatie
    """,
}
SCHOOLS = {
    "en": "University of *|* State University|* College|* Business School|* Polytechnic",
    "de": "Universität *|Hochschule *|TU *|Fachhochschule *|Duale Hochschule *",
    "fr": "Université de *|IUT de *|École supérieure de commerce de *|INSA *|Lycée technique de *",
    "es": "Universidad de *|Universidad Politécnica de *|Escuela de Negocios de *|UNED *",
    "it": "Università di *|Politecnico di *|Università degli Studi di *|Accademia di *",
    "pt": "Universidade de *|Instituto Politécnico de *|Universidade Federal de *|Faculdade de *",
    "nl": "Universiteit *|Hogeschool *|Technische Universiteit *|ROC *",
}
LANGUAGES = {
    "en": "English|French|German|Spanish|Italian|Polish|Hindi|Mandarin|Arabic|Portuguese|Dutch",
    "de": "Deutsch|Englisch|Französisch|Spanisch|Polnisch|Türkisch|Russisch|Italienisch",
    "fr": "français|anglais|allemand|espagnol|italien|arabe|portugais|néerlandais",
    "es": "español|inglés|francés|alemán|italiano|portugués|catalán|chino",
    "it": "italiano|inglese|francese|tedesco|spagnolo|russo|rumeno",
    "pt": "português|inglês|espanhol|francês|alemão|italiano",
    "nl": "Nederlands|Engels|Duits|Frans|Spaans|Turks|Arabisch",
}
LEVELS = {
    "en": "native|fluent|B2|C1|basic|conversational|A2|working proficiency|advanced",
    "de": "Muttersprache|fließend|B2|C1|Grundkenntnisse|gut in Wort und Schrift|A2",
    "fr": "langue maternelle|courant|B2|C1|notions|intermédiaire|bilingue",
    "es": "nativo|fluido|B2|C1|básico|intermedio|bilingüe",
    "it": "madrelingua|fluente|B2|C1|scolastico|buono|A2",
    "pt": "nativo|fluente|B2|C1|básico|intermédio|avançado",
    "nl": "moedertaal|vloeiend|B2|C1|basis|goed|A2",
}
NATIONALITIES = {
    "en": "British|Irish|Indian|American|Canadian|Polish|Nigerian|Australian|Brazilian|French",
    "de": "deutsch|österreichisch|polnisch|türkisch|italienisch|schweizerisch|kroatisch",
    "fr": "française|belge|suisse|marocaine|canadienne|portugaise|tunisienne",
    "es": "española|mexicana|argentina|colombiana|italiana|peruana|rumana",
    "it": "italiana|rumena|albanese|svizzera|francese|marocchina",
    "pt": "portuguesa|brasileira|angolana|cabo-verdiana|espanhola|francesa",
    "nl": "Nederlandse|Belgische|Duitse|Turkse|Surinaamse|Poolse",
}
NOTICES = {
    "en": "four weeks|two weeks|one month|three months|6 weeks|1 month to the end of a quarter",
    "de": "drei Monate zum Quartalsende|vier Wochen|sechs Wochen|zwei Monate|14 Tage",
    "fr": "trois mois|un mois|deux mois|15 jours",
    "es": "15 días|un mes|dos meses|20 días",
    "it": "30 giorni|due mesi|45 giorni|un mese",
    "pt": "30 dias|60 dias|um mês|15 dias",
    "nl": "één maand|twee maanden|een maand|drie maanden",
}
CERTIFICATES = {
    "en": """
        First Aid at Work|PRINCE2 Practitioner|Forklift licence|AWS Solutions Architect|ITIL 4|
        Food Hygiene Level 2|Scrum Master|CELTA|CPR|IOSH Managing Safely|Six Sigma Green Belt|
        Personal Licence
    """,
    "de": """
        Ausbildereignung (AEVO)|Staplerschein|Ersthelfer|PRINCE2 Foundation|ITIL|SAP-Anwender FI|
        Sachkundeprüfung § 34a|Schweißerschein
    """,
    "fr": "CACES 3|SST|PIX|TOEIC 850|habilitation électrique|Voltaire 780|HACCP",
    "es": "carné de carretillero|First Certificate|manipulador de alimentos|PRL 60 horas",
    "it": "ECDL|HACCP|patentino del muletto|First Certificate|corso antincendio|RSPP",
    "pt": "CAP|carta de empilhador|First Certificate|primeiros socorros|Scrum Master|NR-10",
    "nl": "VCA|BHV|heftruckcertificaat|EHBO|Scrum Master|Code 95",
}
HOBBIES = {
    "en": """
        hiking|chess|playing the cello|cycling|baking|street photography|football|gardening|
        volunteering at a food bank|birdwatching|board games|choir|open water swimming|knitting
    """,
    "de": "Wandern|Schach|Chor|Radfahren|Fotografie|Handball|Imkerei|Kochen|Freiwillige Feuerwehr",
    "fr": "randonnée|échecs|chorale|vélo|photographie|pétanque|cuisine|théâtre amateur|lecture",
    "es": "senderismo|ajedrez|coro|ciclismo|fotografía|pádel|cocina|lectura|guitarra",
    "it": "trekking|scacchi|coro|ciclismo|fotografia|pallavolo|cucina|lettura|chitarra",
    "pt": "caminhada|xadrez|coral|ciclismo|fotografia|futebol|culinária|leitura|violão",
    "nl": "wandelen|schaken|zingen in een koor|wielrennen|fotografie|hockey|koken|lezen",
}
SKILLS = """
    Excel|Word|SAP|Python|SQL|Photoshop|AutoCAD|Outlook|Salesforce|Jira|QuickBooks|InDesign|
    Java|R|Power BI|WordPress|Git|Linux|Tableau|Illustrator|SolidWorks|DATEV|MS Project|Docker|
    JavaScript|PowerPoint|Sage 50|Figma|MATLAB|C++
"""
