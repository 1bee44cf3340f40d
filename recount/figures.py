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


class Tie(fractions.Fraction):
    """An amount that lies exactly between two multiples of its last place, rounded up; it equals both.

    The database divides with at least 16 digits. So what was converted between currencies is not exact there: such an
    amount can come out a little lower, and be rounded down.
    """

    def __eq__(self, other):
        # Other numbers are multiples of the last place too.
        return other is not None and fractions.Fraction(other) in (
            self + 0, self - self.last_place)

    __hash__ = fractions.Fraction.__hash__


def rounded_conversion(number, places=6):
    """A converted amount, or what rests on one, to so many places."""
    amount = rounded(number, places)
    if (fractions.Fraction(number) * 2 * 10 ** places) % 2 != 1:
        return amount
    tie = Tie(amount)
    tie.last_place = fractions.Fraction(1, 10 ** places)
    return tie


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
