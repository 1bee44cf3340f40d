"""What the ads cost and what currencies are worth, by the rules of docs/mapping-and-spend.md."""

import bisect
import collections
import fractions

GREATEST_AGE = 7

Spend = collections.namedtuple(
    "Spend", "day network_name advertised_app_id campaign_id currency spend impressions clicks installs")


class Rates:
    """The operator's table of rates: units for one US dollar."""

    def __init__(self, snapshot):
        self._rates = collections.defaultdict(list)
        for day, currency, units in snapshot.values(
                "SELECT day, currency, units_per_usd FROM attribution.currency_rate", "date", "text", "numeric"):
            self._rates[currency].append((day, fractions.Fraction(units)))
        for rates in self._rates.values():
            rates.sort()

    def units_per_usd(self, currency, day):
        """The latest rate on or before a day, if it is at most seven days old."""
        if currency == "USD":
            return fractions.Fraction(1)
        rates = self._rates.get(currency, [])
        place = bisect.bisect_right(rates, day, key=lambda rate: rate[0])
        if place == 0 or (day - rates[place - 1][0]).days > GREATEST_AGE:
            return None
        return rates[place - 1][1]

    def converted(self, amount, currency, to_currency, day):
        """An amount of a day in another currency; None if there is no rate. 0 needs none."""
        if currency == to_currency or amount == 0:
            return fractions.Fraction(amount)
        rate, to_rate = self.units_per_usd(currency, day), self.units_per_usd(to_currency, day)
        return None if rate is None or to_rate is None else fractions.Fraction(amount) * to_rate / rate
