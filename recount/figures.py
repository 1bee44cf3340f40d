"""Small arithmetic that several reports share: exact, and rounded as docs/sql.md says."""

import collections
import fractions


def is_between(number, low, high):
    return low <= number <= high


def rounded(number, places):
    """A number to so many decimal places, halves away from zero: exact, as a fraction."""
    scale = 10 ** places
    scaled = fractions.Fraction(number) * scale
    whole = (abs(scaled) * 2 + 1) // 2
    return fractions.Fraction(whole if scaled >= 0 else -whole, scale)


def ratio(part, whole, places=4):
    """part ÷ whole; None if there is no whole."""
    return rounded(fractions.Fraction(part) / fractions.Fraction(whole), places) if whole else None


class Sums(collections.defaultdict):
    """Rows by key; each is a dictionary of sums that begin with 0."""

    def __init__(self):
        super().__init__(lambda: collections.defaultdict(int))

    def add(self, key, **amounts):
        row = self[key]
        for name, amount in amounts.items():
            row[name] += amount


def distinct(items):
    """Each item once, in the order of the first ones."""
    return list(dict.fromkeys(items))
