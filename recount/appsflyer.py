"""The schema appsflyer (definitions/appsflyer.sql): AppsFlyer's topics, as docs/appsflyer.md maps their columns."""

import fractions
import hashlib
import uuid

from answers import day_of
from compare import View
from figures import rounded_conversion
from mapping import network_name
from postback_answers import currency_of
from schemes import middle

_PRODUCTION_HIDES = ("environment", "developer_copy")

# AppsFlyer's columns of which a postback, a scheme and a mapping say nothing, and those that say who delivered it.
_UNKNOWN = ("city", "postal_code", "dma", "region", "skad_mode", "event_value", "ad_network_channel", "af_prt", "interval",
            "ip", "user_agent")

POSTBACK = (
    "app_id skad_ad_network_id skad_campaign_id skad_conversion_value skad_version skad_transaction_id "
    "ad_network_campaign_id ad_network_campaign_name skad_redownload skad_source_app_id country_code city postal_code "
    "dma ip region timestamp ad_network_timestamp skad_attribution_signature ad_network_adset_name "
    "ad_network_adset_id ad_network_ad_name ad_network_ad_id ad_network_source_app_id did_win fidelity_type "
    "ad_network_channel af_prt skad_app_id skad_postback_sequence_index skad_coarse_conversion_value "
    "skad_source_identifier skad_source_domain ad_network_creative").split()
COPY = (
    "app_id skad_ad_network_id skad_campaign_id skad_conversion_value skad_version skad_transaction_id skad_redownload "
    "skad_source_app_id timestamp skad_attribution_signature did_win fidelity_type skad_app_id "
    "skad_postback_sequence_index skad_coarse_conversion_value skad_source_identifier skad_source_domain").split()
EVENT = [name for name in POSTBACK if name not in ("did_win", "fidelity_type")] + (
    "skad_did_win skad_fidelity_type install_date install_type media_source event_name skad_revenue event_uuid "
    "skad_ambiguous_event skad_mode event_value min_revenue max_revenue min_event_counter max_event_counter "
    "min_time_post_install max_time_post_install interval measurement_window user_agent af_attribution_flag").split()


def facts(world, postback):
    """The columns that the topics share."""
    line, traits, answer = postback.line, postback.traits, postback.answer
    row = world.mapping.row(postback, day_of(postback.received_at))
    fidelity = {"view": 0, "click": 1}.get(traits.ad_interaction_type, traits.fidelity_type)
    redownload = traits.redownload if traits.conversion_type is None else traits.conversion_type == "redownload"
    is_campaign_id = line.campaign_type == "campaign-id"
    return dict.fromkeys(_UNKNOWN) | {
        "environment": line.environment, "developer_copy": line.developer_copy,
        "app_id": f"id{line.advertised_app_id}", "skad_app_id": str(line.advertised_app_id),
        "skad_ad_network_id": line.ad_network_id, "media_source": network_name(line.ad_network_id),
        "skad_campaign_id": line.campaign if is_campaign_id else None,
        "skad_source_identifier": None if is_campaign_id else line.campaign,
        "skad_conversion_value": postback.value if postback.is_fine else None,
        "skad_coarse_conversion_value": postback.value if postback.is_coarse else None,
        "skad_version": "adattributionkit" if line.protocol == "adattributionkit" else traits.version,
        "skad_transaction_id": postback.transaction_id, "skad_redownload": redownload,
        "skad_source_app_id": None if postback.source_app_id is None else str(postback.source_app_id),
        "skad_source_domain": postback.source_domain, "ad_network_source_app_id": postback.source_app,
        "country_code": traits.country_code or (row and row.geo),
        "ad_network_campaign_id": row and row.campaign_id, "ad_network_campaign_name": row and row.campaign_name,
        "ad_network_adset_id": row and row.ad_group_id, "ad_network_adset_name": row and row.ad_group_name,
        "ad_network_ad_id": row and row.creative_id, "ad_network_ad_name": row and row.creative_name,
        "ad_network_creative": row and row.creative_name,
        "timestamp": postback.received_at, "ad_network_timestamp": postback.received_at,
        "skad_attribution_signature": postback.signature,
        "did_win": postback.did_win, "skad_did_win": postback.did_win,
        "fidelity_type": fidelity, "skad_fidelity_type": fidelity,
        "skad_postback_sequence_index": postback.sequence_index,
        "install_date": answer.install_day, "install_type": postback.kind,
        "skad_ambiguous_event": answer.decoding == "ambiguous",
        "measurement_window": answer.measurement_window_hours, "af_attribution_flag": False,
    }


def record_id(world, postback, event):
    """The id of a record: an MD5 of the key of the postback and the event, written as a UUID."""
    network = world.networks[postback.line.environment, postback.line.protocol, postback.line.ad_network_id]
    text = " ".join((postback.transaction_id, str(network), str(postback.sequence_index),
                     "true" if postback.did_win else "false", event))
    return str(uuid.UUID(hashlib.md5(text.encode()).hexdigest()))


def in_us_dollars(world, postback, millionths):
    """An amount at the rate of the install day, to six places; None without a rate."""
    if millionths is None:
        return None
    amount = world.rates.converted(fractions.Fraction(millionths) / 1_000_000, currency_of(postback), "USD",
                                   postback.answer.install_day)
    return None if amount is None else rounded_conversion(amount)


def event_records(world, postback):
    """A record for each event of a mapped value."""
    if postback.answer.meaning is None:
        return
    hours = postback.answer.meaning.hours or (None, None)
    for event in postback.answer.meaning.events:
        yield {
            "event_name": event.name, "event_uuid": record_id(world, postback, event.name),
            "skad_revenue": in_us_dollars(world, postback, middle(event.revenue_low, event.revenue_high)),
            "min_revenue": in_us_dollars(world, postback, event.revenue_low),
            "max_revenue": in_us_dollars(world, postback, event.revenue_high),
            "min_event_counter": event.count_low, "max_event_counter": event.count_high,
            "min_time_post_install": hours[0], "max_time_post_install": hours[1]}


def conversion_records(kind):
    """A record for each winning postback of the first window of a kind; events and revenue are in skad_inapps."""
    def records(world, postback):
        if postback.did_win and postback.sequence_index == 0 and postback.kind == kind:
            event = f"af_skad_{kind}"
            yield {"event_name": event, "event_uuid": record_id(world, postback, event)} | dict.fromkeys((
                "skad_revenue", "min_revenue", "max_revenue", "min_event_counter", "max_event_counter",
                "min_time_post_install", "max_time_post_install"))
    return records


def every_postback(world, postback):
    yield {}


def copies(world, postback):
    if postback.line.developer_copy:
        yield {}


_POSTBACK_KEY = ("skad_ad_network_id", "skad_version", "skad_transaction_id", "skad_postback_sequence_index", "did_win")


def topic(name, columns, key, records, production_has_copies=False):
    """The view of a topic with everything, and that of production."""
    def rows(world):
        for postback in world.postbacks:
            for record in records(world, postback):
                row = facts(world, postback) | record
                yield {column: row[column] for column in (*_PRODUCTION_HIDES, *columns)}

    def production_rows(world):
        for row in rows(world):
            if row["environment"] == "production" and (production_has_copies or not row["developer_copy"]):
                yield {column: row[column] for column in columns}

    yield View(f"appsflyer.{name}_all", ("environment",) + key, rows)
    yield View(f"appsflyer.{name}", key, production_rows)


def views(_):
    yield from topic("skad_postbacks", POSTBACK, _POSTBACK_KEY, every_postback)
    yield from topic("skad_postbacks_copy", COPY, _POSTBACK_KEY, copies, production_has_copies=True)
    yield from topic("skad_installs", EVENT, ("event_uuid",), conversion_records("install"))
    yield from topic("skad_redownloads", EVENT, ("event_uuid",), conversion_records("redownload"))
    yield from topic("skad_inapps", EVENT, ("event_uuid",), event_records)
