"""The commands of this guest, each a module of its name."""
