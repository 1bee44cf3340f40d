"""The reports of answers (definitions/report_families.sql): families by both days, tiers, and the health of values."""

import collections
import datetime
import functools

from answers import complete_from, day_of, is_development
from bodies import Traits
from compare import View
from counts import APP, LINE, levels, with_production
from database import DAY, EVERYTHING, FIRST_DAY, LAST_DAY, sql_day
from figures import Sums, distinct, ratio
from mapping import NAMES, identifiers, network_name
from postback_answers import DAYS, currency_of, events_of, middle_of, source_of, sums_of, units

MONEY = ("revenue_low", "revenue_middle", "revenue_high")


def figures_of(postback):
    """The figures of one postback; money is in millionths."""
    sums = sums_of(postback)
    del sums["revenue_square"]
    is_conversion = postback.did_win and postback.sequence_index == 0
    has_tiers = postback.line.campaign_type == "source-identifier"
    return sums | dict(
        installs=is_conversion and postback.kind == "install",
        redownloads=is_conversion and postback.kind == "redownload",
        reengagements=is_conversion and postback.kind == "re-engagement",
        not_applicable=postback.answer.no_value_kind == "not_applicable",
        no_scheme=postback.answer.decoding == "no_scheme",
        tier_unsure=has_tiers and postback.answer.tier_low != postback.answer.tier_high)


def measurement_window(schemes, day):
    """For how many hours after an install of a day an app may set values up to SKAdNetwork 3.0; None: nobody knows.

    Values can be set by the scheme of the beginning of the day and by all later ones. There must be no time without one.
    """
    midnight = (day - datetime.date(1970, 1, 1)).days * 86_400_000_000
    later = [scheme for scheme in schemes if scheme.valid_to is None or scheme.valid_to > midnight]
    if not later or later[0].valid_from > midnight or later[-1].valid_to is not None:
        return None
    if any(scheme.valid_to != successor.valid_from for scheme, successor in zip(later, later[1:])):
        return None
    hours = [scheme.measurement_window_hours for scheme in later]
    return None if None in hours else max(hours)


def is_complete(world, line, day, sequence_index):
    """Whether no more postbacks of an install day and a window can arrive, but for late deliveries."""
    if day == LAST_DAY:
        return False
    has_windows = line.campaign_type == "source-identifier"
    limit = None
    if not has_windows:
        limit = measurement_window(world.schemes.get(line.advertised_app_id, []), day)
    return complete_from(day, has_windows, sequence_index, limit, is_development(line)) <= world.answers_up_to


def with_currency(postback):
    return {"currency": currency_of(postback) or None}


def by_campaign(world, postback, day):
    yield postback.line._asdict()


def by_source_identifier(world, postback, day):
    line = postback.line
    if line.campaign_type == "source-identifier":
        for level in levels(line.campaign):
            yield {name: value for name, value in line._asdict().items() if not name.startswith("campaign")} | {
                "digits": len(level), "source_identifier": level}


def by_traits(world, postback, day):
    yield postback.line._asdict() | postback.traits._asdict() | {"kind": postback.kind}


def by_source(world, postback, day):
    yield postback.line._asdict() | source_of(postback)


def of_app(postback):
    return {name: getattr(postback.line, name) for name in APP}


def by_version(world, postback, day):
    yield of_app(postback) | {"version": postback.traits.version}


def by_app_source(world, postback, day):
    yield of_app(postback) | source_of(postback)


def by_mapping(world, postback, day):
    """By the names of the mapping row; by the campaign itself if there is none."""
    line, row = postback.line, world.mapping.row(postback, day)
    yield {"environment": line.environment, "developer_copy": line.developer_copy,
           "network_name": network_name(line.ad_network_id), "advertised_app_id": line.advertised_app_id,
           "campaign_type": None if row else line.campaign_type, "campaign": None if row else line.campaign} | {
               name: getattr(row, name) if row else None for name in NAMES}


def folded(world, first_day, last_day):
    return world.folded


def folded_or_named(world, first_day, last_day):
    """The postbacks as they are folded; those of lines whose names need a country and a source app, as they are now.

    Nothing stored is split by both.
    """
    return as_folded(world, first_day, last_day, all)


def folded_or_named_events(world, first_day, last_day):
    """Likewise. No sum of events is split by country or source app."""
    return as_folded(world, first_day, last_day, any)


def as_folded(world, first_day, last_day, need_postbacks):
    lines = {postback.line for postback in world.postbacks}
    now = {line for line in lines if need_postbacks(world.mapping.split_by(line, first_day, last_day))}
    return ([postback for postback in world.folded if postback.line not in now]
            + [postback for postback in world.postbacks if postback.line in now])


def postback_parts(world, postback, keys, day):
    """The keys under which a postback counts, with its figures."""
    for key in keys(world, postback, day):
        yield key | {"sequence_index": postback.sequence_index, "did_win": postback.did_win} | with_currency(
            postback), figures_of(postback)


def event_parts(world, postback, keys, day):
    for key in keys(world, postback, day):
        for event, figures in events_of(postback):
            yield key | {"sequence_index": postback.sequence_index, "event": event} | with_currency(postback), figures


def family_rows(postbacks, keys, parts, day_of_what, first_day=FIRST_DAY, last_day=LAST_DAY, app=None, by_day=True):
    """The rows of a family, by day or over a range of days."""
    def rows(world):
        sums, complete = Sums(), {}
        for postback in postbacks(world, first_day, last_day):
            day = DAYS[day_of_what](postback)
            if not first_day <= day <= last_day or app not in (None, postback.line.advertised_app_id):
                continue
            for key, figures in parts(world, postback, keys, day):
                key = tuple((key | ({"day": day} if by_day else {})).items())
                sums.add(key, **figures)
                if day_of_what == "install":
                    # A row may have lines with and without windows; it is complete if all are.
                    complete.setdefault(key, {})[postback.line.campaign_type] = postback.line
        for key, figures in sums.items():
            key_columns = dict(key)
            # Each event is one of a mapped value. Without a mapped value nobody knows the revenue.
            is_known = figures["mapped"] > 0 if "mapped" in figures else True
            row = key_columns | figures | {name: units(figures[name]) if is_known else None for name in MONEY} | {
                "revenue_middle": units(middle_of(figures)) if is_known else None}
            del row["revenue_unknown"]
            if day_of_what == "install":
                row["complete"] = all(
                    is_complete(world, line, key_columns.get("day", last_day), key_columns["sequence_index"])
                    for line in complete[key].values())
            yield row
    return rows


def impression_rows(day_of_what, first_day=FIRST_DAY, last_day=LAST_DAY, app=None, by_day=True):
    """Impressions by the day of signing, beside the conversions of the day; in each level of an identifier."""
    def rows(world):
        sums = Sums()

        def add(line, day, **figures):
            if first_day <= day <= last_day and app in (None, line.advertised_app_id):
                for identifier in identifiers(line.campaign_type, line.campaign):
                    key = (line._replace(campaign=identifier), day if by_day else None)
                    sums.add(key, **figures)

        for postback in world.folded:
            if postback.did_win and postback.sequence_index == 0:
                kind = {"install": "installs", "redownload": "redownloads", "re-engagement": "reengagements"}
                add(postback.line, DAYS[day_of_what](postback), **{kind[postback.kind]: 1})
        for (line, day), impressions in world.impressions.items():
            add(line, day, impressions=impressions)
        for (line, day), figures in sums.items():
            conversions = figures["installs"] + figures["redownloads"] + figures["reengagements"]
            row = line._asdict() | {
                "digits": len(line.campaign) if line.campaign_type == "source-identifier" else None,
                "impressions": figures["impressions"], "installs": figures["installs"],
                "redownloads": figures["redownloads"], "reengagements": figures["reengagements"],
                "conversions_per_thousand": ratio(1000 * conversions, figures["impressions"])}
            if by_day:
                row["day"] = day
            if day_of_what == "install":
                row["complete"] = is_complete(world, line, day if by_day else last_day, 0)
            yield row
    return rows


VOLUMES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000]
TIERS = ("tier_0", "tier_1", "tier_2", "tier_3", "tier_unsure")


def tier_rows(first_day=FIRST_DAY, last_day=LAST_DAY, app=None):
    """Tiers of winning postbacks of the first window by campaign, that is two digits, and by its volume of a day."""
    def rows(world):
        daily, sums = Sums(), Sums()
        for postback in world.folded:
            line, day = postback.line, postback.answer.install_day
            if (postback.did_win and postback.sequence_index == 0 and line.campaign_type == "source-identifier"
                    and first_day <= day <= last_day and app in (None, line.advertised_app_id)):
                figures = figures_of(postback)
                daily.add((line._replace(campaign=line.campaign[-2:]), day), postbacks=1,
                          **{name: figures[name] for name in TIERS})
        for (line, _), figures in daily.items():
            low = max(volume for volume in VOLUMES if volume <= figures["postbacks"])
            sums.add((line, low), days=1, **figures)
        for (line, low), figures in sums.items():
            higher = [volume for volume in VOLUMES if volume > low]
            row = {name: value for name, value in line._asdict().items() if not name.startswith("campaign")}
            yield row | figures | {
                "source_identifier": line.campaign, "volume_low": low, "volume_high": higher[0] - 1 if higher else None
            } | {f"{name}_share": ratio(figures[name], figures["postbacks"]) for name in TIERS}
    return rows


HEALTH = ("postbacks", "fine", "coarse", "withheld", "not_set", "not_applicable", "mapped", "unmapped", "ambiguous",
          "no_scheme")


def health_rows(first_day=FIRST_DAY, last_day=LAST_DAY, app=None, by_day=True):
    """Whether the app sets values, and values that its scheme has: winning postbacks by the day of arrival."""
    def rows(world):
        sums = Sums()
        for postback in world.folded:
            line, day = postback.line, day_of(postback.received_at)
            if postback.did_win and first_day <= day <= last_day and app in (None, line.advertised_app_id):
                figures = figures_of(postback)
                key = {"environment": line.environment, "developer_copy": line.developer_copy,
                       "advertised_app_id": line.advertised_app_id, "protocol": line.protocol,
                       "version": postback.traits.version, "sequence_index": postback.sequence_index}
                sums.add(tuple((key | ({"day": day} if by_day else {})).items()),
                         **{name: figures[name] for name in HEALTH})
        for key, figures in sums.items():
            yield dict(key) | figures | {
                "not_set_share": ratio(figures["not_set"], figures["fine"] + figures["coarse"] + figures["not_set"]),
                "unmapped_share": ratio(figures["unmapped"], figures["mapped"] + figures["unmapped"])}
    return rows


def change_rows(first_day=None, last_day=None, app=None):
    """Shares of missing and meaningless values, beside those of as many days before; by default of the last seven."""
    def rows(world):
        last = last_day or day_of(world.now) - DAY
        first = first_day or last - 6 * DAY
        now = shares(world, first, last, app)
        before = {} if FIRST_DAY in (first, last) or LAST_DAY in (first, last) else shares(
            world, first - (last - first + DAY), first - DAY, app)
        for key in distinct([*now, *before]):
            row = dict(key)
            for suffix, found in (("", now.get(key)), ("_before", before.get(key))):
                row |= {f"postbacks{suffix}": found["postbacks"] if found else 0} | {
                    f"{name}_share{suffix}": found and found[f"{name}_share"]
                    for name in ("not_set", "unmapped", "no_scheme")}
            yield row
    return rows


def shares(world, first_day, last_day, app):
    by_key = {}
    for row in health_rows(first_day, last_day, app, by_day=False)(world):
        key = tuple((name, row[name]) for name in HEALTH_KEY)
        by_key[key] = row | {"no_scheme_share": ratio(row["no_scheme"], row["fine"] + row["coarse"])}
    return by_key


HEALTH_KEY = ("environment", "developer_copy", "advertised_app_id", "protocol", "version", "sequence_index")

_OF_POSTBACK = ("sequence_index", "did_win", "currency")
_COPY = ("environment", "developer_copy")

Family = collections.namedtuple("Family", "name key rows")

FAMILIES = [
    Family(name, key, functools.partial(
        family_rows, {"mapping": folded_or_named, "event_mapping": folded_or_named_events}.get(name, folded), keys, parts))
    for name, key, keys, parts in (
        ("campaign", LINE + _OF_POSTBACK, by_campaign, postback_parts),
        ("source_identifier", _COPY + ("protocol", "ad_network_id", "advertised_app_id", "digits", "source_identifier")
         + _OF_POSTBACK, by_source_identifier, postback_parts),
        ("traits", LINE + Traits._fields + ("kind",) + _OF_POSTBACK, by_traits, postback_parts),
        ("source", LINE + ("source_app_id", "source_domain") + _OF_POSTBACK, by_source, postback_parts),
        ("version", APP + ("version",) + _OF_POSTBACK, by_version, postback_parts),
        ("app_source", APP + ("source_app_id", "source_domain") + _OF_POSTBACK, by_app_source, postback_parts),
        ("mapping", _COPY + ("network_name", "advertised_app_id", "campaign_type", "campaign") + NAMES + _OF_POSTBACK,
         by_mapping, postback_parts),
        ("event", LINE + ("sequence_index", "currency", "event"), by_campaign, event_parts),
        ("event_mapping", _COPY + ("network_name", "advertised_app_id", "campaign_type", "campaign") + NAMES
         + ("sequence_index", "currency", "event"), by_mapping, event_parts))
] + [Family("impression", LINE + ("digits",), impression_rows)]


def calls(name, key, rows, ranges):
    """A function for some ranges of days, for all apps and for one."""
    for first_day, last_day, app in ranges:
        argument = "" if app is None else f", {app}"
        yield View(name, key, rows(first_day=first_day, last_day=last_day, app=app),
                   f"{name}({sql_day(first_day)}, {sql_day(last_day)}{argument}, {EVERYTHING})")


def views(ranges):
    for day_of_what in DAYS:
        for family in FAMILIES:
            name = f"attribution.report_{day_of_what}_{family.name}"
            yield from with_production(View(name + "_daily_all", family.key + ("day",), family.rows(day_of_what)))
            yield from calls(name, family.key, functools.partial(family.rows, day_of_what, by_day=False), ranges)
    tier_key = _COPY + ("protocol", "ad_network_id", "advertised_app_id", "source_identifier", "volume_low")
    yield from with_production(View("attribution.report_tier_all", tier_key, tier_rows()))
    yield from calls("attribution.report_tier", tier_key, tier_rows, ranges)
    yield from with_production(
        View("attribution.report_value_health_daily_all", HEALTH_KEY + ("day",), health_rows()))
    yield from calls("attribution.report_value_health", HEALTH_KEY,
                     functools.partial(health_rows, by_day=False), ranges)
    yield from with_production(View("attribution.report_value_change_weekly_all", HEALTH_KEY, change_rows()))
    yield from calls("attribution.report_value_change", HEALTH_KEY, change_rows, ranges)
