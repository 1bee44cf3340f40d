"""The view `postback_answer` (definitions/answers.sql) and the sums of definitions/answer_folding.sql."""

import fractions

from answers import complete_from, day_of, is_development
from bodies import Traits
from compare import View
from counts import APP, LINE
from figures import Sums
from schemes import middle

# Values as one number.
NUMBERS = {None: -1, "low": 101, "medium": 102, "high": 103}


def units(amount):
    """An amount in millionths in units of the currency."""
    return None if amount is None else fractions.Fraction(amount, 1_000_000)


def is_complete(postback, now):
    answer = postback.answer
    return complete_from(answer.install_day, postback.has_windows, postback.sequence_index,
                         answer.measurement_window_hours, is_development(postback.line)) <= now


def postback_answer_rows(world):
    for postback in world.postbacks:
        answer, meaning = postback.answer, postback.answer.meaning
        yield {
            "environment": postback.line.environment, "protocol": postback.line.protocol,
            "ad_network_id": postback.line.ad_network_id, "transaction_id": postback.transaction_id,
            "sequence_index": postback.sequence_index, "did_win": postback.did_win,
            "received_at": postback.received_at, "value": NUMBERS.get(postback.value, postback.value),
            "tier_low": answer.tier_low, "tier_high": answer.tier_high, "no_value_kind": answer.no_value_kind,
            "scheme_valid_from": answer.scheme and answer.scheme.valid_from, "decoding": answer.decoding,
            "events": meaning and tuple(sorted(event.name for event in meaning.events if event.count_low > 0)),
            "possible_events": meaning and tuple(sorted(event.name for event in meaning.events if event.count_low == 0)),
            "revenue_low": meaning and units(meaning.revenue_low),
            "revenue_middle": meaning and units(meaning.revenue_middle),
            "revenue_high": meaning and units(meaning.revenue_high),
            "currency": answer.scheme and answer.scheme.currency,
            "day_of": "engagement" if postback.kind == "re-engagement" else "install",
            "may_have_locked": answer.may_have_locked, "install_low": answer.install_low,
            "install_at": answer.install_at, "install_high": answer.install_high, "install_day": answer.install_day,
            "complete": is_complete(postback, world.now),
        }


def sums_of(postback):
    """The figures of one postback in `answer_daily` and `answer_split_daily`."""
    answer, meaning = postback.answer, postback.answer.meaning
    figures = dict(
        postbacks=1, redownloads=postback.kind == "redownload", reengagements=postback.kind == "re-engagement",
        fine=postback.is_fine, coarse=postback.is_coarse,
        withheld=answer.no_value_kind == "withheld", not_set=answer.no_value_kind == "not_set",
        mapped=answer.decoding == "mapped", unmapped=answer.decoding == "unmapped",
        ambiguous=answer.decoding == "ambiguous",
        **{f"tier_{tier}": answer.tier_low == answer.tier_high == tier for tier in range(4)})
    return figures | revenue_of(meaning)


def revenue_of(meaning):
    """The revenue of a mapped value in millionths; a range without an upper end counts with its low one.

    A value without a middle is counted in its place.
    """
    if meaning is None:
        return dict(revenue_low=0, revenue_middle=0, revenue_high=0, revenue_open=0, revenue_unknown=0, revenue_square=0)
    low, between, high = meaning.revenue_low, meaning.revenue_middle, meaning.revenue_high
    return dict(revenue_low=low, revenue_middle=between or 0, revenue_high=low if high is None else high,
                revenue_open=high is None, revenue_unknown=between is None, revenue_square=(between or 0) ** 2)


def middle_of(figures, window=""):
    """The sum of the middles among the figures, or of those of a window (`_0`); None if one of them has none."""
    return None if figures[f"revenue{window}_unknown"] else figures[f"revenue{window}_middle"]


def currency_of(postback):
    """The currency of the scheme in force; empty if there is none."""
    scheme = postback.answer.scheme
    return scheme.currency or "" if scheme else ""


DAYS = {"arrival": lambda postback: day_of(postback.received_at), "install": lambda postback: postback.answer.install_day}
def source_of(postback):
    return {"source_app_id": postback.source_app_id, "source_domain": postback.source_domain}


SPLITS = {
    "campaign": lambda postback: {},
    "traits": lambda postback: postback.traits._asdict(),
    "source": source_of,
    "version": lambda postback: {"version": postback.traits.version},
    "app_source": source_of,
}


def columns_of_line(split):
    """Some sums are those of all campaigns of an app."""
    return APP if split in ("version", "app_source") else LINE


def sum_rows(split, days):
    """The rows of a table of sums, under the texts that its numbers of dimensions stand for.

    `days` are its columns of days, each with the kind of day.
    """
    def rows(world):
        sums = Sums()
        for postback in world.folded:
            traits = SPLITS[split](postback)
            # The others are all less these.
            if split in ("source", "app_source") and all(name is None for name in traits.values()):
                continue
            line = tuple((name, getattr(postback.line, name)) for name in columns_of_line(split))
            of_days = tuple((name, DAYS[day_of_what](postback)) for name, day_of_what in days.items())
            key = (line, of_days, postback.sequence_index, postback.did_win, currency_of(postback),
                   tuple(traits.items()))
            sums.add(key, **sums_of(postback))
        for (line, of_days, index, did_win, currency, traits), figures in sums.items():
            square = figures.pop("revenue_square")
            if split in ("campaign", "version"):
                figures["revenue_square"] = fractions.Fraction(square, 10 ** 12)
            yield dict(line) | dict(of_days) | dict(traits) | {
                "sequence_index": index, "did_win": did_win, "currency": currency} | figures
    return rows


def events_of(postback):
    """The figures of each event of one postback in `answer_event_daily`."""
    for event in postback.answer.meaning.events if postback.answer.meaning else []:
        low, high = event.revenue_low, event.revenue_high
        between = middle(low, high)
        yield event.name, dict(
            postbacks=event.count_low > 0, possible=event.count_low == 0, count_low=event.count_low,
            count_high=event.count_low if event.count_high is None else event.count_high,
            count_open=event.count_high is None, revenue_low=low, revenue_middle=between or 0,
            revenue_high=low if high is None else high, revenue_open=high is None, revenue_unknown=between is None)


def answer_event_daily_rows(day_of_what):
    def rows(world):
        sums = Sums()
        for postback in world.folded:
            for event, figures in events_of(postback):
                sums.add((postback.line, DAYS[day_of_what](postback), postback.sequence_index, currency_of(postback),
                          event), **figures)
        for (line, day, index, currency, event), figures in sums.items():
            yield line._asdict() | {"day": day, "sequence_index": index, "currency": currency, "event": event} | figures
    return rows


# The tables hold numbers of dimensions, and NULL for 0. These statements put texts and 0 in their place, and nothing else.
# Traits differ also by the signing key and by what a relay changed, which are not in a body; hence the sums.
_SUMS = ("postbacks redownloads reengagements fine coarse withheld not_set mapped unmapped ambiguous tier_0 tier_1 "
         "tier_2 tier_3 revenue_low revenue_middle revenue_high revenue_open revenue_unknown").split()
_EVENT_SUMS = ("postbacks possible count_low count_high count_open revenue_low revenue_middle revenue_high "
               "revenue_open revenue_unknown").split()
_SOURCE = """LEFT JOIN attribution.source ON source = split_number
                 CROSS JOIN attribution.source_app_id(split_number) AS source_app_id"""


def _named(table, columns, sums, dimension=""):
    figures = [f"coalesce(sum({name}), 0){'' if name == 'revenue_square' else '::bigint'} AS {name}" for name in sums]
    return f"""(SELECT {', '.join(columns)}, {', '.join(figures)}
                  FROM attribution.{table}
                  JOIN attribution.line USING (line) {dimension}
                 GROUP BY {', '.join(columns)}) AS named"""


def views(_):
    yield View("attribution.postback_answer",
               ("environment", "protocol", "ad_network_id", "transaction_id", "sequence_index", "did_win"),
               postback_answer_rows,
               """(SELECT answer.*, environment, protocol, ad_network_id
                     FROM attribution.postback_answer AS answer
                     JOIN attribution.network USING (network)) AS named""",
               ignored={name: "the number of a dimension" for name in ("lane", "network", "line", "source", "traits")})
    key = ["sequence_index", "did_win", "currency"]
    sources = ["source_app_id", "source_domain"]
    for split, columns, dimension in (
            ("traits", list(Traits._fields), "JOIN attribution.traits ON traits = split_number"),
            ("source", sources, _SOURCE),
            ("app_source", sources, _SOURCE)):
        days = {"install_day": "install", "arrival_day": "arrival"}
        names = list(columns_of_line(split)) + list(days) + key + columns
        yield View(f"attribution.answer_{split}_daily", tuple(names), sum_rows(split, days),
                   _named(f"answer_{split}_daily", names, _SUMS, dimension), leaves_out_zeros=True)
    for day_of_what in DAYS:
        for split, columns, dimension in (
                ("campaign", [], ""), ("version", ["version"], "JOIN attribution.traits USING (traits)")):
            table = "_".join(["answer", day_of_what] + ([split] if columns else []) + ["daily"])
            names = list(columns_of_line(split)) + ["day"] + key + columns
            yield View(f"attribution.{table}", tuple(names), sum_rows(split, {"day": day_of_what}),
                       _named(table, names, _SUMS + ["revenue_square"], dimension), leaves_out_zeros=True)
        table = f"answer_{day_of_what}_event_daily"
        event_key = list(LINE) + ["day", "sequence_index", "currency", "event"]
        yield View(f"attribution.{table}", tuple(event_key), answer_event_daily_rows(day_of_what),
                   _named(table, event_key, _EVENT_SUMS), leaves_out_zeros=True)
