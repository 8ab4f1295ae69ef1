"""Invoices, credit notes, reminders and fee notes of firms and freelancers."""
