"""Installs of Apple Ads, as Apple tells them of tokens (docs/apple-ads.md, "Reports")."""

import collections

from database import FIRST_DAY, LAST_DAY
from sales import range_views

KEY = ("environment", "day", "advertised_app_id", "campaign_id", "ad_group_id", "country_or_region", "claim_type",
       "conversion_type")
# Which figure counts a type of conversion.
FIGURES = {"Download": "installs", "Redownload": "redownloads", "Preorder": "preorders"}
# Apple answers a phone in developer mode with this organization and campaign.
MADE_UP = 1234567890


def environment_of(organization, campaign, is_test):
    if is_test:
        return "test"
    return "development" if organization == campaign == MADE_UP else "production"


def text(number):
    return None if number is None else str(number)


def attributions(snapshot):
    """The key of each token's row, and the figure that counts it; None if none does."""
    for organization, day, app, is_attributed, campaign, ad_group, country, claim, conversion, is_test in snapshot.values(
            """SELECT org_id, day, advertised_app_id, is_attributed, campaign_id, ad_group_id, country_or_region, claim_type,
                      conversion_type, is_test
                 FROM attribution.apple_ads_attribution""",
            "bigint", "date", "bigint", "boolean", "bigint", "bigint", "text", "text", "text", "boolean"):
        key = (environment_of(organization, campaign, is_test), day, app, text(campaign), text(ad_group), country, claim,
               conversion)
        yield key, FIGURES.get(conversion) if is_attributed else "unattributed"


def rows_of(first_day=FIRST_DAY, last_day=LAST_DAY):
    def rows(world):
        counts = collections.defaultdict(collections.Counter)
        for key, figure in attributions(world.snapshot):
            if first_day <= key[1] <= last_day:
                counts[key][figure] += 1
        for key, figures in counts.items():
            yield dict(zip(KEY, key)) | {name: figures[name] for name in (*FIGURES.values(), "unattributed")}
    return rows


def views(ranges):
    yield from range_views("apple_ads", KEY, rows_of, ranges)
