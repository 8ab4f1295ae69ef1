"""News: reports, briefs, columns and feeds."""
