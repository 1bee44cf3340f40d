"""Recounts every figure of reports from the stored bodies, apart from the database's own definitions.

    python3 recount "$DATABASE_URL"

With `--events FOLDER` it reads what `PostbackServer export` wrote there, in place of the bodies. So it shows that the
exported events add up to every report.

It prints each difference: view, row, column, stored, recounted. The exit code is 1 if there is one, or a report that it
does not know. It is 2 if bodies were dropped. `--list` prints the views and their columns. docs/sql.md explains it, and
names four reports that are not recounted.
"""

import argparse
import collections
import datetime
import os
import sys
import time

import answer_reports
import app_store
import apple_ads
import appsflyer
import campaigns
import compare
import costs
import counts
import modelled
import postback_answers
import reconciliation
import sales
from answers import day_of, use_time_zone
from bodies import MissingBodies
from database import FIRST_DAY, LAST_DAY, DatabaseError, Snapshot, quoted
from world import World

MODULES = (
    counts, postback_answers, answer_reports, modelled, costs, campaigns, appsflyer, reconciliation, app_store, sales,
    apple_ads)
# Reports that nothing here recounts.
OTHERS = ("delivery", "app_store_cohorts", "app_store_at_risk", "apple_ads_skadnetwork")
# Differences that are shown for each view.
SHOWN = 20


def arguments():
    parser = argparse.ArgumentParser(prog="recount", description=__doc__.split("\n\n")[0])
    parser.add_argument("database", nargs="?", default=os.environ.get("DATABASE_URL"), help="default: DATABASE_URL")
    parser.add_argument("--events", metavar="FOLDER", help="read what was exported there, not the bodies")
    parser.add_argument("--list", action="store_true", help="print the views and their columns, and compare nothing")
    parser.add_argument("--only", metavar="TEXT", default="", help="only views whose names contain this")
    parser.add_argument("--times", action="store_true", help="print how long each view took")
    parsed = parser.parse_args()
    if not parsed.database:
        parser.error("give the URL of the database, or set DATABASE_URL")
    return parsed


def ranges(world):
    """The ranges of days for which functions are compared, and the app; None stands for all apps.

    Everything, the middle third, and one day of the app with the most postbacks.
    """
    days = sorted({day_of(postback.received_at) for postback in world.postbacks}) or [datetime.date(2026, 1, 1)]
    apps = collections.Counter(postback.line.advertised_app_id for postback in world.postbacks).most_common(1)
    third = (days[len(days) // 3], days[2 * len(days) // 3])
    return [(FIRST_DAY, LAST_DAY, None), (*third, None), (*third, apps[0][0] if apps else 1),
            (days[len(days) // 2], days[len(days) // 2], None)]


def unknown_reports(snapshot, known):
    """The reports of the database that nothing here recounts."""
    others = {f"attribution.report_{name}{ending}" for name in OTHERS for ending in ("", "_all")}
    names = ", ".join(quoted(name) for name in sorted(known | others))
    return [name for (name,) in snapshot.rows(
        f"""SELECT name
              FROM (SELECT nspname || '.' || relname AS name, nspname, relname AS own_name
                      FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                     WHERE relkind IN ('v', 'm')
                    UNION
                    SELECT nspname || '.' || proname, nspname, proname
                      FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace) AS report
             WHERE (nspname = 'appsflyer' OR (nspname = 'attribution' AND own_name LIKE 'report\\_%'))
               AND name NOT IN ({names})
             ORDER BY name""")]


def show(view, key, column, stored, recounted):
    print(f"{view.title}\n    row {key}\n    column {column}\n    stored {stored}\n    recounted {recounted}")


def main():
    options = arguments()
    snapshot = Snapshot(options.database)
    ((time_zone,),) = snapshot.rows("SELECT attribution.time_zone()")
    use_time_zone(time_zone)
    world = World(snapshot, options.events)
    views = [view for module in MODULES for view in module.views(ranges(world))]
    missing = unknown_reports(snapshot, {view.name for view in views})
    for name in missing:
        print(f"{name}: is not recounted")
    number = 0
    for view in views:
        if options.only not in view.name:
            continue
        if options.list:
            print(f"{view.title}: {', '.join(snapshot.columns(view.source or view.name))}")
            continue
        began, of_view = time.monotonic(), 0
        for difference in compare.differences(world, view):
            of_view += 1
            if of_view <= SHOWN:
                show(view, *difference)
        if of_view > SHOWN:
            print(f"{view.title}: {of_view} differences")
        if options.times:
            print(f"{time.monotonic() - began:8.2f} s  {view.title}")
        number += of_view
    snapshot.close()
    print(f"recount: {len(world.postbacks)} postbacks, {len(views)} views, {number} differences")
    return 1 if number or missing else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MissingBodies as error:
        print(f"recount: {error}", file=sys.stderr)
        sys.exit(2)
    except (DatabaseError, RuntimeError) as error:
        sys.exit(f"recount: {error}")
