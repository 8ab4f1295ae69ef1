"""Values: constraints, parsing, grounding and assembly."""
