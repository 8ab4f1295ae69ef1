"""A module for each kind of file, which imports its optional packages on first use."""
