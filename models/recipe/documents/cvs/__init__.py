"""Curricula vitae: résumés, profiles, application forms and letters with a career."""
