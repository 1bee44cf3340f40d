"""The App Store beside postbacks (definitions/app_store_calibration.sql, definitions/app_store_allocation.sql).

The rules are those of docs/app-store-answers.md. What was paid follows from the stored transactions; `PostbackServer recount`
compares these with the bodies of notifications.
"""

import collections
import datetime
import decimal
import fractions
import functools

from answer_reports import is_complete, measurement_window
from answers import HOUR, WINDOWS, day_of, start_of
from bodies import COARSE
from compare import View
from database import FIRST_DAY, LAST_DAY, sql_day
from figures import Sums, rounded, rounded_conversion
from modelled import LEAST_FOR_INTERVAL, LEAST_MAPPED, level_key, levels, week_of
from postback_answers import currency_of, middle_of, sums_of, units
from sales import gross_of, production, refunded_of

ENDS = ("low", "middle", "high")
CAMPAIGN = ("protocol", "ad_network_id", "campaign_type", "campaign")

# A transaction; `purchase` is the purchase that it belongs to, `hours` are those since it began, `net` is in units.
Paid = collections.namedtuple("Paid", "environment app began_day purchase day hours currency net")


def net_of(currency, ownership, discount, is_trial, price, revoked_at, percentage):
    """What is left of a price, in units: less what was given back."""
    gross = gross_of(ownership, discount, is_trial, price, currency)
    if gross is None:
        return None
    return fractions.Fraction(gross - refunded_of(gross, revoked_at, percentage)) / 1_000


class Store:
    """What the App Store told, and what the installation allows."""

    def __init__(self, world):
        snapshot = world.snapshot
        # App Store ids by bundle id: what a later row says counts.
        self.apps = dict(snapshot.values(
            """SELECT bundle_id, app_id
                 FROM (SELECT bundle_id, app_id, NULL::timestamptz AS told_at FROM attribution.store_app_id
                       UNION ALL
                       SELECT bundle_id, app_id, received_at FROM attribution.store_notification
                        WHERE app_id IS NOT NULL AND environment = 'production' AND bundle_id IN (
                              SELECT bundle_id FROM attribution.store_product
                              UNION SELECT bundle_id FROM attribution.store_app_id)) AS told
                ORDER BY told_at NULLS FIRST, app_id""", "text", "bigint"))
        ((self.least,),) = snapshot.values("SELECT minimum_installs FROM attribution.store_settings", "integer")
        self.paid = []
        for environment, bundle, purchase, bought_at, began_at, currency, *amount in snapshot.values(
                """SELECT environment, bundle_id, original_transaction_id, purchased_at, originally_purchased_at, currency,
                          ownership, offer_discount_type, is_trial, price, revoked_at, revocation_percentage
                     FROM attribution.store_transaction
                     JOIN attribution.store_product USING (product)
                    WHERE ownership IS DISTINCT FROM 'FAMILY_SHARED'""",
                "text", "text", "text", "timestamp with time zone", "timestamp with time zone", "text", "text", "text",
                "boolean", "bigint", "timestamp with time zone", "integer"):
            if bundle in self.apps:
                began_at = bought_at if began_at is None else began_at
                self.paid.append(Paid(
                    environment, self.apps[bundle], day_of(began_at), purchase, day_of(bought_at),
                    max(fractions.Fraction(bought_at - began_at, HOUR), 0), currency, net_of(currency, *amount)))
        # Whether the copies of an app's postbacks count.
        self._copies = collections.defaultdict(bool)
        for line in world.lines:
            self._copies[line.environment, line.advertised_app_id] |= line.developer_copy

    def winners(self, world, first_day, last_day, app):
        """The postbacks that stand beside customers, with their install days."""
        known = set(self.apps.values())
        for postback in world.folded:
            line, day = postback.line, postback.answer.install_day
            if (postback.did_win and first_day <= day <= last_day and app in (None, line.advertised_app_id)
                    and line.advertised_app_id in known
                    and line.developer_copy == self._copies[line.environment, line.advertised_app_id]):
                yield postback, day

    def purchases(self, first_day, last_day, app):
        return [paid for paid in self.paid if first_day <= paid.began_day <= last_day and app in (None, paid.app)]


store_of = functools.lru_cache(maxsize=1)(Store)


def installs_of(postback):
    return int(postback.sequence_index == 0 and postback.kind == "install")


def newest_scheme(world, app, last_day):
    """The newest scheme of an app with a currency that began by a day."""
    began = [scheme for scheme in world.schemes.get(app, []) if scheme.currency and day_of(scheme.valid_from) <= last_day]
    return max(began, key=lambda scheme: scheme.valid_from, default=None)


def per(amount, number):
    return None if amount is None or not number else rounded_conversion(fractions.Fraction(amount) / number)


def half_width(purchases, squares):
    """1.96 times the root of the sum of squares, to six places."""
    if purchases < LEAST_FOR_INTERVAL:
        return None
    with decimal.localcontext() as context:
        context.prec = 60
        root = (decimal.Decimal(squares.numerator) / decimal.Decimal(squares.denominator)).sqrt()
    return rounded(fractions.Fraction(196, 100) * fractions.Fraction(root), 6)


def calibration_rows(first_day=FIRST_DAY, last_day=LAST_DAY, app=None, currency=None, share=1):
    def rows(world):
        store = store_of(world)
        daily, installs, lines = Sums(), collections.Counter(), {}
        for postback, day in store.winners(world, first_day, last_day, app):
            line = postback.line
            key = line.environment, line.advertised_app_id, line.campaign_type, postback.sequence_index
            daily[key + (day, currency_of(postback))]
            daily.add(key + (day, currency_of(postback)), **sums_of(postback), installs=installs_of(postback))
            installs[key[:3]] += installs_of(postback)
            installs[key[:2]] += installs_of(postback)
            lines[key] = line
        by_key = collections.defaultdict(list)
        for key, figures in daily.items():
            by_key[key[:4]].append((key[4:], figures))
        purchases = store.purchases(first_day, last_day, app)
        for key, parts in by_key.items():
            environment, an_app, campaign_type, window = key
            scheme = newest_scheme(world, an_app, last_day)
            target = currency or (scheme and scheme.currency)
            row = dict(zip(("environment", "advertised_app_id", "campaign_type", "sequence_index"), key))
            row["currency"] = target
            row |= {name: sum(figures[name] for _, figures in parts) for name in (
                "postbacks", "installs", "mapped", "withheld")}
            row |= implied_columns(world, parts, target, row["mapped"])
            if campaign_type == "source-identifier":
                row["hours_from"], row["hours_to"] = WINDOWS[window].opens, WINDOWS[window].closes
            else:
                row["hours_from"] = 0
                row["hours_to"] = measurement_window(world.schemes.get(an_app, []), last_day)
            row |= paid_columns(world, [
                paid for paid in purchases
                if (paid.environment, paid.app) == key[:2] and row["hours_to"] is not None
                and row["hours_from"] <= paid.hours < row["hours_to"]], target)
            part = None
            if installs[key[:2]]:
                part = rounded(share * fractions.Fraction(installs[key[:3]], installs[key[:2]]), 6)
            row["paid_share"] = part

            def compared(amount, implied):
                return None if None in (amount, part) else per(amount * part, implied)

            row["factor"] = compared(row["paid_net"], row["implied_middle"])
            row["factor_low"] = None if row["implied_open"] else compared(row["paid_net_low"], row["implied_high"])
            row["factor_high"] = compared(row["paid_net_high"], row["implied_low"])
            row["complete"] = (
                is_complete(world, lines[key], last_day, window) and row["hours_to"] is not None
                and start_of(last_day + datetime.timedelta(days=1)) + row["hours_to"] * HOUR <= world.now)
            yield row
    return rows


def implied_columns(world, parts, target, mapped):
    """What mapped values imply, each day converted at its own rate; parts are ((day, currency), figures)."""
    amounts = {end: [world.rates.converted(units(figures[f"revenue_{end}"]), own, target, day)
                     for (day, own), figures in parts] for end in ENDS}
    without_rate = amounts["high"].count(None)
    implied = {f"implied_{end}": sum(rounded(amount, 6) for amount in amounts[end])
               if mapped and not without_rate else None for end in ENDS}
    if any(middle_of(figures) is None for _, figures in parts):
        implied["implied_middle"] = None
    return implied | {"implied_open": sum(figures["revenue_open"] for _, figures in parts),
                      "implied_without_rate": without_rate}


def paid_columns(world, transactions, target):
    by_purchase, without_price, without_rate = collections.defaultdict(fractions.Fraction), 0, 0
    for paid in transactions:
        amount = paid.net and world.rates.converted(paid.net, paid.currency, target, paid.day)
        without_price += paid.net is None
        without_rate += paid.net is not None and amount is None
        if amount is not None:
            by_purchase[paid.purchase] += amount
    amounts = [rounded(amount, 6) for amount in by_purchase.values()]
    purchases = sum(amount > 0 for amount in amounts)
    net = sum(amounts) if amounts and not without_rate else None
    half = half_width(purchases, sum(amount ** 2 for amount in amounts))
    is_known = None not in (net, half)
    return {"transactions": len(transactions), "without_price": without_price, "paid_without_rate": without_rate,
            "purchases": purchases, "paid_net": net, "paid_net_low": max(0, net - half) if is_known else None,
            "paid_net_high": net + half if is_known else None}


def plain(millionths):
    return format(decimal.Decimal(millionths).scaleb(-6).normalize(), "f")


def range_rows(first_day=FIRST_DAY, last_day=LAST_DAY, app=None, currency=None, share=1):
    """The ranges of revenue of the newest scheme, times the factor of their window."""
    def rows(world):
        for row in calibration_rows(first_day, last_day, app, currency, share)(world):
            scheme = newest_scheme(world, row["advertised_app_id"], last_day)
            buckets = collections.defaultdict(list)
            for (window, value), meaning in (scheme.meanings if scheme else {}).items():
                if (window == row["sequence_index"] and meaning.revenue_high != 0
                        and (row["campaign_type"] == "source-identifier" or value not in COARSE)):
                    buckets[meaning.revenue_low, meaning.revenue_high].append(meaning.revenue_middle)
            for (low, high), middles in buckets.items():
                middle = None if None in middles else units(max(middles))
                yield {name: row[name] for name in (
                    "environment", "advertised_app_id", "campaign_type", "sequence_index", "factor")} | {
                    "revenue_range": plain(low) + (" and more" if high is None else f" to {plain(high)}"),
                    "currency": scheme.currency, "meanings": len(middles), "range_low": units(low),
                    "range_middle": middle, "range_high": units(high)} | {
                    f"suggested_{end}": None if None in (middle, row[factor]) else rounded(middle * row[factor], 6)
                    for end, factor in (("low", "factor_low"), ("middle", "factor"), ("high", "factor_high"))}
    return rows


def allocation_weights(world, first_day, last_day, app):
    """By day (environment, app, day): its campaigns with installs and modelled revenue, which is None if it is unknown."""
    cells, withheld, unknown = Sums(), collections.Counter(), set()
    for postback, day in store_of(world).winners(world, first_day, last_day, app):
        line, level = postback.line, level_key(postback)
        cell = (line.environment, line.advertised_app_id, day, line.protocol, line.ad_network_id, line.campaign_type,
                level[6])
        figures = sums_of(postback)
        cells.add(cell, installs=installs_of(postback))
        cells.add(cell, **{"revenue " + currency_of(postback): units(figures["revenue_middle"])})
        withheld[cell, level] += figures["withheld"]
        if figures["revenue_unknown"]:
            unknown.add(cell)
    # Whole weeks, whatever days are asked for.
    first = first_day if first_day == FIRST_DAY else week_of(first_day)
    last = last_day if last_day == LAST_DAY else week_of(last_day) + datetime.timedelta(days=6)
    of_level = collections.defaultdict(list)
    for key, level in levels(world, LEAST_MAPPED, first, last, app).items():
        of_level[key[:-1]].append((key[-1], level))
    for (cell, level), number in withheld.items():
        everything = sum(own.figures["withheld"] for _, own in of_level[level])
        for currency, own in of_level[level]:
            if number and own.withheld:
                cells.add(cell, **{"revenue " + currency: number * own.estimate("revenue_middle") / everything})
                if own.source == "none":
                    unknown.add(cell)
    days = collections.defaultdict(dict)
    for cell, figures in cells.items():
        days[cell[:3]][cell[3:]] = figures
    for key, campaigns in days.items():
        names = [name for figures in campaigns.values() for name in figures if name.startswith("revenue ")]
        target = max(names).removeprefix("revenue ")
        weighed = {}
        for campaign, figures in campaigns.items():
            amounts = [world.rates.converted(amount, name.removeprefix("revenue "), target, key[2])
                       for name, amount in figures.items() if name != "installs"]
            is_unknown = key + campaign in unknown or None in amounts
            weighed[campaign] = figures["installs"], None if is_unknown else sum(amounts)
        yield key, weighed


def allocation_rows(first_day=FIRST_DAY, last_day=LAST_DAY, app=None, currency=None, minimum=50, share=1):
    def rows(world):
        store = store_of(world)
        least = max(minimum, store.least)
        spread, without_rate = collections.defaultdict(dict), collections.Counter()
        for paid in store.purchases(first_day, last_day, app):
            if paid.net is None or paid.currency is None:
                continue
            target = currency or paid.currency
            amount = world.rates.converted(paid.net, paid.currency, target, paid.day)
            key = paid.environment, paid.app, paid.began_day
            without_rate[key + (target,)] += amount is None
            spread[key][target] = spread[key].get(target, 0) + rounded(amount or 0, 6)
        for key, campaigns in allocation_weights(world, first_day, last_day, app):
            weights = [weight for _, weight in campaigns.values()]
            by_installs = None in weights or not sum(weights)
            crowds = collections.defaultdict(lambda: [0, fractions.Fraction(0)])
            for campaign, (installs, weight) in campaigns.items():
                weight = installs if by_installs else weight
                if installs or weight:
                    crowd = crowds[campaign if installs >= least else (None,) * len(CAMPAIGN)]
                    crowd[0] += installs
                    crowd[1] += weight
            if not crowds or min(installs for installs, _ in crowds.values()) < least:
                continue
            everything = sum(weight for _, weight in crowds.values())
            for campaign, (installs, weight) in crowds.items():
                for own, amount in spread.get(key, {}).items():
                    missing = without_rate[key + (own,)]
                    part = weight / fractions.Fraction(everything)
                    yield dict(zip(("environment", "advertised_app_id", "day"), key)) | dict(zip(CAMPAIGN, campaign)) | {
                        "currency": own, "allocated_minimum": least, "allocated_installs": installs,
                        "allocated_by_installs": by_installs, "allocated_share": rounded_conversion(part),
                        "allocated_without_rate": missing,
                        "allocated_total": None if missing else rounded(amount * share, 6),
                        "allocated_net": None if missing else rounded_conversion(amount * share * part)}
    return rows


def views(ranges):
    key = ("environment", "advertised_app_id", "campaign_type", "sequence_index", "currency")
    for name, key, rows, minimum in (
            ("calibration", key, calibration_rows, False),
            ("calibration_ranges", key + ("revenue_range",), range_rows, False),
            ("allocation", ("environment", "day", "advertised_app_id", "currency") + CAMPAIGN, allocation_rows, True)):
        name = f"attribution.report_app_store_{name}"
        yield View(name + "_all", key, rows())
        yield View(name, key[1:], production(rows()))
        asked = [(*of_range, {}) for of_range in ranges]
        asked += [(*ranges[0], {"currency": "EUR", "share": fractions.Fraction(1, 4)})]
        asked += [(*ranges[1], {"minimum": 30}), (*ranges[1], {"minimum": 5})] if minimum else []
        for first_day, last_day, app, options in asked:
            arguments = [sql_day(first_day), sql_day(last_day)] + ([] if app is None else [str(app)]) + [
                {"currency": "in_currency => '{}'", "share": "attributed_share => {}",
                 "minimum": "minimum_installs => {}"}[option].format(
                     float(value) if option == "share" else value) for option, value in options.items()]
            yield View(name, key, rows(first_day=first_day, last_day=last_day, app=app, **options),
                       f"{name}({', '.join(arguments)}, an_environment => NULL)")
