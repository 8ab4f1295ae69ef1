"""Events: invitations, posters, programmes and calendars."""
