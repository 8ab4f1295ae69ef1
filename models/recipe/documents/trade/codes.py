"""Patterns of codes that more than one kind of documents holds."""

IBAN = (
    "DE%# #### #### #### #### ##|GB%# MIDL #### #### #### ##|NL%# POLD #### #### ##|"
    "FR%#%####%#########%##########"
)
BIC = "????DE%%|????GB2L|????FRPP|????NL2A|????ESMM"
TRACKING = "1Z%?##?%########|JD%###############|00%#############"
"""Of parcels."""
