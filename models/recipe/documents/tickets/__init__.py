"""Tickets of help desks, bug trackers and workshops."""
