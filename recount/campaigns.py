"""The report of one row a campaign (definitions/campaign_summary.sql): measured, modelled, and what it cost."""

import collections
import fractions

from answer_reports import MONEY
from compare import View
from costs import ENDS, Place, Report, WINDOWS, calls, cost_rows, per
from counts import with_production
from database import FIRST_DAY, LAST_DAY
from figures import ratio, rounded_conversion
from modelled import LEAST_MAPPED, levels, level_key

SAME = ("cost", "cost_without_rate", "installs", "redownloads", "reengagements", "installs_complete", "revenue_low",
        "revenue_middle", "revenue_high", "revenue_open", "revenue_without_rate", "revenue_complete", "campaign_name",
        "currency", "cost_per_install_low", "cost_per_install", "cost_per_install_high", "roas_low", "roas_middle",
        "roas_high") + tuple(f"roas_{index}_{end}" for index in WINDOWS for end in ENDS)


def estimates(report):
    """What the withheld values of each campaign are worth in the report's currency, and for how many there is no model.

    Each withheld value of a level, a window and a week is worth the same. An amount is None if a rate is missing.
    """
    world = report.world
    made = levels(world, LEAST_MAPPED, report.first_day, report.last_day, report.app)
    withheld, of_level = collections.Counter(), collections.defaultdict(list)
    for key, level in made.items():
        withheld[key[:-1]] += level.figures["withheld"]
        if level.withheld:
            of_level[key[:-1]].append((key[-1], level))
    own = collections.Counter()
    for postback in report.postbacks(all):
        line, day = postback.line, postback.answer.install_day
        if (postback.did_win and postback.answer.no_value_kind == "withheld" and report.app in (None, line.advertised_app_id)
                and report.first_day <= day <= report.last_day):
            own[report.place_of(postback, day), level_key(postback), day] += 1
    sums = collections.defaultdict(lambda: {"missing": fractions.Fraction(0)} | dict.fromkeys(MONEY, fractions.Fraction(0)))
    for (place, key, day), number in own.items():
        for currency, level in of_level[key]:
            share = fractions.Fraction(number, withheld[key])
            of_place = sums[place]
            of_place["missing"] += share * level.withheld_from("none")
            for name in MONEY:
                amount = world.rates.converted(share * level.estimate(name), currency, report.currency, day)
                # An amount of 0 needs no rate, but one without a rate leaves all ends unknown.
                if level.estimate("revenue_high") and world.rates.converted(1, currency, report.currency, day) is None:
                    amount = None
                of_place[name] = None if amount is None or of_place[name] is None else of_place[name] + amount
    return sums


def summary_rows(first_day=FIRST_DAY, last_day=LAST_DAY, app=None, currency=None):
    def rows(world):
        estimated = estimates(Report(world, first_day, last_day, app, currency, False))
        for measured in cost_rows(False, first_day, last_day, app, currency)(world):
            place = Place(*(measured[name] for name in Place._fields))
            yield place._asdict() | summary_columns(measured, estimated.get(place))
    return rows


def summary_columns(measured, estimate):
    def of_all(name):
        return sum(measured[f"{name}_{index}"] for index in WINDOWS)

    with_value = sum(measured[f"{name}_0"] for name in ("mapped", "unmapped", "ambiguous", "no_scheme"))
    missing = estimate["missing"] if estimate else 0
    row = {name: measured[name] for name in SAME} | {
        name: of_all(name) for name in ("mapped", "withheld", "not_set", "unmapped", "ambiguous", "no_scheme")} | {
        "no_value_share": ratio(measured["postbacks_0"] - with_value, measured["postbacks_0"]),
        "modelled_missing": rounded_conversion(missing)}
    for end in ENDS:
        revenue = measured[f"revenue_{end}"]
        if of_all("withheld") and (of_all("mapped") or of_all("withheld") > missing):
            measured_part, worth = revenue if of_all("mapped") else 0, estimate and estimate[f"revenue_{end}"]
            revenue = None if measured_part is None or worth is None else rounded_conversion(measured_part + worth)
        row[f"modelled_revenue_{end}"] = revenue
        row[f"modelled_roas_{end}"] = per(revenue, measured["cost"])
    return row


def views(ranges):
    name = "attribution.report_campaign_summary"
    yield from with_production(View(name + "_all", Place._fields, summary_rows()))
    days = [(*of_range, None) for of_range in ranges] + [(*ranges[1], "EUR")]
    yield from calls(name, Place._fields, summary_rows, days)
