"""Electronics, tools and what workshops buy."""

from __future__ import annotations

from recipe.category import category

_TECH = {
    "color": "@color",
    "storage": "@storage",
    "screen": """
        @n inch|6.1-inch|15.6"|27-Inch|55"|13.3 Inch|10.1-inch|@n.5"
        """,
    "resolution": """
        1080p|4K|4K UHD|1920x1080|Full HD|720p|2560 x 1440|8K|HD
        """,
    "feature": "@feature",
    "wattage": "@wattage",
    "voltage": "@voltage",
    "compat": """
        iPhone|Android|iPad|Windows|Laptop|MacBook|PC|Galaxy @n|PS4|Xbox|Nintendo Switch|
        iPhone 12|Smartphones|TV|@brand @model_number|USB-C Devices
        """,
    "connect": """
        Bluetooth|Bluetooth 5.0|Wi-Fi|USB-C|USB|HDMI|Wireless|2.4GHz Wireless|Ethernet|Wired|
        USB 3.0|Lightning|NFC|5G|DisplayPort
        """,
    "battery": """
        @n00mAh|10000mAh|5000 mAh|3.7V @n00mAh|20-Hour Battery|40H Playtime
        """,
    "condition": """
        Refurbished|Renewed|Used|New|Open Box|Certified Refurbished
        """,
    "memory": """
        8GB RAM|16GB RAM|16 GB DDR4|4GB|32GB DDR5
        """,
}
_TOOL = {
    "color": "@color",
    "material": "@material",
    "voltage": "@voltage",
    "power": "@power",
    "size": """
        @length|1/2"|3/8 in.|M@n|1/4-20
        """,
    "length": "@length",
    "feature": "@feature",
    "torque": """
        @n Nm|@n ft-lbs|180 Nm
        """,
    "gauge": """
        16 ga|14 Gauge|18-Gauge|12 AWG|16 gauge|20ga|14/2
        """,
    "standard": """
        304|316|ANSI Z87.1|ISO 9001|NSF|UL Listed|Grade 8|Class III|IP65|CE
        """,
}

CATEGORIES = (
    category(
        "Phones & Tablets",
        {
            **_TECH,
            "type": """
        Smartphone|Tablet|Cell Phone|E-Reader|Unlocked Phone|Android Tablet|Feature Phone|
        Smart Watch
        """,
            "carrier": """
        Unlocked|AT&T|Verizon|T-Mobile|Factory Unlocked|GSM Unlocked|SIM Free
        """,
            "camera": """
        48MP|12 MP|108MP Camera|50MP
        """,
        },
        """
        {brand} {model_name} {type}, {storage}, {color}, {carrier}
        {brand} {model_name} ({storage}, {color}) - {condition}
        {brand} {model_name} {screen} {memory} {storage} {type} {color}
        {condition} {brand} {model_name} {storage} {carrier} {camera}
        """,
        {
            "storage": """
        Storage|Storage capacity|Memory
        """,
            "memory": """
        RAM|RAM size
        """,
        },
    ),
    category(
        "Computers",
        {
            **_TECH,
            "type": """
        Laptop|Gaming Laptop|Desktop PC|Monitor|Chromebook|Mini PC|All-in-One|
        Mechanical Keyboard|Wireless Mouse|Webcam|Docking Station|SSD|External Hard Drive|
        Flash Drive|Router|Graphics Card|Printer|USB Hub
        """,
            "cpu": """
        Intel Core i5|Intel Core i7-1165G7|AMD Ryzen 5|Ryzen 7 5800H|Intel Celeron|Apple M1|
        Core i3|Intel i9
        """,
            "interface": """
        SATA|NVMe|PCIe 4.0|USB 3.2|USB-C|M.2|SAS|SATA III
        """,
            "speed": """
        7200 RPM|3500MB/s|144Hz|5400rpm|2.4 GHz|1TB/s|150 MB/s
        """,
            "os": """
        Windows 10|Windows 11 Home|Chrome OS|macOS|Linux|Windows 10 Pro
        """,
        },
        """
        {brand} {model_name} {screen} {type}, {cpu}, {memory}, {storage}, {os}, {color}
        {brand} {model_number} {storage} {interface} {type} {speed}
        {brand} {type}, {connect}, {color}, {model_number}
        {brand} {screen} {resolution} {type}, {speed}, {color}
        {brand} {storage} {type} {interface} {model_number} {condition}
        """,
        {
            "cpu": """
        Processor|CPU
        """,
            "os": """
        Operating system|OS
        """,
            "speed": """
        Speed|Rotational speed|Transfer rate|Refresh rate
        """,
        },
    ),
    category(
        "Audio & Video",
        {
            **_TECH,
            "type": """
        Headphones|Earbuds|Bluetooth Speaker|Soundbar|TV|Smart TV|Projector|Digital Camera|
        Action Camera|Microphone|Turntable|Record Player|Camera Lens|Tripod|Home Theater System|
        Streaming Stick|Wireless Earbuds|DSLR Camera
        """,
        },
        """
        {brand} {model_name} {connect} {type}, {color}
        {brand} {screen} {resolution} {type} {model_number}
        {brand} {feature} {type} with {battery}, {color}
        {brand} {model_number} {connect} {type} ({color})
        {type} {connect} {feature} for {compat} {color} {brand}
        """,
        {
            "screen": """
        Screen Size|Display size
        """
        },
    ),
    category(
        "Cables & Accessories",
        {
            **_TECH,
            "length": """
        @length|6ft|3.3 ft|10 Feet|1m|2M
        """,
            "material": "@material",
            "type": """
        USB Cable|HDMI Cable|Phone Case|Screen Protector|Charger|Power Bank|Wall Charger|
        Extension Cord|Adapter|Car Mount|Laptop Sleeve|Memory Card|Batteries|Surge Protector|
        Charging Cable|Stylus|Keyboard Cover
        """,
        },
        """
        {brand} {type} for {compat}, {color}
        {brand} {length} {type}, {connect}, {color} ({pack})
        {brand} {wattage} {type} {connect} {feature} for {compat}
        {type} {compat} {material} {feature} {color}
        {brand} {battery} {type} {connect} {color} {pack}
        """,
        {
            "compat": """
        Compatible with|Compatible devices|Compatibility|For device
        """
        },
    ),
    category(
        "Power Tools",
        {
            **_TOOL,
            "type": """
        Cordless Drill|Circular Saw|Impact Driver|Angle Grinder|Jigsaw|Orbital Sander|
        Rotary Hammer|Air Compressor|Nail Gun|Heat Gun|Miter Saw|Table Saw|Reciprocating Saw|
        Pressure Washer|Generator|Welder
        """,
            "speed": """
        @n00 RPM|2,500 RPM|0-1800 rpm
        """,
        },
        """
        {brand} {voltage} {power} {type}, {model_number}
        {brand} {model_number} {size} {type}, {speed}, {voltage}
        {brand} {type} with {feature}, {torque}
        {brand} {line} {size} {power} {type} Kit - {color}
        """,
    ),
    category(
        "Hand Tools & Hardware",
        {
            **_TOOL,
            "type": """
        Screwdriver Set|Socket Set|Hammer|Wrench|Pliers|Tape Measure|Utility Knife|Level|
        Hex Key Set|Wood Screws|Hex Bolt|Nails|Door Handle|Door Hinge|Padlock|Drill Bit Set|
        Ladder|Toolbox|Hose Clamp|Ball Valve|Faucet|Pipe Fitting|Cabinet Knob|Caster Wheel
        """,
            "finish": """
        Chrome|Zinc Plated|Black Oxide|Satin Nickel|Galvanized|Brushed Nickel|Polished Brass|
        Powder Coated|Oil Rubbed Bronze
        """,
        },
        """
        {brand} {size} {material} {type}, {finish}, {pack}
        {brand} {model_number} {type}, {size}, {finish}
        {type} {size} x {length} {material} {finish} ({pack})
        {brand} {count} {type} {material} {feature}
        {brand} {type} {standard} {material} {size}
        """,
    ),
    category(
        "Industrial & Kitchen Supply",
        {
            **_TOOL,
            "width": "@length",
            "height": "@length",
            "depth": "@length",
            "capacity": "@capacity",
            "shape": "@shape",
            "base": """
        Cabinet Base|Undershelf|Galvanized Legs|Open Base|Casters
        """,
            "splash": """
        5" Backsplash|Backsplash|10"H Backsplash|Splash Guard|No Splash
        """,
            "type": """
        Sink|Dishtable|Storage Rack|Wire Shelving|Waste Basket|Hose Reel|Safety Vest|
        Work Gloves|Hand Truck|Pallet Jack|Ear Plugs|First Aid Kit|Prep Table|Faucet|Steam Pan|
        Ice Bin|Sheet Pan|Bus Cart|Drainboard
        """,
        },
        """
        {brand} {model_number} {type}, {material}, {width} x {depth}
        {type}, {length} W x {depth} D x {height} H, {gauge} {standard} {material}, {base}
        {brand} {type}, {capacity} capacity, {shape}, {material}, {color}
        {brand} {model_number} {size} {type} w/ {base} & {splash}, {material}
        {brand} {line} {type} {gauge} {voltage}
        """,
        {
            "gauge": "Gauge",
            "standard": """
        Stainless Steel Series|Standard|Certification
        """,
            "splash": """
        Splash|Backsplash
        """,
            "model_number": """
        Manufacturer Stock Number|Item number
        """,
        },
    ),
    category(
        "Medical & Lab",
        {
            **_TOOL,
            "type": """
        Blood Pressure Monitor|Thermometer|Bandages|Nitrile Gloves|Syringe|Test Strips|
        Pulse Oximeter|Wheelchair|Knee Brace|Compression Sleeve|Beaker|Pipette Tips|Microscope|
        Glucose Meter|Heating Pad|Ice Pack|Crutches
        """,
            "size": """
        Small|Medium|Large|XL|@length|10 ml|L
        """,
        },
        """
        {brand} {type}, {size}, {count}
        {brand} {model_number} {type} {feature}
        {brand} {material} {type}, {color}, {size}, {pack}
        {type} {feature} {power} {brand} {color}
        """,
    ),
)
