"""What customers of the App Store paid and got back (docs/sql.md, "The App Store"), from the rows of `store_transaction`.

`PostbackServer recount` compares these rows with the bodies of notifications. Amounts here are milliunits of the currency.
"""

import collections
import fractions
import functools

from answers import DAY, day_of
from compare import View
from database import FIRST_DAY, LAST_DAY, sql_day
from figures import ratio, rounded, rounded_conversion

# What counts of a transaction, with the types of PostgreSQL.
COLUMNS = {
    "environment": "text", "bundle_id": "text", "product_id": "text", "transaction_id": "text",
    "original_transaction_id": "text", "purchased_at": "timestamp with time zone",
    "expires_at": "timestamp with time zone", "signed_at": "timestamp with time zone", "ownership": "text", "reason": "text",
    "storefront": "text", "currency": "text", "price": "bigint", "offer_discount_type": "text", "is_trial": "boolean",
    "revoked_at": "timestamp with time zone", "revocation_type": "text", "revocation_percentage": "integer",
    "is_upgraded": "boolean"}
REVENUE_KEY = ("environment", "day", "bundle_id", "product_id", "storefront", "currency", "kind")
REFUNDS_KEY = ("environment", "month", "bundle_id", "product_id", "storefront", "currency")
# All of a price, in thousandths of a percent.
WHOLE = 100_000


def gross_of(ownership, discount, is_trial, price, currency):
    """What was paid. Members of a family pay nothing, and a free trial costs nothing, even if no price is known.

    A price that is in no currency is none.
    """
    if ownership == "FAMILY_SHARED" or discount == "FREE_TRIAL" or is_trial:
        return 0
    return None if currency is None else price


def refunded_of(gross, revoked_at, percentage):
    """What was given back: all of it without a percentage. Half a milliunit is rounded up."""
    if gross is None:
        return None
    if revoked_at is None:
        return 0
    return rounded(fractions.Fraction(gross * (WHOLE if percentage is None else percentage), WHOLE), 0)


class Sale(collections.namedtuple("Sale", COLUMNS)):
    """A transaction."""

    @property
    def day(self):
        return day_of(self.purchased_at)

    @property
    def gross(self):
        return gross_of(self.ownership, self.offer_discount_type, self.is_trial, self.price, self.currency)

    @property
    def refunded(self):
        return refunded_of(self.gross, self.revoked_at, self.revocation_percentage)

    @property
    def net(self):
        return None if self.gross is None else self.gross - self.refunded

    @property
    def is_of_family(self):
        return self.ownership == "FAMILY_SHARED"

    @property
    def is_free_trial(self):
        return self.offer_discount_type == "FREE_TRIAL" or bool(self.is_trial)

    @property
    def kind(self):
        """Apple says it since version 2. Before, a subscription's transactions are renewals, but for its first one."""
        if self.reason in ("PURCHASE", "RENEWAL"):
            is_renewal = self.reason == "RENEWAL"
        else:
            is_renewal = self.expires_at is not None and self.transaction_id != self.original_transaction_id
        return "renewal" if is_renewal else "new"

    @property
    def is_refund(self):
        """Whether money was given back: neither a family share that was taken back, nor an upgrade.

        Version 1, which is not signed, calls an upgrade cancelled too.
        """
        is_upgrade = self.is_upgraded and self.signed_at is None
        is_share = self.is_of_family or self.revocation_type == "FAMILY_REVOKE"
        return self.revoked_at is not None and not is_share and not is_upgrade

    @property
    def delay(self):
        """The days from the purchase to the refund."""
        return fractions.Fraction(self.revoked_at - self.purchased_at, DAY)


@functools.lru_cache(maxsize=1)
def sales_of(world):
    return [Sale(*row) for row in world.snapshot.values(
        f"""SELECT {', '.join(COLUMNS)}
              FROM attribution.store_transaction
              JOIN attribution.store_product USING (product)""", *COLUMNS.values())]


def total(amounts):
    """The sum of the amounts that are known, in units; None if none is."""
    known = [amount for amount in amounts if amount is not None]
    return fractions.Fraction(sum(known)) / 1_000 if known else None


def quantile(numbers, share):
    """The number at a share of the way through the sorted ones, on a straight line between two; None if there are none."""
    if not numbers:
        return None
    numbers = sorted(numbers)
    below, part = divmod(share * (len(numbers) - 1), 1)
    above = min(below + 1, len(numbers) - 1)
    return rounded_conversion(numbers[below] + part * (numbers[above] - numbers[below]), 4)


def revenue_rows(first_day=FIRST_DAY, last_day=LAST_DAY):
    def rows(world):
        groups = collections.defaultdict(list)
        for sale in sales_of(world):
            if first_day <= sale.day <= last_day:
                groups[tuple(getattr(sale, name) for name in REVENUE_KEY)].append(sale)
        for key, sales in groups.items():
            yield dict(zip(REVENUE_KEY, key)) | {
                "transactions": len(sales),
                "family_shares": sum(sale.is_of_family for sale in sales),
                "free_trials": sum(sale.is_free_trial for sale in sales),
                "without_price": sum(sale.gross is None for sale in sales),
                "refunds": sum(sale.is_refund for sale in sales),
                "gross": total(sale.gross for sale in sales),
                "refunded": total(sale.refunded for sale in sales),
                "net": total(sale.net for sale in sales)}
    return rows


def refund_rows(first_day=FIRST_DAY, last_day=LAST_DAY):
    """Refunds in the month of the refund, beside what was bought in that month."""
    def rows(world):
        bought, refunds = collections.Counter(), collections.defaultdict(list)
        for sale in sales_of(world):
            if first_day <= sale.day <= last_day and not sale.is_of_family:
                bought[refund_key(sale, sale.day)] += 1
            if sale.is_refund and first_day <= day_of(sale.revoked_at) <= last_day:
                refunds[refund_key(sale, day_of(sale.revoked_at))].append(sale)
        for key in dict.fromkeys([*bought, *refunds]):
            sales = refunds.get(key, [])
            delays = [sale.delay for sale in sales]
            yield dict(zip(REFUNDS_KEY, key)) | {
                "transactions": bought[key], "refunds": len(sales), "refund_rate": ratio(len(sales), bought[key]),
                "without_price": sum(sale.refunded is None for sale in sales),
                "refunded": total(sale.refunded for sale in sales),
                "delay_median_days": quantile(delays, fractions.Fraction(1, 2)),
                "delay_p90_days": quantile(delays, fractions.Fraction(9, 10))}
    return rows


def refund_key(sale, day):
    return sale.environment, day.replace(day=1), sale.bundle_id, sale.product_id, sale.storefront, sale.currency


def production(rows):
    def of_production(world):
        for row in rows(world):
            if row.pop("environment") == "production":
                yield row
    return of_production


def range_views(name, key, rows, ranges):
    """The views of a report without developer copies, and its function for these ranges of days."""
    name = f"attribution.report_{name}"
    yield View(name + "_all", key, rows())
    yield View(name, key[1:], production(rows()))
    for first_day, last_day in dict.fromkeys((first_day, last_day) for first_day, last_day, _ in ranges):
        yield View(name, key, rows(first_day, last_day),
                   f"{name}({sql_day(first_day)}, {sql_day(last_day)}, an_environment => NULL)")


def views(ranges):
    yield from range_views("app_store_revenue", REVENUE_KEY, revenue_rows, ranges)
    yield from range_views("app_store_refunds", REFUNDS_KEY, refund_rows, ranges)
