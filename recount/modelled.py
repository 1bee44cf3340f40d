"""Modelled revenue and cohorts (definitions/modelled_revenue.sql, definitions/cohorts.sql), by the formulas of docs/money.md.

A value that Apple withheld is taken to be worth as much as the known values beside it. A level is a campaign (its id or
two last digits), a version class, a window, an install week and a currency. A pool is all levels of an app.
"""

import collections
import datetime
import decimal
import fractions
import functools

from answers import complete_from, is_development
from answer_reports import calls, measurement_window
from compare import View
from counts import LINE, with_production
from database import FIRST_DAY, LAST_DAY
from figures import Sums, rounded
from postback_answers import currency_of, middle_of, sums_of, units

LEAST_KNOWN = 30
MONEY = ("revenue_low", "revenue_middle", "revenue_high")
LEVEL = ("environment", "developer_copy", "week", "protocol", "ad_network_id", "campaign_type", "campaign",
         "advertised_app_id", "sequence_index", "currency")


def week_of(day):
    """The Monday of a day's week."""
    return day - datetime.timedelta(days=day.weekday())


class Basis:
    """Known values: their number, sums in millionths, and the sum of the squares of their middles."""

    def __init__(self, figures):
        self.known = figures["mapped"]
        self.sums = {name: figures[name] for name in MONEY}
        self.is_known = not figures["revenue_unknown"]
        self.square = figures["revenue_square"]

    @property
    def variance(self):
        """The variance of the values, in units of the currency, from their sample."""
        total = self.sums["revenue_middle"]
        spread = fractions.Fraction(self.square) - fractions.Fraction(total * total, self.known)
        return max(fractions.Fraction(0), spread / (self.known - 1) / 10 ** 12)


class Level:
    """A level with its measured figures, and what is modelled for its withheld values."""

    def __init__(self, figures):
        self.figures = figures
        self.withheld = fractions.Fraction(figures["withheld"])
        self.source = self.basis = None

    def model(self, currency, small, everything, least):
        """Chooses the known values on which the model rests: its own, if there are at least so many.

        Else those of the app's levels that have too few too (`small`), if they have enough together. Else all of the app
        (`everything`), at least two, since one value has no variance. A choice with a value of which nobody knows the
        revenue has no mean, so nothing is modelled then.
        """
        if self.withheld == 0:
            return
        if currency and self.figures["mapped"] >= least:
            self.source, self.basis = "campaign", Basis(self.figures)
        elif small.known >= least:
            self.source, self.basis = "small_campaigns", small
        elif everything.known >= 2:
            self.source, self.basis = "app", everything
        if self.basis is None or not self.basis.is_known:
            self.source, self.basis = "none", None

    def estimate(self, name):
        """What the withheld values are worth, in units of the currency, to six places."""
        if self.basis is None:
            return fractions.Fraction(0)
        return rounded(self.withheld * self.basis.sums[name] / self.basis.known / 1_000_000, 6)

    def withheld_from(self, source):
        return self.withheld if self.source == source else fractions.Fraction(0)


def levels(world, minimum, first_day, last_day, app):
    """The levels by key (LEVEL), each with its model."""
    measured = Sums()
    for postback in world.folded:
        line, day = postback.line, postback.answer.install_day
        if not (postback.did_win and first_day <= day <= last_day and app in (None, line.advertised_app_id)):
            continue
        campaign = line.campaign[-2:] if line.campaign_type == "source-identifier" else line.campaign
        key = (line.environment, line.developer_copy, week_of(day), line.protocol, line.ad_network_id,
               line.campaign_type, campaign, line.advertised_app_id, postback.sequence_index, currency_of(postback))
        measured.add(key, **sums_of(postback))
    least = max(minimum, 2)
    small, everything = Sums(), Sums()
    # The known values of levels and of pools by currency, under their keys without it.
    beside, beside_in_pool = Sums(), Sums()
    for key, figures in measured.items():
        if key[-1] and figures["mapped"]:
            everything.add(pool_of(key), **figures)
            if figures["mapped"] < least:
                small.add(pool_of(key), **figures)
            beside.add(key[:-1], **{key[-1]: figures["mapped"]})
            beside_in_pool.add(pool_of(key)[:-1], **{key[-1]: figures["mapped"]})
    made = {key: Level(figures) for key, figures in measured.items()}
    for key in list(made):
        if key[-1] == "":
            known = beside.get(key[:-1]) or beside_in_pool.get(pool_of(key)[:-1])
            if known and made[key].withheld:
                share_withheld(key, made, known)
    for key, level in made.items():
        level.model(key[-1], Basis(small[pool_of(key)]), Basis(everything[pool_of(key)]), least)
    return made


def pool_of(key):
    """The key of the pool of a level: without network and campaign."""
    return tuple(value for name, value in zip(LEVEL, key) if name not in ("ad_network_id", "campaign"))


def share_withheld(key, made, known):
    """Shares the withheld values of no currency among the currencies of the known values beside them.

    `known` has the known values of the campaign by currency, or if there are none, those of the app.
    """
    withheld, made[key].withheld = made[key].withheld, fractions.Fraction(0)
    for currency, number in known.items():
        target = key[:-1] + (currency,)
        if target not in made:
            made[target] = Level(collections.defaultdict(int))
        made[target].withheld += withheld * number / sum(known.values())


def variance_of(of_pool):
    """The variance of what the withheld values of levels of one pool are worth.

    w values are estimated by k known ones with the variance v: v · w² ÷ k from the mean and v · w from the values
    themselves. Levels that rest on the app, or on its small levels, have one mean, so their w are added. The mean of the
    app goes along with those of its other levels, whose values are part of it: twice the covariance. The mean of the
    small levels does not.
    """
    own = shared = weighted = fractions.Fraction(0)
    pool = None
    for level in of_pool:
        if level.source == "campaign":
            own += level.basis.variance * (level.withheld ** 2 / level.basis.known + level.withheld)
            weighted += level.basis.variance * level.withheld
        elif level.source in ("app", "small_campaigns"):
            shared += level.withheld
            pool, source = level.basis, level.source
    if not shared:
        return own
    covariance = 2 * shared * weighted / pool.known if source == "app" else 0
    return own + pool.variance * (shared ** 2 / pool.known + shared) + covariance


def half_width(variance):
    """1.96 standard errors, to six places."""
    context = decimal.Context(prec=60)
    root = context.sqrt(context.divide(decimal.Decimal(variance.numerator), decimal.Decimal(variance.denominator)))
    return rounded(context.multiply(decimal.Decimal("1.96"), root), 6)


def modelled_columns(made, variance):
    """The columns that rows of levels and of sums share."""
    sums = {name: sum(level.figures[name] for level in made) for name in (
        "postbacks", "mapped", "withheld", "ambiguous", "revenue_open")}
    money = {name: units(sum(level.figures[name] for level in made)) for name in MONEY}
    modelled = {name: money[name] + sum(level.estimate(name) for level in made) for name in MONEY}
    if any(level.figures["revenue_unknown"] for level in made):
        money["revenue_middle"] = modelled["revenue_middle"] = None
    half = half_width(variance)
    return sums | money | {f"modelled_{name}": amount for name, amount in modelled.items()} | {
        "modelled_withheld": rounded(sum(level.withheld for level in made), 6),
        "modelled_missing": rounded(sum(level.withheld_from("none") for level in made), 6),
        "modelled_half_width": half,
        "modelled_interval_low": max(money["revenue_low"], modelled["revenue_low"] - half),
        "modelled_interval_high": modelled["revenue_high"] + half}


def modelled_rows(first_day=FIRST_DAY, last_day=LAST_DAY, app=None, minimum=LEAST_KNOWN):
    def rows(world):
        for key, level in levels(world, minimum, first_day, last_day, app).items():
            yield dict(zip(LEVEL, key)) | modelled_columns([level], variance_of([level])) | {
                "currency": key[-1] or None, "modelled_from": level.source,
                "modelled_known": level.basis and level.basis.known,
                "modelled_below_minimum": level.withheld > 0 and level.figures["mapped"] < minimum}
    return rows


def modelled_sum_rows(by, first_day=FIRST_DAY, last_day=LAST_DAY, app=None, minimum=LEAST_KNOWN):
    """By app or by network: never computed anew, but summed. Half widths of pools add in quadrature."""
    names = ("environment", "developer_copy", by, "sequence_index", "currency")

    def rows(world):
        groups = collections.defaultdict(lambda: collections.defaultdict(list))
        for key, level in levels(world, minimum, first_day, last_day, app).items():
            named = dict(zip(LEVEL, key))
            groups[tuple(named[name] for name in names)][pool_of(key)].append(level)
        for key, pools in groups.items():
            made = [level for of_pool in pools.values() for level in of_pool]
            variance = sum(variance_of(of_pool) for of_pool in pools.values())
            yield dict(zip(names, key)) | modelled_columns(made, variance) | {
                "currency": key[-1] or None,
                "modelled_from_app": rounded(sum(
                    level.withheld_from("app") + level.withheld_from("small_campaigns") for level in made), 6)}
    return rows


# What the winning postbacks of a window are, and what they have in place of a value with a meaning.
COUNTS = ("postbacks", "mapped", "withheld", "not_set", "unmapped", "ambiguous", "no_scheme")


def cohort_rows(period, first_day=FIRST_DAY, last_day=LAST_DAY, app=None):
    """What each window brought, side by side, by campaign and install day or week.

    Postbacks without a currency are in the row of the only currency of the campaign and its day or week, if it has one.
    """
    def rows(world):
        by_currency = Sums()
        for postback in world.folded:
            line, day = postback.line, postback.answer.install_day
            if postback.did_win and first_day <= day <= last_day and app in (None, line.advertised_app_id):
                figures = sums_of(postback)
                figures["no_scheme"] = figures["fine"] + figures["coarse"] - sum(
                    figures[name] for name in ("mapped", "unmapped", "ambiguous"))
                index = postback.sequence_index
                by_currency.add(
                    (line, week_of(day) if period == "week" else day, currency_of(postback)),
                    **{f"{name}_{index}": figures[name] for name in COUNTS},
                    **{f"revenue_{index}_{end}": figures[f"revenue_{end}"] for end in
                       ("low", "middle", "high", "open", "unknown")})
        currencies = collections.defaultdict(list)
        for line, day, currency in by_currency:
            if currency:
                currencies[line, day].append(currency)
        sums = Sums()
        for (line, day, currency), figures in by_currency.items():
            only = currencies[line, day][0] if len(currencies[line, day]) == 1 else None
            sums.add((line, day, currency or only), **figures)
        for (line, day, currency), figures in sums.items():
            row = line._asdict() | {period: day, "currency": currency}
            last = min(day + datetime.timedelta(days=6 if period == "week" else 0), last_day)
            has_windows = line.campaign_type == "source-identifier"
            for index in (0, 1, 2):
                row |= {f"{name}_{index}": figures[f"{name}_{index}"] for name in COUNTS}
                row[f"revenue_{index}_open"] = figures[f"revenue_{index}_open"]
                # Without a known value, nobody knows the revenue.
                row |= {f"revenue_{index}_{end}": None for end in ("low", "middle", "high")}
                if figures[f"mapped_{index}"]:
                    row |= {f"revenue_{index}_{end}": units(figures[f"revenue_{index}_{end}"]) for end in ("low", "high")}
                    row[f"revenue_{index}_middle"] = units(middle_of(figures, f"_{index}"))
                row[f"complete_{index}"] = complete_from(
                    last, has_windows, index,
                    measurement_window(world.schemes.get(line.advertised_app_id, []), last),
                    is_development(line)) <= world.answers_up_to
            yield row
    return rows


def views(ranges):
    name = "attribution.report_modelled_revenue"
    yield from with_production(View(name + "_all", LEVEL, modelled_rows()))
    yield from calls(name, LEVEL, modelled_rows, ranges)
    yield View(name, LEVEL, modelled_rows(minimum=3), f"{name}('2000-01-01', '2099-12-31', NULL, 3)")
    for by, column in (("app", "advertised_app_id"), ("network", "ad_network_id")):
        key = ("environment", "developer_copy", column, "sequence_index", "currency")
        yield from with_production(View(f"{name}_by_{by}_all", key, modelled_sum_rows(column)))
        yield from calls(f"{name}_by_{by}", key, functools.partial(modelled_sum_rows, column), ranges)
        yield View(f"{name}_by_{by}", key, modelled_sum_rows(column, minimum=3),
                   f"{name}_by_{by}('2000-01-01', '2099-12-31', NULL, 3)")
    for name, period in (("attribution.report_cohort", "week"), ("attribution.report_cohort_daily", "day")):
        key = LINE + (period, "currency")
        yield from with_production(View(name + "_all", key, cohort_rows(period)))
        yield from calls(name, key, functools.partial(cohort_rows, period), ranges)
