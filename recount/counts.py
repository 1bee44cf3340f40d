"""The reports of counts (definitions/figures.sql, definitions/reports.sql), by the rules of docs/sql.md."""

import fractions

from answers import certain_scheme, day_of
from bodies import COARSE, Line
from compare import View
from database import EVERYTHING, sql_day
from figures import Sums, ratio

LINE = Line._fields
# The columns of a line that are those of all campaigns of a network for an app.
APP = tuple(name for name in LINE if name != "campaign")


def is_production(row):
    return row["environment"] == "production" and not row["developer_copy"]


def with_production(view):
    """A view whose name ends in _all, and the one without, which shows production without developer copies."""
    hidden = ("environment", "developer_copy")

    def rows(world):
        for row in view.rows(world):
            if is_production(row):
                yield {name: value for name, value in row.items() if name not in hidden}

    key = tuple(name for name in view.key if name not in hidden)
    return [view, View(view.name.removesuffix("_all"), key, rows, leaves_out_zeros=view.leaves_out_zeros)]


def first_window(postback):
    """The figures of a postback by campaign. Values are those of winning postbacks of the first window."""
    is_install = postback.did_win and postback.sequence_index == 0
    return dict(
        installs=is_install and postback.kind == "install",
        redownloads=is_install and postback.kind == "redownload",
        reengagements=is_install and postback.kind == "re-engagement",
        assists=not postback.did_win,
        fine=is_install and postback.is_fine,
        coarse=is_install and postback.is_coarse,
        no_value=is_install and postback.value is None,
        value_sum=postback.value if is_install and postback.is_fine else 0,
        raised=postback.value != postback.first_value,
        conflicts=postback.conflicts,
        later_windows=postback.sequence_index > 0)


CAMPAIGN_FIGURES = ("installs", "redownloads", "reengagements", "assists", "fine", "coarse", "no_value",
                    "raised", "conflicts", "later_windows")


def campaign_row(sums):
    return {name: sums[name] for name in CAMPAIGN_FIGURES} | {
        "value_average": ratio(sums["value_sum"], sums["fine"])}


def arrival_day(postback):
    return day_of(postback.received_at)


def campaign_daily(world):
    sums = Sums()
    for postback in world.postbacks:
        sums.add((postback.line, arrival_day(postback)), **first_window(postback))
    for key, impressions in world.impressions.items():
        sums.add(key, impressions=impressions)
    return sums


def campaign_daily_rows(world):
    for (line, day), figures in campaign_daily(world).items():
        yield line._asdict() | {"day": day, "impressions": figures["impressions"]} | campaign_row(figures)


def campaign_rows(world):
    sums, days = Sums(), {}
    for (line, day), figures in campaign_daily(world).items():
        sums.add(line, **figures)
        days.setdefault(line, []).append(day)
    for line, figures in sums.items():
        yield line._asdict() | {"impressions": figures["impressions"], "first_seen": min(days[line]),
                                "last_seen": max(days[line])} | campaign_row(figures)


def source_app_daily_rows(world):
    sums = Sums()
    for postback in world.postbacks:
        sums.add((postback.line, arrival_day(postback), postback.source_app), **first_window(postback))
    for (line, day, source_app), figures in sums.items():
        yield line._asdict() | {"day": day, "source_app": source_app} | campaign_row(figures)


def value_columns(value):
    return {"conversion_value": value if isinstance(value, int) else None,
            "coarse_value": value if isinstance(value, str) else None}


def conversion_value_rows(world, first_day=None, last_day=None):
    """By day; or, of a range of days, the sums over it."""
    sums = Sums()
    for postback in world.postbacks:
        day = arrival_day(postback)
        if first_day is None or first_day <= day <= last_day:
            sums.add((postback.line, day if first_day is None else None, postback.sequence_index, postback.value),
                     postbacks=1)
    for (line, day, index, value), figures in sums.items():
        days = (day, day) if first_day is None else (first_day, last_day)
        yield line._asdict() | ({"day": day} if first_day is None else {}) | {
            "sequence_index": index, "postbacks": figures["postbacks"]} | value_columns(value) | meaning_columns(
                world, line, index, value, days)


def meaning_columns(world, line, index, value, days):
    """What a value means, if it means the same on all of these days."""
    scheme = certain_scheme(world.schemes.get(line.advertised_app_id, []), line, index, *days)
    meaning = scheme and scheme.meanings.get((index, value))
    return {"events": meaning and ", ".join(sorted(event.name for event in meaning.events if event.count_low > 0)),
            "possible_events": meaning and ", ".join(
                sorted(event.name for event in meaning.events if event.count_low == 0)),
            "revenue_low": meaning and fractions.Fraction(meaning.revenue_low, 1_000_000),
            "revenue_high": None if meaning is None or meaning.revenue_high is None else
                            fractions.Fraction(meaning.revenue_high, 1_000_000),
            "currency": meaning and scheme.currency}


def levels(campaign):
    """The last two, three and four digits of a source identifier, as far as it has so many; one digit is one level."""
    return [campaign[-digits:] for digits in range(min(len(campaign), 2), len(campaign) + 1)]


def any_window(postback):
    """The figures of a postback by window: values are those of its winning postbacks."""
    figures = first_window(postback)
    won = postback.did_win
    digits = len(postback.line.campaign)
    return dict(
        postbacks=won, installs=figures["installs"], redownloads=figures["redownloads"],
        reengagements=figures["reengagements"], assists=figures["assists"],
        fine=won and postback.is_fine, coarse=won and postback.is_coarse,
        no_value=won and postback.value is None, value_sum=postback.value if won and postback.is_fine else 0,
        **{f"coarse_{value}": won and postback.value == value for value in COARSE},
        **{f"digits_{number}": won and digits == number for number in (2, 3, 4)})


WINDOW_FIGURES = ("postbacks", "installs", "redownloads", "reengagements", "assists", "fine", "coarse",
                  "no_value", "coarse_low", "coarse_medium", "coarse_high")


def source_identifier_rows(world, by_day, first_day=None, last_day=None):
    sums, seen = Sums(), {}
    for postback in world.postbacks:
        line, day = postback.line, arrival_day(postback)
        if line.campaign_type != "source-identifier" or (first_day and not first_day <= day <= last_day):
            continue
        for level in levels(line.campaign):
            key = (line._replace(campaign_type=None, campaign=level), day if by_day else None, postback.sequence_index)
            sums.add(key, **any_window(postback))
            seen.setdefault(key, []).append(day)
    for key, figures in sums.items():
        line, day, index = key
        row = {name: value for name, value in line._asdict().items() if not name.startswith("campaign")} | {
            "digits": len(line.campaign), "source_identifier": line.campaign, "sequence_index": index,
            "value_average": ratio(figures["value_sum"], figures["fine"])}
        row |= {name: figures[name] for name in WINDOW_FIGURES}
        row |= {f"share_{number}_digits": ratio(figures[f"digits_{number}"], figures["postbacks"])
                for number in (2, 3, 4)}
        yield row | ({"day": day} if by_day else {"first_seen": min(seen[key]), "last_seen": max(seen[key])})


IDENTIFIER = ("environment", "developer_copy", "protocol", "ad_network_id", "advertised_app_id", "digits",
              "source_identifier", "sequence_index")
VALUE = ("sequence_index", "conversion_value", "coarse_value")


def views(ranges):
    """The views, and the functions for these ranges of days."""
    whole = [
        View("attribution.report_campaign_daily_all", LINE + ("day",), campaign_daily_rows),
        View("attribution.report_campaign_all", LINE, campaign_rows),
        View("attribution.report_source_app_daily_all", LINE + ("day", "source_app"), source_app_daily_rows),
        View("attribution.report_conversion_value_daily_all", LINE + ("day",) + VALUE, conversion_value_rows),
        View("attribution.report_source_identifier_daily_all", IDENTIFIER + ("day",),
             lambda world: source_identifier_rows(world, True)),
        View("attribution.report_source_identifier_all", IDENTIFIER,
             lambda world: source_identifier_rows(world, False)),
    ]
    for view in whole:
        yield from with_production(view)
    for first, last in dict.fromkeys((first, last) for first, last, _ in ranges):
        yield View("attribution.report_conversion_value", LINE + VALUE,
                   lambda world, first=first, last=last: conversion_value_rows(world, first, last),
                   f"attribution.report_conversion_value({sql_day(first)}, {sql_day(last)}, {EVERYTHING})")
        yield View("attribution.report_source_identifier", IDENTIFIER,
                   lambda world, first=first, last=last: source_identifier_rows(world, False, first, last),
                   f"attribution.report_source_identifier({sql_day(first)}, {sql_day(last)}, {EVERYTHING})")
