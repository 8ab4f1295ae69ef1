"""The facts that kinds of documents about trade share: firms, goods, lines and their sums."""
