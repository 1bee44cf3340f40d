"""Modelled revenue and cohorts (definitions/modelled_revenue.sql, definitions/cohorts.sql), by the formulas of docs/money.md.

A value that Apple withheld is taken to be worth as much as the mapped values beside it. A level is a campaign (its id or
two last digits), a version class, a window, an install week and a currency. A pool is all levels of an app.
"""

import collections
import datetime
import fractions
import functools
import math

import costs
from answer_reports import MONEY, calls, is_complete
from compare import View
from counts import LINE, with_production
from database import EVERYTHING, FIRST_DAY, LAST_DAY
from figures import Sums, rounded
from postback_answers import currency_of, middle_of, sums_of, units

LEAST_MAPPED = 30
# With fewer mapped values there is no interval.
LEAST_FOR_INTERVAL = 10
# The standard deviation of the mean of a campaign that rests on others, as a share of their mean.
CAMPAIGN_SPREAD = fractions.Fraction(1, 2)
LEVEL = ("environment", "developer_copy", "week", "protocol", "ad_network_id", "campaign_type", "campaign",
         "advertised_app_id", "sequence_index", "currency")


def week_of(day):
    """The Monday of a day's week."""
    return day - datetime.timedelta(days=day.weekday())


class Basis:
    """Mapped values: their number, their sums and the sum of the squares of their middles in units of the currency."""

    def __init__(self, figures):
        self.mapped = figures["mapped"]
        self.sums = {name: units(figures[name]) for name in MONEY}
        self.is_known = not figures["revenue_unknown"]
        self.square = fractions.Fraction(figures["revenue_square"], 10 ** 12)
        self.open = figures["revenue_open"]

    @property
    def middle(self):
        return self.sums["revenue_middle"]

    @property
    def variance(self):
        """The variance of the values, from their sample."""
        return max(fractions.Fraction(0), (self.square - self.middle ** 2 / self.mapped) / (self.mapped - 1))


class Payer:
    """What is known of those who pay in an app, in a window and currency: of all mapped values, and of the scheme.

    The scheme counts as one payer more: an average over its values that bring revenue.
    """

    def __init__(self, figures, schemes, window):
        sums = {name: units(figures[name]) for name in MONEY}
        square = fractions.Fraction(figures["revenue_square"], 10 ** 12)
        meanings = [[meaning for (index, _), meaning in scheme.meanings.items() if index == window] for scheme in schemes]
        paying = [meaning for meaning in meanings[-1] if meaning.revenue_middle] if meanings else []
        # Values of earlier weeks may be in open ranges of earlier schemes.
        lows = [meaning.revenue_low for of_one in meanings for meaning in of_one if meaning.revenue_high is None]
        self.open_from = units(max(lows)) if lows else None
        self.payers = rounded(sums["revenue_middle"] ** 2 / square, 2) if square else fractions.Fraction(0)
        one = dict.fromkeys(MONEY, 0) | {"square": 0}
        if paying:
            def average(amounts):
                return rounded(sum(fractions.Fraction(amount) for amount in amounts) / len(paying), 6)

            one = {
                "revenue_low": average(units(meaning.revenue_low) for meaning in paying),
                "revenue_middle": average(units(meaning.revenue_middle) for meaning in paying),
                "revenue_high": average(
                    units(meaning.revenue_low if meaning.revenue_high is None else meaning.revenue_high)
                    for meaning in paying),
                "square": average(units(meaning.revenue_middle) ** 2 for meaning in paying)}
        amount = sums["revenue_middle"] + one["revenue_middle"]
        self.is_known = amount > 0
        if self.is_known:
            self.size = rounded((square + one["square"]) / amount, 6)
            self.low_share = rounded((sums["revenue_low"] + one["revenue_low"]) / amount, 9)
            self.high_share = rounded((sums["revenue_high"] + one["revenue_high"]) / amount, 9)


class Level:
    """A level with its measured figures, and what is modelled for its withheld values."""

    def __init__(self, figures):
        self.figures = figures
        self.withheld = fractions.Fraction(figures["withheld"])
        self.source = self.basis = None

    def model(self, currency, small, everything, least):
        """Chooses the mapped values on which the model rests: its own, if there are at least so many.

        Else those of the app's levels that have too few too (`small`), if they have enough together. Else all of the app
        (`everything`), at least two, since one value has no variance. A choice with a value of which nobody knows the
        revenue has no mean, so nothing is modelled then.
        """
        if self.withheld == 0:
            return
        if currency and self.figures["mapped"] >= least:
            self.source, self.basis = "campaign", Basis(self.figures)
        elif small.mapped >= least:
            self.source, self.basis = "small_campaigns", small
        elif everything.mapped >= 2:
            self.source, self.basis = "app", everything
        if self.basis is None or not self.basis.is_known:
            self.source, self.basis = "none", None

    def estimate(self, name):
        """What the withheld values are worth, in units of the currency, to six places."""
        if self.basis is None:
            return fractions.Fraction(0)
        return rounded(self.withheld * self.basis.sums[name] / self.basis.mapped, 6)

    def withheld_from(self, source):
        return self.withheld if self.source == source else fractions.Fraction(0)


def level_key(postback):
    """The level of a postback, without its currency."""
    line = postback.line
    campaign = line.campaign[-2:] if line.campaign_type == "source-identifier" else line.campaign
    return (line.environment, line.developer_copy, week_of(postback.answer.install_day), line.protocol,
            line.ad_network_id, line.campaign_type, campaign, line.advertised_app_id, postback.sequence_index)


def levels(world, minimum, first_day, last_day, app):
    """The levels by key (LEVEL), each with its model."""
    measured = Sums()
    for postback in world.folded:
        line, day = postback.line, postback.answer.install_day
        if not (postback.did_win and first_day <= day <= last_day and app in (None, line.advertised_app_id)):
            continue
        measured.add(level_key(postback) + (currency_of(postback),), **sums_of(postback))
    least = max(minimum, 2)
    small, everything = Sums(), Sums()
    # The mapped values of levels and of pools by currency, under their keys without it.
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
            mapped = beside.get(key[:-1]) or beside_in_pool.get(pool_of(key)[:-1])
            if mapped and made[key].withheld:
                share_withheld(key, made, mapped)
    for key, level in made.items():
        level.model(key[-1], Basis(small[pool_of(key)]), Basis(everything[pool_of(key)]), least)
    return made


def pool_of(key):
    """The key of the pool of a level: without network and campaign."""
    return tuple(value for name, value in zip(LEVEL, key) if name not in ("ad_network_id", "campaign"))


def share_withheld(key, made, mapped):
    """Shares the withheld values of no currency among the currencies of the mapped values beside them.

    `mapped` has the mapped values of the campaign by currency, or if there are none, those of the app.
    """
    withheld, made[key].withheld = made[key].withheld, fractions.Fraction(0)
    for currency, number in mapped.items():
        target = key[:-1] + (currency,)
        if target not in made:
            made[target] = Level(collections.defaultdict(int))
        made[target].withheld += withheld * number / sum(mapped.values())


def app_of(key):
    """The key of those who pay: environment, copy, app, window and currency."""
    return tuple(value for name, value in zip(LEVEL, key) if name in (
        "environment", "developer_copy", "advertised_app_id", "sequence_index", "currency"))


def payers(world, made, last_day):
    """Those who pay, by app_of. The newest scheme with the currency that began by the last day counts."""
    sums = Sums()
    for key, level in made.items():
        sums.add(app_of(key), **{name: level.figures[name] for name in MONEY + ("revenue_square",)})
    until = (last_day - datetime.date(1970, 1, 1)).days * 86_400_000_000 + 86_400_000_000
    found = {}
    for key, figures in sums.items():
        _, _, app, window, currency = key
        schemes = [scheme for scheme in world.schemes.get(app, [])
                   if scheme.currency and scheme.currency == currency and scheme.valid_from < until]
        found[key] = Payer(figures, schemes, window)
    return found


class Part:
    """Levels of a row that rest on the same mapped values; their withheld values are added first."""

    def __init__(self, levels):
        self.levels = levels
        self.source, self.basis = levels[0].source, levels[0].basis
        self.withheld = sum(level.withheld for level in levels)

    def moments(self):
        """The sums that are added over parts, and the ratio of withheld to mapped values."""
        w, n, amount = self.withheld, self.basis.mapped, self.basis.middle
        spread = 0
        if self.source != "campaign":
            spread = rounded(CAMPAIGN_SPREAD ** 2 * sum(level.withheld ** 2 for level in self.levels)
                             * amount ** 2 / n ** 2, 12)
        return {"estimate": sum(level.estimate("revenue_middle") for level in self.levels),
                "first": rounded(w * (w + n) * amount / n ** 2, 6),
                "second": rounded(w * (w + n) * self.basis.square / n ** 2, 12),
                "mean_square": rounded(w * (w + n) * amount ** 2 / n ** 3, 12), "more": spread}

    def has_end(self, payer, is_high):
        """Whether it says something of an end."""
        if self.basis is None or self.basis.mapped < LEAST_FOR_INTERVAL or not payer.is_known:
            return False
        if not is_high or self.basis.open == 0:
            return True
        return payer.open_from is not None and self.basis.open * payer.open_from <= self.basis.middle / 10


def parts_of(made):
    """The parts of levels with something withheld, and the variance that parts of one pool share.

    The mean of the whole app goes along with those of its campaigns that rest on themselves, whose values are part of it.
    """
    shared, parts, weighted = collections.defaultdict(list), [], collections.defaultdict(fractions.Fraction)
    for key, level in made:
        if level.withheld == 0:
            continue
        if level.source == "campaign":
            parts.append((key, Part([level])))
            weighted[pool_of(key)] += level.withheld * level.basis.variance
        else:
            shared[pool_of(key)].append((key, level))
    covariance = collections.defaultdict(fractions.Fraction)
    for pool, levels in shared.items():
        part = Part([level for _, level in levels])
        parts.append((levels[0][0], part))
        if part.source == "app":
            covariance[app_of(levels[0][0])] += rounded(2 * part.withheld * weighted[pool] / part.basis.mapped, 12)
    return parts, covariance


def gamma_quantile(mean, variance, further):
    """Wilson and Hilferty's quantile; `further` gives that of the standard normal distribution, by the shape."""
    mean, variance = float(mean), float(variance)
    if mean <= 0 or variance <= 0:
        return mean
    own_shape = mean * mean / variance
    shape = max(0.1, own_shape)
    root = max(0.0, 1 - 1 / (9 * shape) + further(own_shape) / (3 * math.sqrt(shape)))
    return variance / mean * shape * root * root * root


def as_numeric(number):
    """A double as PostgreSQL makes a numeric of it: 15 digits."""
    return fractions.Fraction(f"{number:.15g}")


def ends(made, payer_of, worth):
    """The low and the high end of what the withheld values of levels (key, level) are worth; None: unknown."""
    parts, covariance = parts_of(made)
    by_app = collections.defaultdict(list)
    for key, part in parts:
        by_app[app_of(key)].append(part)
    withheld = sum(part.withheld for _, part in parts)
    low_mean = low_variance = low_first = low_second = high_mean = high_variance = fractions.Fraction(0)
    extra = extra_variance = fractions.Fraction(0)
    without = {False: 0, True: 0}
    for app, of_app in by_app.items():
        payer = payer_of[app]
        for is_high in without:
            without[is_high] += sum(part.withheld for part in of_app if not part.has_end(payer, is_high))
        of_app = [part for part in of_app if part.basis is not None]
        if not payer.is_known or not of_app:
            continue
        sums = collections.defaultdict(fractions.Fraction)
        for part in of_app:
            for name, number in part.moments().items():
                sums[name] += number
        sums["more"] += covariance[app]
        ratio = max(rounded(part.withheld / part.basis.mapped, 9) for part in of_app)
        low, high, size = payer.low_share, payer.high_share, payer.size
        low_mean += low * sums["estimate"]
        low_variance += low ** 2 * (max(0, sums["second"] - sums["mean_square"]) + sums["more"])
        low_first += low * sums["first"]
        low_second += low ** 2 * sums["second"]
        high_mean += high * sums["estimate"]
        high_variance += high ** 2 * (
            max(0, max(sums["second"], size * sums["first"]) - sums["mean_square"]) + sums["more"])
        extra = max(extra, ratio * high * size)
        extra_variance = max(extra_variance, ratio * (1 + ratio) * high ** 2 * size ** 2)
    high_mean += extra / 4
    high_variance += extra_variance / 4
    low_end = high_end = None
    if without[False] <= withheld / 10:
        half = float(low_second) / float(2 * low_first) if low_variance > 0 and low_first else 0.0
        low_end = rounded(as_numeric(max(0.0, gamma_quantile(low_mean, low_variance, lambda shape: -1.96) - half))
                          * worth[0], 6)
    if without[True] <= withheld / 10:
        quantile = gamma_quantile(high_mean, high_variance,
                                  lambda shape: 1.96 + min(0.05 * shape, 2 / math.sqrt(shape)))
        high_end = rounded(as_numeric(max(float(high_mean), quantile)) * worth[1], 6)
    return low_end, high_end


def modelled_columns(made, payer_of, worth):
    """The columns that rows of levels and of sums share; `made` are pairs of key and level."""
    levels_ = [level for _, level in made]
    sums = {name: sum(level.figures[name] for level in levels_) for name in (
        "postbacks", "mapped", "withheld", "ambiguous", "revenue_open")}
    money = {name: units(sum(level.figures[name] for level in levels_)) for name in MONEY}
    estimates = {name: sum(level.estimate(name) for level in levels_) for name in MONEY}
    filled, missing = sum(level.withheld for level in levels_), sum(level.withheld_from("none") for level in levels_)
    is_measured = sums["mapped"] > 0
    low, high = (money["revenue_low"], money["revenue_high"]) if is_measured else (None, None)
    least = None
    if any(level.withheld for level in levels_):
        low_end, high_end = ends(made, payer_of, worth)
        low = None if low_end is None else money["revenue_low"] + min(estimates["revenue_low"], low_end)
        high = None if high_end is None else money["revenue_high"] + max(estimates["revenue_high"], high_end)
        least = min(payer_of[app_of(key)].payers for key, level in made if level.withheld)
    modelled = {name: money[name] + estimates[name] if is_measured or filled > missing else None for name in MONEY}
    if not is_measured:
        money = dict.fromkeys(MONEY)
    if any(level.figures["revenue_unknown"] for level in levels_):
        money["revenue_middle"] = modelled["revenue_middle"] = high = None
    return sums | money | {f"modelled_{name}": amount for name, amount in modelled.items()} | {
        "modelled_withheld": rounded(filled, 6), "modelled_missing": rounded(missing, 6),
        "modelled_interval_low": low, "modelled_interval_high": high, "modelled_payers": least}


def modelled_rows(first_day=FIRST_DAY, last_day=LAST_DAY, app=None, minimum=LEAST_MAPPED, worth=(1, 1)):
    def rows(world):
        made = levels(world, minimum, first_day, last_day, app)
        payer_of = payers(world, made, last_day)
        for key, level in made.items():
            yield dict(zip(LEVEL, key)) | modelled_columns([(key, level)], payer_of, worth) | {
                "currency": key[-1] or None, "modelled_from": level.source,
                "modelled_mapped": level.basis and level.basis.mapped,
                "modelled_below_minimum": level.withheld > 0 and level.figures["mapped"] < minimum}
    return rows


def modelled_sum_rows(by, first_day=FIRST_DAY, last_day=LAST_DAY, app=None, minimum=LEAST_MAPPED, worth=(1, 1)):
    """By app or by network: estimates are summed, and so is what the ends follow from. Ends are not."""
    names = ("environment", "developer_copy", by, "sequence_index", "currency")

    def rows(world):
        made = levels(world, minimum, first_day, last_day, app)
        payer_of = payers(world, made, last_day)
        groups = collections.defaultdict(list)
        for key, level in made.items():
            named = dict(zip(LEVEL, key))
            groups[tuple(named[name] for name in names)].append((key, level))
        for key, of_row in groups.items():
            yield dict(zip(names, key)) | modelled_columns(of_row, payer_of, worth) | {
                "currency": key[-1] or None,
                "modelled_from_app": rounded(sum(
                    level.withheld_from("app") + level.withheld_from("small_campaigns") for _, level in of_row), 6)}
    return rows


def cohort_rows(period, by_name, first_day=FIRST_DAY, last_day=LAST_DAY, app=None):
    """What each window brought, side by side, by campaign (as received, or mapped) and install day or week.

    Postbacks without a currency are in the row of the only currency of the campaign and its day or week, if it has one.
    """
    def rows(world):
        report = costs.Report(world, first_day, last_day, app, None, by_day=True)
        by_currency = Sums()
        for postback in report.postbacks(all) if by_name else world.folded:
            line, day = postback.line, postback.answer.install_day
            if postback.did_win and first_day <= day <= last_day and app in (None, line.advertised_app_id):
                figures = sums_of(postback)
                figures["no_scheme"] = figures["fine"] + figures["coarse"] - sum(
                    figures[name] for name in ("mapped", "unmapped", "ambiguous"))
                index = postback.sequence_index
                by_currency.add(
                    (report.place_of(postback, day) if by_name else line,
                     week_of(day) if period == "week" else day, currency_of(postback)),
                    **{f"{name}_{index}": figures[name] for name in costs.COUNTS},
                    **{f"revenue_{index}_{end}": figures[f"revenue_{end}"] for end in
                       costs.ENDS + ("open", "unknown")})
        currencies = collections.defaultdict(list)
        for campaign, day, currency in by_currency:
            if currency:
                currencies[campaign, day].append(currency)
        sums = Sums()
        for (campaign, day, currency), figures in by_currency.items():
            only = currencies[campaign, day][0] if len(currencies[campaign, day]) == 1 else None
            sums.add((campaign, day, currency or only), **figures)
        for (campaign, day, currency), figures in sums.items():
            row = campaign._asdict() | {period: day, "currency": currency}
            if by_name:
                row["campaign_name"] = report.name(campaign)
            last = min(day + datetime.timedelta(days=6 if period == "week" else 0), last_day)
            for index in costs.WINDOWS:
                row |= {f"{name}_{index}": figures[f"{name}_{index}"] for name in costs.COUNTS}
                row[f"revenue_{index}_open"] = figures[f"revenue_{index}_open"]
                # Without a mapped value, nobody knows the revenue.
                row |= {f"revenue_{index}_{end}": None for end in costs.ENDS}
                if figures[f"mapped_{index}"]:
                    row |= {f"revenue_{index}_{end}": units(figures[f"revenue_{index}_{end}"]) for end in ("low", "high")}
                    row[f"revenue_{index}_middle"] = units(middle_of(figures, f"_{index}"))
                row[f"complete_{index}"] = (report.is_complete(campaign, last, index) if by_name
                                            else is_complete(world, campaign, last, index))
            yield row
    return rows


def views(ranges):
    name = "attribution.report_modelled_revenue"
    yield from with_production(View(name + "_all", LEVEL, modelled_rows()))
    yield from calls(name, LEVEL, modelled_rows, ranges)
    yield View(name, LEVEL, modelled_rows(minimum=3), f"{name}('2000-01-01', '2099-12-31', NULL, 3, '[1,1]', {EVERYTHING})")
    yield View(name, LEVEL, modelled_rows(worth=(fractions.Fraction(1, 2), 2)),
               f"{name}('2000-01-01', '2099-12-31', NULL, attribution.least_mapped(), '[0.5,2]', {EVERYTHING})")
    for by, column in (("app", "advertised_app_id"), ("network", "ad_network_id")):
        key = ("environment", "developer_copy", column, "sequence_index", "currency")
        yield from with_production(View(f"{name}_by_{by}_all", key, modelled_sum_rows(column)))
        yield from calls(f"{name}_by_{by}", key, functools.partial(modelled_sum_rows, column), ranges)
        yield View(f"{name}_by_{by}", key, modelled_sum_rows(column, minimum=3),
                   f"{name}_by_{by}('2000-01-01', '2099-12-31', NULL, 3, {EVERYTHING})")
    for by_name, campaign, columns in ((False, "cohort", LINE), (True, "cohort_mapping", costs.Place._fields)):
        for suffix, period in (("", "week"), ("_daily", "day")):
            name, key = f"attribution.report_{campaign}{suffix}", columns + (period, "currency")
            yield from with_production(View(name + "_all", key, cohort_rows(period, by_name)))
            yield from calls(name, key, functools.partial(cohort_rows, period, by_name), ranges)
