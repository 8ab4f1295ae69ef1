"""The facts of technical data sheets and specifications, and how they are asked for.

Slots: ``product``, ``maker``, ``model``, ``other_model`` (not asked for), ``firm`` (a dealer, not
asked for), ``standard`` (not asked for), ``revision``, ``issued``, ``released`` (dates),
``earlier`` (a date, not asked for), ``width``, ``height``, ``depth``, ``length`` (mm or inch),
``weight``, ``gross`` (not asked for), ``power``, ``standby``, ``voltage`` (a range or one value:
``voltage.from_to`` "100-240 V"), ``current``, ``frequency``, ``temperature`` (a range for use),
``storing`` (a range, not asked for), ``humidity`` (a range), ``noise``, ``pressure``, ``flow``,
``speed``, ``load``, ``torque``, ``volume``, ``screen``, ``battery``, ``runtime`` (hours),
``charging`` (minutes), ``range`` (m), ``memory``, ``storage``, ``cpu``, ``resolution``,
``ports`` (3 to 6, each ``name`` and ``count``), ``rating`` (an IP code), ``warranty`` (months),
``lifetime`` (hours or cycles), ``price``, ``accuracy``, ``certificates``, ``colors``, ``box``.
Decided by the wording: the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recipe import makeup
from recipe.documents.asking import (
    choice,
    date,
    group,
    integer,
    number,
    objects,
    text,
    texts,
    yes_no,
)
from recipe.facts import Fact, Record, World
from recipe.facts.fact import form

PORTS = "USB-C|USB-A|HDMI 2.1|RJ45|DisplayPort|audio jack|RS-485|microSD|SFP+|Thunderbolt 4|VGA|CAN"
COLORS = {
    "en": "black|white|silver|graphite|signal red|navy|sand|light grey|forest green",
    "de": "schwarz|weiß|silber|anthrazit|rot|lichtgrau|tannengrün",
    "fr": "noir|blanc|argent|anthracite|rouge|gris clair",
    "es": "negro|blanco|plata|antracita|rojo|gris claro",
    "it": "nero|bianco|argento|antracite|rosso|grigio chiaro",
    "pt": "preto|branco|prata|antracite|vermelho|cinza-claro",
    "nl": "zwart|wit|zilver|antraciet|rood|lichtgrijs",
}
BOXED = {
    "en": "power cord|mounting kit|quick guide|remote control|carrying case|spare fuse|two filters",
    "de": "Netzkabel|Montagesatz|Kurzanleitung|Fernbedienung|Tragetasche|Ersatzsicherung",
    "fr": "cordon secteur|kit de fixation|notice|télécommande|housse|fusible de rechange",
    "es": "cable de red|kit de montaje|guía rápida|mando a distancia|funda|fusible de repuesto",
    "it": "cavo di rete|kit di montaggio|guida rapida|telecomando|custodia|fusibile di ricambio",
    "pt": "cabo de rede|kit de montagem|guia rápido|comando|estojo|fusível sobresselente",
    "nl": "netsnoer|montageset|snelgids|afstandsbediening|draagtas|reservezekering",
}
HOURS = {"en": "h", "de": "Std.", "fr": "h", "es": "h", "it": "ore", "pt": "h", "nl": "uur"}

ASKED = {
    "product": text(
        "product|product name|device|product_name|what is specified?|name of the device",
        "the name of the product",
        de="Produkt|Gerät", fr="produit|appareil", es="producto|equipo", it="prodotto",
        pt="produto", nl="product|apparaat",
    ),
    "maker": text(
        "manufacturer|maker|brand|company|manufactured_by|who makes it?|vendor",
        de="Hersteller", fr="fabricant", es="fabricante", it="produttore", pt="fabricante",
        nl="fabrikant",
    ),
    "model": text(
        "model|model number|type designation|model_no|part number|item number|order code",
        "the number or code of the model",
        de="Modell|Typenbezeichnung|Artikelnummer", fr="modèle|référence", es="modelo",
        it="modello", pt="modelo", nl="model|typenummer",
    ),
    "kind": choice(
        "product category|category|kind of product|product_category|type of device",
        "computer/IT/laptop/server, phone/tablet/wearable, household appliance/kitchen appliance, "
        "tool/machine/workshop, vehicle/car/bicycle, audio and video/camera/television, "
        "measuring instrument/sensor, lighting/lamp, furniture, material/chemical, "
        "heating and cooling/pump/HVAC, software",
        always=True,
    ),
    "revision": text("revision|document version|rev|version of the data sheet|edition|firmware"),
    "issued": date("issue date|date of the document|issued on|document_date|data sheet date"),
    "released": date("release date|available since|launched on|release_date|on the market since"),
    "width": number("width|width_mm|how wide?|w|breadth", de="Breite", fr="largeur", es="ancho",
                    it="larghezza", pt="largura", nl="breedte"),
    "height": number("height|height_mm|how high?|h", de="Höhe", fr="hauteur", es="alto|altura",
                     it="altezza", pt="altura", nl="hoogte"),
    "depth": number("depth|depth_mm|how deep?|d", de="Tiefe", fr="profondeur", es="fondo",
                    it="profondità", pt="profundidade", nl="diepte"),
    "length": number("length|overall length|length_mm|how long is it?", de="Länge", fr="longueur"),
    "weight": number(
        "weight|net weight|mass|weight_kg|how heavy is it?|weight without packaging",
        de="Gewicht|Masse", fr="poids", es="peso", it="peso", pt="peso", nl="gewicht",
    ),
    "weight.unit": text("unit of weight|weight unit|weight_unit"),
    "power": number(
        "power|power consumption|rated power|wattage|power_w|maximum power|watts",
        "the power in use, not in standby",
        de="Leistung|Leistungsaufnahme", fr="puissance|consommation", es="potencia|consumo",
        it="potenza", pt="potência", nl="vermogen",
    ),
    "standby": number("standby power|power in standby|standby_power|consumption when idle"),
    "voltage.min": number("minimum voltage|voltage from|voltage_min|lowest input voltage"),
    "voltage.max": number("maximum voltage|voltage up to|voltage_max|highest input voltage"),
    "supply": number("voltage|rated voltage|supply voltage|nominal_voltage|operating voltage",
                     "the single voltage for which it is made"),
    "current": number("current|rated current|maximum current|current_a|amps|fuse rating"),
    "frequency": number("frequency|frequency_hz|clock|rated frequency"),
    "temperature.min": number(
        "minimum operating temperature|operating temperature from|temp_min|coldest allowed|"
        "lowest temperature of use"
    ),
    "temperature.max": number(
        "maximum operating temperature|operating temperature to|temp_max|hottest allowed|"
        "highest temperature of use"
    ),
    "humidity.min": number("minimum humidity|humidity from|humidity_min"),
    "humidity.max": number("maximum humidity|humidity up to|humidity_max"),
    "noise": number(
        "noise level|noise|sound level|noise_db|how loud is it?|decibels",
        de="Geräuschpegel|Lautstärke", fr="niveau sonore", es="nivel de ruido", it="rumorosità",
        pt="nível de ruído", nl="geluidsniveau",
    ),
    "pressure": number("pressure|maximum pressure|working pressure|pressure_bar|bar"),
    "flow": number("flow rate|flow|delivery rate|flow_rate|litres per minute or hour"),
    "speed": number("speed|maximum speed|rpm|top speed|rotational speed|speed_max"),
    "load": number("load|maximum load|payload|load_capacity|carries up to|max weight carried"),
    "torque": number("torque|maximum torque|torque_nm|tightening torque"),
    "volume": number(
        "capacity|volume|tank capacity|capacity_l|how many litres?|content", de="Volumen|Inhalt",
        fr="capacité|contenance", es="capacidad", it="capacità", pt="capacidade", nl="inhoud",
    ),
    "screen": number("screen size|display size|diagonal|screen_inches|display diagonal"),
    "resolution": text("resolution|display resolution|pixels|image_resolution"),
    "battery": number("battery capacity|battery|battery_mah|accumulator capacity|capacity in mAh"),
    "runtime": number(
        "battery life|runtime|hours of use|battery_hours|running time|how many hours does it run?"
    ),
    "charging": number("charging time|charging_minutes|time to charge|charge time in minutes"),
    "range": number("range|radio range|reach|range_m|how far does it reach?"),
    "memory": number("memory|ram|ram_gb|working memory|main memory"),
    "storage": number("storage|disk|ssd|storage_gb|internal storage"),
    "cpu": text("processor|cpu|chip|cpu_model|which processor?"),
    "system": text("operating system|os|platform|required operating system|runs on"),
    "ports": objects(
        "ports|connections|interfaces|connectors|port_list|sockets",
        {
            "name": text("type|name|port|interface"),
            "count": integer("count|number|quantity|how many"),
        },
        "the ports, each with how many there are",
        de="Anschlüsse|Schnittstellen", fr="connectique|ports", es="puertos|conexiones",
        it="porte|interfacce", pt="portas|interfaces", nl="aansluitingen",
    ),
    "rating": text("ip rating|protection class|ingress protection|ip_code|degree of protection"),
    "energy_class": text("energy class|efficiency class|energy_label|energy efficiency"),
    "material": text(
        "material|housing material|case material|made of|body_material", de="Material|Gehäuse",
        fr="matériau", es="material", it="materiale", pt="material", nl="materiaal",
    ),
    "warranty": integer(
        "warranty in months|warranty months|warranty_months|guarantee (months)", de="Garantie Monate"
    ),
    "lifetime": integer("service life|lifetime|rated life|life_hours|cycles or hours of life"),
    "price": number("price|list price|recommended price|msrp|cost"),
    "accuracy": text("accuracy|tolerance|measuring error|precision|accuracy_spec"),
    "origin": text("country of origin|made in|origin|assembled in"),
    "certificates": texts(
        "certificates|certifications|approvals|standards|marks|compliance|certified to",
        "the approvals and standards that it meets",
        de="Zulassungen|Normen", fr="certifications|normes", es="certificaciones|normas",
        it="certificazioni|norme", pt="certificações|normas", nl="keurmerken|normen",
    ),
    "colors": texts(
        "colors|colours|available colours|finishes|color_options|in which colours?", de="Farben",
        fr="couleurs|coloris", es="colores", it="colori", pt="cores", nl="kleuren",
    ),
    "box": texts(
        "scope of delivery|in the box|included|box_contents|supplied with|what is included?",
        "what is delivered with it",
        de="Lieferumfang", fr="contenu de la livraison", es="contenido de la caja",
        it="dotazione|contenuto della confezione", pt="conteúdo da embalagem",
        nl="leveringsomvang",
    ),
    "requirements": texts("requirements|shall statements|must-haves|acceptance criteria"),
    "wifi": yes_no("wi-fi|wifi|has_wifi|wireless lan|wlan"),
    "bluetooth": yes_no("bluetooth|has_bluetooth|is there bluetooth?"),
    "waterproof": yes_no("waterproof|is_waterproof|may it get wet?|water_resistant"),
    "rechargeable": yes_no("rechargeable|is_rechargeable|built-in accumulator"),
    "replaceable": yes_no("battery replaceable|user-replaceable battery|removable_battery"),
    "dishwasher": yes_no("dishwasher safe|dishwasher_safe|can it go into the dishwasher?"),
    "outdoor": yes_no("outdoor use|suitable for outdoors|outdoor_rated|for use outside"),
    "fan": yes_no("fan|has a fan|has_fan|actively cooled"),
    "dimmable": yes_no("dimmable|is_dimmable|can it be dimmed?"),
    "discontinued": yes_no("discontinued|end_of_life|no longer made|out of production"),
    "size": group(
        "dimensions|size|measurements|outer dimensions",
        {"width": "width|w", "height": "height|h", "depth": "depth|d"},
    ),
    "input": group(
        "input voltage|voltage range|supply", {"voltage.min": "min|from", "voltage.max": "max|to"}
    ),
    "climate": group(
        "operating temperature|temperature range|ambient temperature",
        {"temperature.min": "min|from|low", "temperature.max": "max|to|high"},
    ),
}  # fmt: skip


def _span(world: World, low: int, high: int, unit: str) -> Fact:
    """A range of numbers that may lie below zero."""
    ends = {"min": low, "max": high}
    start = str(low).replace("-", world.pick("-", "\u2212"))
    text = world.pick(
        f"{start} to {high} {unit}" if world.language == "en" else f"{start} ... {high} {unit}",
        f"{start}...{high} {unit}",
        f"{start} {unit} ... +{high} {unit}",
        f"{start} / +{high} {unit}",
    )
    if low >= 0:
        text = world.pick(
            f"{low}-{high} {unit}", f"{low}\u2013{high} {unit}", f"{low} - {high} {unit}"
        )
    return Fact((low, high), form(text, None, **ends))


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one data sheet."""
    rng = world.rng
    inches = world.locale == "en_US" and rng.random() < 0.5
    side = ("in", 2, 60, 1) if inches else ("mm", 40, 1900, 0)
    long, decimals = (side[1], side[2]), side[3]
    pounds = world.locale == "en_US" and rng.random() < 0.5
    released = world.date(2012, 2025)
    names = rng.sample(PORTS.split("|"), world.count("ports", 3, 6))
    volts = rng.choice((5, 12, 24, 48, 110, 230, 400))
    return {
        "product": world.text(f"{makeup.product_name(rng)} {rng.choice(makeup.MARKS)}"),
        "maker": world.company(),
        "model": world.text(makeup.model_number(rng)),
        "other_model": world.text(makeup.model_number(rng)),
        "firm": world.company(),
        "standard": world.code("ISO %###", "EN %####", "DIN %##", "IEC 60%##"),
        "revision": world.code("%.%", "Rev. ?", "v%.#.%", "0%"),
        "earlier": world.date(2001, 2010),
        "released": released,
        "issued": world.date(after=released, days=(5, 600)),
        **{
            name: world.measure(*long, side[0], decimals)
            for name in ("width", "height", "depth", "length")
        },
        "weight": world.measure(0.4, 60, "lb" if pounds else "kg", 1),
        "gross": world.measure(60, 90, "kg", 1),
        "power": world.measure(4, 3600, "W"),
        "standby": world.measure(0.1, 0.9, "W", 1),
        "voltage": _span(world, rng.choice((9, 85, 100, 110)), rng.choice((240, 264, 277)), "V"),
        "supply": world.measure(volts, volts, "V"),
        "current": world.measure(0.2, 32, "A", 1),
        "frequency": world.measure(50, 60, "Hz"),
        "temperature": _span(world, -5 * rng.randint(0, 8), 5 * rng.randint(6, 17), "°C"),
        "storing": _span(world, -5 * rng.randint(5, 9), 5 * rng.randint(12, 18), "°C"),
        "humidity": _span(world, 5 * rng.randint(1, 6), 5 * rng.randint(14, 19), "%"),
        "noise": world.measure(18, 92, "dB(A)"),
        "pressure": world.measure(0.5, 40, "bar", 1),
        "flow": world.measure(2, 1200, "l/min"),
        "speed": world.measure(300, 24000, "rpm"),
        "load": world.measure(5, 2400, "kg"),
        "torque": world.measure(2, 320, "Nm"),
        "volume": world.measure(0.3, 320, "l", 1),
        "screen": world.measure(1.3, 85, "inch" if world.language == "en" else '"', 1),
        "battery": world.measure(300, 12000, "mAh"),
        "runtime": world.measure(2, 60, HOURS[world.language]),
        "charging": world.measure(25, 240, "min"),
        "range": world.measure(5, 2000, "m"),
        "memory": world.measure(*(2 * [rng.choice((4, 8, 16, 32, 64))]), "GB"),
        "storage": world.measure(*(2 * [rng.choice((64, 128, 256, 512))]), "GB"),
        "cpu": world.text(f"{makeup.name(rng)} {makeup.model_number(rng)}"),
        "resolution": world.one_of(
            "1920 x 1080|3840 × 2160|2560x1440|1280 x 800|4096 x 2160 px|640×480|1170 x 2532"
        ),
        "ports": [
            Record(name=world.text(name), count=world.number(1, 8)) for name in names
        ],
        "rating": world.code("IP%%", "IP6%", "IPX%"),
        "warranty": world.number(6, 120),
        "lifetime": world.number(1000, 80000),
        "price": world.money(15, 9000),
        "accuracy": world.code("±0.% %", "± % K", "±0.0% mm", "+/- 0.%%"),
        "certificates": [
            world.text(name)
            for name in rng.sample(
                ("CE", "UL 61010", "RoHS", "FCC Part 15", "EN 60335", "ISO 9001", "ATEX Zone 2",
                 "UKCA", "GS", "Energy Star", "REACH", "IEC 62368-1"),
                world.count("certificates", 2, 5),
            )
        ],
        "colors": world.some(COLORS[world.language], 2, 4, "colors"),
        "box": world.some(BOXED[world.language], 2, 4, "box"),
    }  # fmt: skip
