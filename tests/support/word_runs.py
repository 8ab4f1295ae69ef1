"""The words of a text in runs, to find what two texts have in common."""


def runs(text, length=8):
    """All runs of so many words, in lower case."""
    found = text.lower().split()
    return {tuple(found[start : start + length]) for start in range(len(found) - length + 1)}
