"""Tools that keep the repository in order; not part of the package."""
