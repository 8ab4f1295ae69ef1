"""From documents to extractions: one prompt's way through the engine."""
