"""Postbacks, from the bodies that are stored: of the first delivery and of each that raised the value.

Sources: Apple, "Identifying the parameters in install-validation postbacks" and, for AdAttributionKit, "Identifying the
parameters in a postback". docs/divergences.md says what counts where Apple leaves it open.

Three facts depend on the keys and are not in a body, so they come from the tables. They are the environment, whether it is
a developer's copy, and whether a source app id of 0 was signed. A relay may have put that there.
"""

import base64
import collections
import itertools
import json
import sys
import uuid

from figures import is_between

# A body may have a number of any length in a member that nobody reads. Python refuses more than 4,300 digits.
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)

COARSE = ("low", "medium", "high")

# What the views show of the campaign.
Line = collections.namedtuple(
    "Line", "environment developer_copy protocol ad_network_id campaign_type campaign advertised_app_id")
LINE_TYPES = ("text", "boolean", "text", "text", "text", "text", "bigint")

# What the views show of the other facts. `version` is `none` for AdAttributionKit.
Traits = collections.namedtuple(
    "Traits", "version redownload conversion_type fidelity_type ad_interaction_type marketplace_identifier country_code")


class MissingBodies(Exception):
    """Bodies are not there, so there is nothing to recount from."""


class Postback:
    """A postback with the value that counts at one time: `value` is None, a number from 0 to 63, or a coarse text."""

    __slots__ = ("line", "traits", "source_app_id", "source_domain", "transaction_id", "sequence_index", "did_win",
                 "received_at", "first_value", "value", "conflicts", "answer", "place", "signature")

    @property
    def key(self):
        return (self.line.environment, self.line.protocol, self.line.ad_network_id, self.transaction_id,
                self.sequence_index, self.did_win)

    @property
    def source_app(self):
        """The id of the source app or the source domain, as text; None if the postback names neither."""
        return self.source_domain if self.source_app_id is None else str(self.source_app_id)

    @property
    def kind(self):
        if self.traits.conversion_type is not None:
            return "install" if self.traits.conversion_type == "download" else self.traits.conversion_type
        return "redownload" if self.traits.redownload else "install"

    @property
    def is_fine(self):
        return isinstance(self.value, int)

    @property
    def is_coarse(self):
        return isinstance(self.value, str)

    @property
    def has_windows(self):
        """SKAdNetwork 4.0 and AdAttributionKit have conversion windows and tiers."""
        return self.traits.version in ("4.0", "none")

    def with_value(self, value):
        """The same postback when another value counted."""
        copy = Postback()
        for name in self.__slots__:
            setattr(copy, name, getattr(self, name, None))
        copy.value = value
        copy.answer = None
        return copy


def read(text, environment, developer_copy):
    """A postback with the facts and the value of one body. A source app id of 0 is left in."""
    document = json.loads(text)
    if "jws-string" in document:
        payload = document["jws-string"].split(".")[1]
        signed = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        postback = _ad_attribution_kit(signed, document, environment, developer_copy)
    else:
        postback = _skadnetwork(document, environment, developer_copy)
    postback.first_value = postback.value = _value(document, postback)
    # The third part of a JWS is its signature.
    postback.signature = document["jws-string"].split(".")[2] if "jws-string" in document else document["attribution-signature"]
    return postback


def _skadnetwork(body, environment, developer_copy):
    version = body.get("version", "1.0")
    number = tuple(int(part) for part in version.split("."))
    has_identifier = number >= (4, 0)
    postback = Postback()
    postback.line = Line(
        environment, developer_copy, "skadnetwork", body["ad-network-id"].lower(),
        "source-identifier" if has_identifier else "campaign-id",
        body["source-identifier"] if has_identifier else str(body["campaign-id"]), body["app-id"])
    postback.traits = Traits(
        version, body["redownload"] if number >= (2, 0) else None, None,
        body["fidelity-type"] if number >= (2, 2) else None, None, None, _country(body))
    postback.source_domain = body.get("source-domain") if has_identifier else None
    has_app = number >= (2, 0) and postback.source_domain is None
    postback.source_app_id = body.get("source-app-id") if has_app else None
    postback.transaction_id = str(uuid.UUID(body["transaction-id"]))
    postback.did_win = body["did-win"] if number >= (3, 0) else True
    postback.sequence_index = body["postback-sequence-index"] if has_identifier else 0
    return postback


def _country(body):
    """The country that Apple sends beside the signed fields; None for anything else than two capital letters."""
    country = body.get("country-code")
    is_country = isinstance(country, str) and len(country) == 2 and all("A" <= letter <= "Z" for letter in country)
    return country if is_country else None


def _ad_attribution_kit(signed, body, environment, developer_copy):
    postback = Postback()
    postback.line = Line(
        environment, developer_copy, "adattributionkit", signed["ad-network-identifier"].lower(), "source-identifier",
        signed["source-identifier"], signed["advertised-item-identifier"])
    postback.traits = Traits(
        "none", None, signed["conversion-type"], None, body.get("ad-interaction-type"),
        signed.get("marketplace-identifier"), _country(body))
    postback.source_app_id = signed.get("publisher-item-identifier")
    postback.source_domain = None
    postback.transaction_id = str(uuid.UUID(signed["postback-identifier"]))
    postback.did_win = signed["did-win"]
    postback.sequence_index = signed["postback-sequence-index"]
    return postback


def _value(body, postback):
    """The value: a fine one in the first window only, and before a coarse one; none if the postback has not won."""
    if not postback.did_win:
        return None
    fine = body.get("conversion-value")
    # A boolean is an int in Python.
    if postback.sequence_index == 0 and type(fine) is int and is_between(fine, 0, 63):
        return fine
    coarse = body.get("coarse-conversion-value")
    coarse = coarse.lower() if isinstance(coarse, str) else None
    return coarse if coarse in COARSE else None


# What is known of a delivery that counted.
Delivery = collections.namedtuple("Delivery", "lane position received_at environment developer_copy payload")

# The columns of `Postback.key`.
_KEY = "environment, protocol, ad_network_id, transaction_id, sequence_index, did_win"
_KEY_TYPES = ("text", "text", "text", "uuid", "smallint", "boolean")


def read_all(snapshot):
    """All postbacks, from the stored bodies and the conflicts of the log."""
    signed_zeros = set(snapshot.values(
        f"""SELECT {_KEY}
              FROM attribution.postback_state
              JOIN attribution.line USING (line)
             WHERE attribution.source_app_id(source) = 0""", *_KEY_TYPES))
    conflicts = {tuple(key): number for *key, number in _conflicts(snapshot)}
    deliveries = snapshot.values(
        """SELECT lane, position, received_at, environment, developer_copy, payload
             FROM attribution.postback_body
             JOIN attribution.line USING (line)
            ORDER BY lane, position, ordinal""",
        "smallint", "bigint", "timestamp with time zone", "text", "boolean", "text")
    return joined(itertools.starmap(Delivery, deliveries), conflicts, signed_zeros)


def joined(deliveries, conflicts, signed_zeros):
    """The postbacks of deliveries that counted, which are in their order by lane.

    A postback's `place` is a list of (lane, position, value) of its deliveries, in order. `conflicts` has the number of
    conflicts by `Postback.key`. `signed_zeros` are the keys of postbacks that sign a source app id of 0.
    """
    postbacks, shared = {}, {}
    for delivery in deliveries:
        body = read(delivery.payload, delivery.environment, delivery.developer_copy)
        if body.source_app_id == 0 and body.key not in signed_zeros:
            body.source_app_id = None
        known = postbacks.get(body.key)
        if known is None:
            body.received_at = delivery.received_at
            body.conflicts = conflicts.get(body.key, 0)
            body.place = [(delivery.lane, delivery.position, body.value)]
            # Millions of postbacks share a few of these.
            body.line = shared.setdefault(body.line, body.line)
            body.traits = shared.setdefault(body.traits, body.traits)
            postbacks[body.key] = body
        else:
            known.place.append((delivery.lane, delivery.position, body.value))
            known.value = body.value
    return list(postbacks.values())


def _conflicts(snapshot):
    """Keys of postbacks with their conflicts, from the log; from the state if days of the log were dropped."""
    ((days,),) = snapshot.values("SELECT count(*) FROM attribution.missing_day WHERE part = 'log'", "bigint")
    if days:
        print(f"recount: {days} days of the log were dropped, so conflicts are taken from the state", file=sys.stderr)
    return snapshot.values(
        f"""SELECT {_KEY}, conflicts
              FROM attribution.postback_state
              JOIN attribution.line USING (line)
             WHERE conflicts > 0""" if days else
        f"""SELECT {_KEY}, count(*)
              FROM attribution.postback_log
              JOIN attribution.line USING (line)
             WHERE event = 3
             GROUP BY {_KEY}""",
        *_KEY_TYPES, "bigint")


def at_places(postbacks, places):
    """The postbacks as they were when a reader of the log had read up to these positions, by lane."""
    for postback in postbacks:
        seen = [value for lane, position, value in postback.place if position <= places[lane]]
        if not seen:
            continue
        yield postback if seen[-1] == postback.value else postback.with_value(seen[-1])
