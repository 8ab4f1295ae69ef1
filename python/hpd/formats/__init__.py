"""Files beyond text, JSON and CSV, each kind read by a module that is loaded when one comes."""
