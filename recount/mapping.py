"""What operators call their campaigns, by the rules of docs/mapping-and-spend.md."""

import collections

from database import DAY, LAST_DAY, day_after

NAMES = ("campaign_id", "campaign_name", "ad_group_id", "ad_group_name", "creative_id", "creative_name", "geo")

_CONDITIONS = ("country", "source_app", "advertised_app_id", "protocol")

Row = collections.namedtuple(
    "Row", ("is_built_in", "network_name", "campaign_type", "identifier") + _CONDITIONS
    + ("valid_from", "valid_to", "cool_down_days", "last_named_day") + NAMES)


def network_name(ad_network_id):
    """The name of a network in lower case, without the suffix of a protocol."""
    name = ad_network_id.lower()
    for suffix in (".skadnetwork", ".adattributionkit"):
        if name.endswith(suffix) and len(name) > len(suffix):
            return name[:-len(suffix)]
    return name


class Mapping:
    """The rows of the mapping, found by network and identifier."""

    def __init__(self, snapshot):
        rows = [Row(is_built_in, network_name(network), *rest) for is_built_in, network, *rest in snapshot.values(
            f"""SELECT is_built_in, ad_network_id, campaign_type, identifier, country, source_app, advertised_app_id,
                       protocol, valid_from, valid_to, cool_down_days, NULL::date, {', '.join(NAMES)}
                  FROM attribution.campaign_mapping""",
            "boolean", "text", "text", "text", "text", "text", "bigint", "text", "date", "date", "smallint", "date",
            *["text"] * len(NAMES))]
        self._rows = collections.defaultdict(list)
        same_conditions = collections.defaultdict(list)
        for row in rows:
            same_conditions[row[:8]].append(row)
        for group in same_conditions.values():
            group.sort(key=lambda row: row.valid_from)
            for row, successor in zip(group, group[1:] + [None]):
                row = row._replace(last_named_day=_last_named_day(row, successor))
                self._rows[row.network_name, row.campaign_type, row.identifier].append(row)

    def row(self, postback, day):
        """The row that names a postback on a day; None if none does."""
        return self._best(postback.line, day, postback.traits.country_code, postback.source_app)

    def rows(self, line, first_day, last_day):
        """Each row that names some postbacks of a line on at least one of these days."""
        rows = self._rows_of(line)
        changes = {first_day} | {change for row in rows
                                 for change in (row.valid_from, day_after(min(row.last_named_day, last_day)))}
        best = {self._best(line, day, country, source_app)
                for day in changes if first_day <= day <= last_day
                for country in {None} | {row.country for row in rows}
                for source_app in {None} | {row.source_app for row in rows}}
        return best - {None}

    def campaign_name(self, network, app, campaign_id, first_day, last_day):
        """The name of a campaign by the rows of these days: those of the app, or else those of all apps."""
        names = collections.defaultdict(list)
        for (of_network, _, _), rows in self._rows.items():
            for row in rows:
                if (of_network == network and row.campaign_id == campaign_id and row.campaign_name is not None
                        and row.valid_from <= last_day and row.last_named_day >= first_day):
                    names[row.advertised_app_id].append(row.campaign_name)
        return max(names[app] or names[None], default=None)

    def _best(self, line, day, country, source_app):
        fitting = [row for row in self._rows_of(line) if row.valid_from <= day <= row.last_named_day
                   and row.country in (None, country) and row.source_app in (None, source_app)]
        return max(fitting, key=_specificity, default=None)

    def _rows_of(self, line):
        """The rows for a line, whatever its postbacks say."""
        return [row for identifier in identifiers(line.campaign_type, line.campaign)
                for row in self._rows.get((network_name(line.ad_network_id), line.campaign_type, identifier), ())
                if row.advertised_app_id in (None, line.advertised_app_id) and row.protocol in (None, line.protocol)]

    def split_by(self, line, first_day, last_day):
        """Whether a line has rows with a country on some of these days, and whether it has some with a source app."""
        rows = [row for row in self._rows_of(line) if row.valid_from <= last_day and row.last_named_day >= first_day]
        return any(row.country for row in rows), any(row.source_app for row in rows)

    def needs_postbacks(self, line, first_day, last_day):
        """Whether a line has rows with a country and rows with a source app on some of these days.

        Nothing stored is split by both, so the reports by name read the postbacks of such lines as they are now.
        """
        return all(self.split_by(line, first_day, last_day))


def identifiers(campaign_type, campaign):
    """The identifiers of rows that can name a campaign: the campaign id, or the groups of last digits.

    A group of one digit names an identifier of one digit only.
    """
    if campaign_type == "campaign-id":
        return [campaign]
    return [campaign[-digits:] for digits in range(min(len(campaign), 2), len(campaign) + 1)]


def _last_named_day(row, successor):
    """The last day whose postbacks a row names: the end of its cool-down, or the day before its successor."""
    ends = [row.valid_to + row.cool_down_days * DAY] if row.valid_to is not None else []
    if successor is not None:
        ends.append(successor.valid_from - DAY)
    return min(ends, default=LAST_DAY)


def _specificity(row):
    """Rows of the operator first; then more digits, a country, a source app, an advertised app, a protocol."""
    digits = len(row.identifier) if row.campaign_type == "source-identifier" else 0
    return (not row.is_built_in, digits) + tuple(getattr(row, name) is not None for name in _CONDITIONS)
