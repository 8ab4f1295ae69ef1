"""What keeps the repository in order; not part of the package."""
