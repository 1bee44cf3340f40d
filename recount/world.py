"""Everything that reports are computed from, read once from one snapshot of the database."""

import functools

import answers
import bodies
import currencies
import events
import mapping
import schemes


class World:
    """The postbacks with their answers, and the tables of the operator."""

    def __init__(self, snapshot, exported=None):
        """Reads the stored bodies, or in place of them the events that were exported into a folder."""
        self.snapshot = snapshot
        ((self.now,),) = snapshot.values("SELECT now()", "timestamp with time zone")
        if not exported:
            self._check_bodies()
        self.schemes = schemes.read_all(snapshot)
        # As they are now: what the reports of counts show.
        self.postbacks = events.read_all(snapshot, exported) if exported else bodies.read_all(snapshot)
        self._answer(self.postbacks)

    def _check_bodies(self):
        """Without all bodies every total would differ."""
        ((days, first, last),) = self.snapshot.values(
            "SELECT count(*), min(day), max(day) FROM attribution.missing_day WHERE part = 'body'",
            "bigint", "date", "date")
        if days:
            raise bodies.MissingBodies(
                f"nothing is compared: the bodies of {days} days of writing were dropped, {first} to {last}. "
                "PostbackServer archive --restore puts archived bodies back. PostbackServer recount needs no bodies, and "
                "tools/recount-bodies.sql leaves out the days that it can't recount")

    @functools.cached_property
    def folded(self):
        """The postbacks as the reader `answers` has read them: what the reports of answers show."""
        waiting = [app for (app,) in self.snapshot.values(
            "SELECT advertised_app_id FROM attribution.answer_refold", "bigint")]
        if waiting:
            raise RuntimeError(f"answers of the apps {waiting} wait to be folded anew: run PostbackServer fold first")
        folded = list(bodies.at_places(self.postbacks, self._places))
        self._answer(postback for postback in folded if postback.answer is None)
        return folded

    @functools.cached_property
    def _places(self):
        """How far the reader `answers` has read the log, by lane."""
        return dict(self.snapshot.values(
            "SELECT lane, position FROM attribution.log_reader WHERE reader = 'answers'", "smallint", "bigint"))

    @functools.cached_property
    def answers_up_to(self):
        """Everything that was counted before this moment is in the reports of answers."""
        unread = [moment for lane, position in self._places.items() for (moment,) in self.snapshot.values(
            f"SELECT written_at FROM attribution.postback_log WHERE lane = {lane} AND position > {position}",
            "timestamp with time zone")]
        return min(unread, default=self.now)

    @functools.cached_property
    def mapping(self):
        return mapping.Mapping(self.snapshot)

    @functools.cached_property
    def networks(self):
        """The numbers of the networks, which are part of the ids of records."""
        return {tuple(key): number for number, *key in self.snapshot.values(
            "SELECT network, environment, protocol, ad_network_id FROM attribution.network",
            "smallint", "text", "text", "text")}

    @functools.cached_property
    def lines(self):
        """All lines, those without postbacks too."""
        return [bodies.Line(*line) for line in self.snapshot.values(
            f"SELECT {', '.join(bodies.Line._fields)} FROM attribution.line", *bodies.LINE_TYPES)]

    @functools.cached_property
    def spend(self):
        """What the ads cost, as the networks report it."""
        return [currencies.Spend(day, mapping.network_name(network), *rest)
                for day, network, *rest in self.snapshot.values(
                    """SELECT day, ad_network_id, advertised_app_id, campaign_id, currency, spend, impressions, clicks,
                              installs
                         FROM attribution.spend_daily""",
                    "date", "text", "bigint", "text", "text", "numeric", "bigint", "bigint", "bigint")]

    @functools.cached_property
    def rates(self):
        return currencies.Rates(self.snapshot)

    @functools.cached_property
    def impressions(self):
        """Signed impressions by line and day."""
        return {
            (bodies.Line(*line), day): impressions
            for *line, day, impressions in self.snapshot.values(
                f"""SELECT {', '.join(bodies.Line._fields)}, day, impressions
                      FROM attribution.campaign_daily
                      JOIN attribution.line USING (line)
                     WHERE impressions > 0""",
                *bodies.LINE_TYPES, "date", "bigint")}

    def _answer(self, postbacks):
        for postback in postbacks:
            postback.answer = answers.answer(postback, self.schemes.get(postback.line.advertised_app_id, []))
