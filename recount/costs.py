"""Reports of cost (definitions/costs.sql): cost beside installs, revenue and events, by mapped campaign."""

import collections
import fractions
import functools

from answers import complete_from, day_of, is_development
from answer_reports import measurement_window
from compare import View
from counts import with_production
from database import EVERYTHING, FIRST_DAY, LAST_DAY, day_after, day_before, sql_day
from figures import Sums, distinct, rounded_conversion
from mapping import network_name
from postback_answers import currency_of, events_of, sums_of

ENDS = ("low", "middle", "high")
WINDOWS = (0, 1, 2)

# What the winning postbacks of a window are, and what they have in place of a value with a meaning.
COUNTS = ("postbacks", "mapped", "withheld", "not_set", "unmapped", "ambiguous", "no_scheme")

# A campaign of a report of cost. `campaign_id` is None for postbacks that the mapping does not name.
Place = collections.namedtuple("Place", "environment developer_copy network_name advertised_app_id campaign_id")


def per(amount, number):
    """An amount divided by a number, to six places; None if one of them is not known, or the number is 0."""
    if amount is None or not number:
        return None
    return rounded_conversion(fractions.Fraction(amount) / fractions.Fraction(number))


def place_of(line, row):
    """The campaign of a line under a row of the mapping; without a row, that of postbacks without a name."""
    return Place(line.environment, line.developer_copy, network_name(line.ad_network_id), line.advertised_app_id,
                 row and row.campaign_id)


class Report:
    """What a report of cost rests on: a range of days, an app, and a currency that was asked for (or None)."""

    def __init__(self, world, first_day, last_day, app, currency, by_day):
        self.world, self.first_day, self.last_day, self.app, self.by_day = world, first_day, last_day, app, by_day
        self.asked_currency = currency
        self.spend = [spend for spend in world.spend
                      if first_day <= spend.day <= last_day and app in (None, spend.advertised_app_id)]
        self.lines = [line for line in world.lines if app in (None, line.advertised_app_id)]
        self.first_named, self.last_named = day_before(first_day), day_after(last_day)
        # Of each campaign, the lines that it has on some day of the range or a day around it.
        self.lines_of = collections.defaultdict(set)
        for line in self.lines:
            for row in {None} | world.mapping.rows(line, self.first_named, self.last_named):
                self.lines_of[place_of(line, row)].add(line)
        self._names = {}

    @functools.cached_property
    def currency(self):
        """The currency of the report: that which was asked for, that of most rows of spend, or of the newest scheme."""
        if self.asked_currency is not None:
            return self.asked_currency
        counts = collections.Counter(spend.currency for spend in self.spend)
        if counts:
            return min(counts, key=lambda currency: (-counts[currency], currency))
        newest = [(-scheme.valid_from, scheme.currency) for app, schemes in self.world.schemes.items()
                  if self.app in (None, app) for scheme in schemes if scheme.currency is not None]
        return min(newest)[1] if newest else None

    def postbacks(self, need_postbacks):
        """The postbacks as they are folded; those of lines whose names need more than is stored, as they are now."""
        now = {line for line in self.lines
               if need_postbacks(self.world.mapping.split_by(line, self.first_named, self.last_named))}
        return ([postback for postback in self.world.folded if postback.line not in now]
                + [postback for postback in self.world.postbacks if postback.line in now])

    def place_of(self, postback, day):
        return place_of(postback.line, self.world.mapping.row(postback, day))

    def detail(self, postback):
        """What the sums of a line are split by, for the sake of the mapping."""
        by_country, by_source = self.world.mapping.split_by(postback.line, self.first_named, self.last_named)
        return by_country and postback.traits, by_source and postback.source_app

    def key_day(self, day):
        return day if self.by_day else None

    def costs(self):
        """The cost of each network's campaign, by day if the report is: {(network, app, campaign, day): figures}."""
        rows = collections.defaultdict(list)
        for spend in self.spend:
            rows[spend.network_name, spend.advertised_app_id, spend.campaign_id, self.key_day(spend.day)].append(spend)
        for key, of_campaign in rows.items():
            amounts = [self.world.rates.converted(spend.spend, spend.currency, self.currency, spend.day)
                       for spend in of_campaign]
            yield key, {
                "cost": None if None in amounts else sum(amounts),
                "cost_without_rate": amounts.count(None),
                "network_impressions": total(spend.impressions for spend in of_campaign),
                "network_clicks": total(spend.clicks for spend in of_campaign),
                "network_installs": total(spend.installs for spend in of_campaign)}

    def is_complete(self, place, day, index):
        """Whether all postbacks of a window have arrived, of all versions that the campaign's lines have.

        A campaign without a line is taken to have windows, as most have.
        """
        last = day if self.by_day else min(self.last_day, day_of(self.world.now))
        limit = measurement_window(self.world.schemes.get(place.advertised_app_id, []), last)
        kinds = {line.campaign_type == "source-identifier" for line in self.lines_of[place]} or {True}
        return all(complete_from(last, has_windows, index, limit, is_development(place)) <= self.world.answers_up_to
                   for has_windows in kinds)

    def name(self, place):
        key = place.network_name, place.advertised_app_id, place.campaign_id
        if key not in self._names:
            self._names[key] = place.campaign_id and self.world.mapping.campaign_name(
                *key, self.first_named, self.last_named)
        return self._names[key]

    def sides(self, app):
        """Where the cost of an app stands: each environment in which the app has lines, and production."""
        return {(line.environment, line.developer_copy) for line in self.world.lines
                if line.advertised_app_id == app} | {("production", False)}


def total(numbers):
    """The sum of the numbers that are known; None if none is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def answers_by_place(report):
    """Installs and revenue of each campaign. Without days, installs of a day more at both ends are counted too."""
    sums, without_rate = Sums(), Sums()
    first, last = report.first_day, report.last_day
    if not report.by_day:
        first, last = day_before(first), day_after(last)
    for postback in report.postbacks(all):
        line, day = postback.line, postback.answer.install_day
        if not (postback.did_win and report.app in (None, line.advertised_app_id)
                and first <= day <= last):
            continue
        place = report.place_of(postback, day)
        is_first = postback.sequence_index == 0
        figures = {"installs_around": is_first and postback.kind == "install"}
        if report.first_day <= day <= report.last_day:
            figures["installs_inside"] = figures["installs_around"] and report.first_day < day < report.last_day
            for name, kind in (("installs", "install"), ("redownloads", "redownload"),
                               ("reengagements", "re-engagement")):
                figures[name] = is_first and postback.kind == kind
            values, index = sums_of(postback), postback.sequence_index
            values["no_scheme"] = values["fine"] + values["coarse"] - sum(
                values[name] for name in ("mapped", "unmapped", "ambiguous"))
            figures |= {f"{name}_{index}": values[name] for name in COUNTS}
            if postback.answer.meaning is not None:
                figures["revenue_open"] = values["revenue_open"]
                figures[f"unknown_{index}"] = values["revenue_unknown"]
                rate = rate_of(report, postback, day)
                if rate is None:
                    without_rate.add((place, day, line, report.detail(postback), index, currency_of(postback)),
                                     values=1, revenue_high=values["revenue_high"])
                else:
                    figures |= {f"revenue_{index}_{end}": values[f"revenue_{end}"] * rate for end in ENDS}
        sums.add((place, report.key_day(day)), **figures)
    # Nothing needs no rate. So values count if those of their line, day, window and currency have revenue together.
    # Lines whose names depend on a country or a source app are split by them.
    for (place, day, _, _, index, _), figures in without_rate.items():
        if figures["revenue_high"] > 0:
            sums.add((place, report.key_day(day)), **{f"without_rate_{index}": figures["values"]})
    return sums


def rate_of(report, postback, day):
    """How many units of the report's currency one unit of a value's is; None if a rate is missing."""
    own, target = currency_of(postback), report.currency
    # A scheme without a currency has no amounts.
    return 1 if own in ("", target) else target and report.world.rates.converted(1, own, target, day)


def cost_rows(by_day, first_day=FIRST_DAY, last_day=LAST_DAY, app=None, currency=None):
    def rows(world):
        report = Report(world, first_day, last_day, app, currency, by_day)
        answers = answers_by_place(report)
        costs = {(Place(*side, network, an_app, campaign), day): figures
                 for (network, an_app, campaign, day), figures in report.costs() for side in report.sides(an_app)}
        nothing = collections.defaultdict(int)
        for place, day in distinct([*answers, *costs]):
            answer, cost = answers.get((place, day), nothing), costs.get((place, day))
            row = cost_row(report, place, day, answer, cost)
            if cost is not None or any(row[f"postbacks_{index}"] > 0 for index in WINDOWS):
                yield row
    return rows


def cost_row(report, place, day, answer, cost):
    spend = cost or {"cost": None, "cost_without_rate": 0, "network_impressions": None, "network_clicks": None, "network_installs": None}
    amount = spend["cost"]
    row = place._asdict() | spend | {
        "campaign_name": report.name(place), "currency": report.currency,
        "cost": None if amount is None else rounded_conversion(amount),
        "installs": answer["installs"], "redownloads": answer["redownloads"],
        "reengagements": answer["reengagements"], "revenue_open": answer["revenue_open"],
        "revenue_without_rate": sum(answer[f"without_rate_{index}"] for index in WINDOWS),
        "cost_per_install": per(amount, answer["installs"]),
        "cost_per_install_or_engagement": per(amount, answer["installs"] + answer["reengagements"]),
        "cost_per_conversion": per(amount, answer["installs"] + answer["redownloads"] + answer["reengagements"]),
        "installs_complete": report.is_complete(place, day, 0),
        "revenue_complete": report.is_complete(place, day, 2)}
    if report.by_day:
        row["day"] = day
    else:
        row |= {"installs_low": answer["installs_inside"], "installs_high": answer["installs_around"],
                "cost_per_install_low": per(amount, answer["installs_around"]),
                "cost_per_install_high": per(amount, answer["installs_inside"])}
    row |= {f"{name}_{index}": answer[f"{name}_{index}"] for name in COUNTS for index in WINDOWS}
    for end in ENDS:
        # A window without a mapped value brings nothing to the sum of all, but its own revenue is not known.
        amounts = [None if answer[f"without_rate_{index}"] or end == "middle" and answer[f"unknown_{index}"] else
                   fractions.Fraction(answer[f"revenue_{index}_{end}"]) / 1_000_000 for index in WINDOWS]
        of_window = [amounts[index] if answer[f"mapped_{index}"] else None for index in WINDOWS]
        total_amount = None if None in amounts or not any(answer[f"mapped_{index}"] for index in WINDOWS) else sum(amounts)
        for index in WINDOWS:
            row[f"revenue_{index}_{end}"] = None if of_window[index] is None else rounded_conversion(of_window[index])
        row[f"revenue_{end}"] = None if total_amount is None else rounded_conversion(total_amount)
        row |= {f"roas_{index}_{end}": per(of_window[index], amount) for index in WINDOWS}
        row[f"roas_{end}"] = per(total_amount, amount)
    return row


def event_rows(by_day, first_day=FIRST_DAY, last_day=LAST_DAY, app=None, currency=None):
    """The cost of a campaign beside each of its events: it is not divided among them."""
    def rows(world):
        report = Report(world, first_day, last_day, app, currency, by_day)
        costs = dict(report.costs())
        sums = Sums()
        for postback in report.postbacks(any):
            line, day = postback.line, postback.answer.install_day
            if first_day <= day <= last_day and app in (None, line.advertised_app_id):
                for event, figures in events_of(postback):
                    sums.add((report.place_of(postback, day), report.key_day(day), postback.sequence_index, event),
                             **{name: figures[name] for name in (
                                 "postbacks", "possible", "count_low", "count_high", "count_open")})
        for (place, day, index, event), figures in sums.items():
            cost = costs.get((place.network_name, place.advertised_app_id, place.campaign_id, day), {})
            amount = cost.get("cost")
            certain, possible = figures["postbacks"], figures["possible"]
            low, high = figures["count_low"], figures["count_high"]
            row = place._asdict() | figures | {
                "campaign_name": report.name(place), "sequence_index": index, "event": event,
                "currency": report.currency,
                "cost": None if amount is None else rounded_conversion(amount),
                "cost_without_rate": cost.get("cost_without_rate", 0),
                "cost_per_postback_low": per(amount, certain + possible),
                "cost_per_postback_middle": per(amount, certain + fractions.Fraction(possible, 2)),
                "cost_per_postback_high": per(amount, certain),
                "cost_per_event_low": None if figures["count_open"] else per(amount, high),
                "cost_per_event_middle": per(amount, fractions.Fraction(low + high, 2)),
                "cost_per_event_high": per(amount, low),
                "complete": report.is_complete(place, day, index)}
            yield row | ({"day": day} if by_day else {})
    return rows


def calls(name, key, rows, ranges):
    for first_day, last_day, app, currency in ranges:
        arguments = [sql_day(first_day), sql_day(last_day), "NULL" if app is None else str(app)] + (
            [] if currency is None else [f"'{currency}'"]) + [EVERYTHING]
        yield View(name, key, rows(first_day=first_day, last_day=last_day, app=app, currency=currency),
                   f"{name}({', '.join(arguments)})")


def views(ranges):
    days = [(*of_range, None) for of_range in ranges]
    days += [(*ranges[0], "EUR"), (*ranges[1], "JPY")]
    for name, key, rows in (("report_cost", Place._fields, cost_rows),
                            ("report_event_cost", Place._fields + ("sequence_index", "event"), event_rows)):
        for suffix, by_day in (("", False), ("_daily", True)):
            full_key = key + (("day",) if by_day else ())
            view = f"attribution.{name}{suffix}"
            yield from with_production(View(view + "_all", full_key, rows(by_day)))
            yield from calls(view, full_key, functools.partial(rows, by_day), days)
