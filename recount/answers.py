"""What a postback says, by Apple's rules: its tier, why it has no value, what its value means, when the install was.

Nothing here reads the database. Hours are counted backwards from the arrival, the first receipt.
"""

import collections
import datetime
import fractions
import math
import zoneinfo

from bodies import COARSE

SECOND = 1_000_000
HOUR = 3_600 * SECOND
DAY = 24 * HOUR

# A window in hours since the first launch, and the random delay of its postback after the window's end.
# Source: Apple, "Receiving postbacks in multiple conversion windows".
Window = collections.namedtuple("Window", "opens closes delay_low delay_high")
WINDOWS = (Window(0, 48, 24, 48), Window(48, 168, 24, 144), Window(168, 840, 24, 144))

# Development postbacks, in minutes. Developer Mode: windows of three minutes each, a delay of 5 to 10 minutes. The profile
# of earlier systems: a timer of five minutes, then up to five more. A postback of the developer settings can be sent at
# once. Sources: Apple, "Testing ad attributions with Developer Mode", "Testing ad attributions with a downloaded
# profile", "Creating postbacks in developer settings".
DEVELOPMENT_WINDOW, DEVELOPMENT_DELAY, DEVELOPMENT_TIMER = 3, 10, 5
QUARTER = HOUR // 4

# SKAdNetwork up to 3.0: 24 hours after the last raise the timer expires, and up to 24 hours later the postback is sent.
# Source: Apple, "updateConversionValue(_:)".
TIMER = (24, 48)
HIGHEST_FINE = 63

Answer = collections.namedtuple(
    "Answer", "tier_low tier_high no_value_kind scheme decoding meaning may_have_locked measurement_window_hours "
              "install_low install_at install_high install_day")


def answer(postback, schemes):
    """What a postback says; `schemes` are those of its app. Times are in microseconds since 1970."""
    tiers = possible_tiers(postback) if postback.has_windows else {None}
    tier_low, tier_high = min(tiers), max(tiers)
    kind = no_value_kind(postback, tier_low)
    first, last = value_set_between(postback)
    touching = [scheme for scheme in schemes if scheme.touches(first, last)]
    scheme = touching[0] if len(touching) == 1 and touching[0].covers(first, last) else None
    meaning = scheme.meanings.get((postback.sequence_index, postback.value)) if scheme else None
    limit = measurement_window(touching, first, last)
    may_lock = may_have_locked(postback, kind, scheme, touching, meaning)
    if is_development(postback.line):
        most, mean, least = hours_of_development(postback)
    elif postback.has_windows:
        most, mean, least = hours_with_windows(
            postback.sequence_index, first_end(postback, may_lock, scheme, meaning), meaning)
    else:
        most, mean, least = hours_with_timer(postback.value, meaning, limit)
    install_at = postback.received_at - int(mean * HOUR)
    return Answer(
        tier_low, tier_high, kind, scheme, decoding(postback, scheme, touching, meaning), meaning, may_lock, limit,
        postback.received_at - int(most * HOUR), install_at, postback.received_at - least * HOUR, day_of(install_at))


def is_development(line):
    """Whether Apple's times are those of development."""
    return line.environment == "development"


_zone = datetime.timezone.utc


def use_time_zone(name):
    """Takes the time zone of the days of reports."""
    global _zone
    _zone = zoneinfo.ZoneInfo(name)


def day_of(moment):
    """The day of a moment in the time zone of the reports."""
    return datetime.datetime.fromtimestamp(int(moment // SECOND), _zone).date()


def possible_tiers(postback):
    """The postback data tiers that a postback can be of.

    Source: Apple, "Receiving postbacks in multiple conversion windows". Each fact leaves some tiers. The strongest fact
    comes first; one that contradicts a stronger one is not believed.
    """
    is_first, traits = postback.sequence_index == 0, postback.traits
    tiers = {0, 1, 2, 3}

    def believe(condition, fitting):
        if condition and tiers & fitting:
            tiers.intersection_update(fitting)

    # Only tier 3 names the source, and a country only if the country's crowd is in tier 3 too.
    believe(postback.source_app is not None or traits.country_code is not None, {3})
    believe(postback.is_fine, {2, 3})
    # From tier 2 on the first window has a fine value.
    believe(postback.is_coarse and is_first, {1})
    # Tier 0 gets no later postbacks.
    believe(not is_first, {1, 2, 3})
    believe(is_first and len(postback.line.campaign) > 2, {2, 3})
    if postback.line.protocol == "adattributionkit":
        # The marketplace is left out in tier 0 only.
        believe(is_first and traits.marketplace_identifier is None, {0})
        believe(is_first and traits.marketplace_identifier is not None, {1, 2, 3})
    # A winning postback of tier 3 names its source. Apple does not say it of later windows.
    believe(is_first and postback.did_win and postback.source_app is None, {0, 1, 2})
    return tiers


def no_value_kind(postback, tier_low):
    """Why there is no value: not_applicable, not_set or withheld; None if there is one."""
    if postback.value is not None:
        return None
    if not postback.did_win or postback.traits.version == "1.0":
        return "not_applicable"
    if postback.sequence_index > 0 or (postback.has_windows and tier_low > 0) or postback.source_app is not None:
        return "not_set"
    return "withheld"


def value_set_hours(has_windows, index):
    """How many hours before the arrival the app set the value, at least and at most."""
    if not has_windows:
        return TIMER
    window = WINDOWS[index]
    return window.delay_low, window.delay_high + window.closes - window.opens


def value_set_between(postback):
    """The first and the last moment at which the app may have set the value."""
    if is_development(postback.line):
        # At most a window or a timer, and the delay: within a quarter of an hour.
        return postback.received_at - QUARTER, postback.received_at
    low, high = value_set_hours(postback.has_windows, postback.sequence_index)
    return postback.received_at - high * HOUR, postback.received_at - low * HOUR


def certain_scheme(schemes, line, index, first_day, last_day):
    """The scheme of an app by which it set all values of a window that arrived on these days; None if there may be two."""
    low, high = value_set_hours(line.campaign_type == "source-identifier", index)
    least, most = (0, QUARTER) if is_development(line) else (low * HOUR, high * HOUR)
    first = start_of(first_day) - most
    # The last postback arrived before the end of the last day.
    end = start_of(last_day + datetime.timedelta(days=1)) - least if last_day < datetime.date.max else math.inf
    for scheme in schemes:
        if scheme.valid_from <= first and (scheme.valid_to is None or scheme.valid_to >= end):
            return scheme
    return None


def start_of(day):
    """The first moment of a day of the reports in microseconds; an infinite day is an infinite moment."""
    if day in (datetime.date.min, datetime.date.max):
        return math.inf if day == datetime.date.max else -math.inf
    return int(datetime.datetime.combine(day, datetime.time(), _zone).timestamp()) * SECOND


def decoding(postback, scheme, touching, meaning):
    """What became of the value; None if there is none."""
    if postback.value is None:
        return None
    if not touching:
        return "no_scheme"
    if scheme is None:
        return "ambiguous"
    return "unmapped" if meaning is None else "mapped"


def measurement_window(touching, first, last):
    """The longest measurement window of the schemes that may be in force between two moments.

    None if one of them does not say it, or if there is a moment without a scheme.
    """
    begins_at = first
    for scheme in sorted(touching, key=lambda scheme: scheme.valid_from):
        if scheme.valid_from > begins_at:
            return None
        begins_at = float("inf") if scheme.valid_to is None else scheme.valid_to
    if begins_at <= last:
        return None
    hours = [scheme.measurement_window_hours for scheme in touching]
    return max(hours) if hours and None not in hours else None


def may_have_locked(postback, kind, scheme, touching, meaning):
    """Whether the app may have locked the window before its end.

    A lock is part of setting a value. A value without a meaning may be any that locks, and a value that may be of several
    schemes may be of each.
    """
    index = postback.sequence_index
    if not postback.has_windows or (postback.value is None and kind != "withheld"):
        return False
    return any(
        other.locks(index)
        and ((index, postback.value) not in other.meanings or other.lock_from(index, postback.value) is not None)
        for other in (touching if scheme is None else [scheme]))


def first_end(postback, may_lock, scheme, meaning):
    """How many hours after the launch the window may have ended at the earliest; None if it can't have ended early."""
    active = meaning.hours[0] if meaning is not None and meaning.hours else 0
    if postback.line.protocol == "adattributionkit":
        # A re-engagement ends the open window: Apple, "Receiving ad attributions and postbacks".
        return active
    if not may_lock:
        return None
    return active if meaning is None else scheme.lock_from(postback.sequence_index, postback.value)


def hours_of_development(postback):
    """The same of a development postback: bounds in quarters of an hour, rounded outwards."""
    if postback.has_windows:
        minutes = DEVELOPMENT_WINDOW * (postback.sequence_index + 1) + DEVELOPMENT_DELAY
    else:
        # The first value is set within a window, and each raise within a timer.
        steps = postback.value if isinstance(postback.value, int) else HIGHEST_FINE
        minutes = DEVELOPMENT_WINDOW + DEVELOPMENT_DELAY + DEVELOPMENT_TIMER * steps
    return fractions.Fraction(-(-minutes // 15), 4), fractions.Fraction(1, 4), 0


def hours_with_windows(index, first_end, meaning):
    """The first launch in hours before the arrival: at most, estimated, at least.

    The estimate takes the mean delay after the end of the window: 84, 252 and 924 hours (AppsFlyer, help 360014261518).
    A lock or a re-engagement ends the window at once, but not before the user was last active by the value's meaning.
    """
    window = WINDOWS[index]
    mean_delay = fractions.Fraction(window.delay_low + window.delay_high, 2)
    most = window.closes + window.delay_high
    if first_end is None:
        return most, window.closes + mean_delay, window.closes + window.delay_low
    low, high = meaning is not None and meaning.hours or (window.opens, window.closes)
    first_end = max(min(first_end, window.closes), window.opens)
    end = window.closes
    if meaning is not None and meaning.locks:
        end = min(max(fractions.Fraction(low + high, 2), window.opens), window.closes)
    return most, end + mean_delay, first_end + window.delay_low


def hours_with_timer(value, meaning, limit):
    """The same up to SKAdNetwork 3.0: the last raise was 24 to 48 hours before the arrival, the launch earlier still.

    Each raise comes before the timer of the one before it expires, so value v is set at most 24 · v hours after the
    launch. Without hours in the scheme the estimate takes 12 (AppsFlyer); value 0 is the launch (Kochava: 36 hours and
    24 hours for each day).
    """
    steps = value if isinstance(value, int) else HIGHEST_FINE
    hours = meaning.hours if meaning is not None and value is not None else None
    most = min(bound for bound in (24 * steps, hours and hours[1], limit) if bound is not None)
    least = min(hours[0], most) if hours else 0
    if value is None or value == 0:
        mean = 0
    else:
        mean = min(most, fractions.Fraction(sum(hours), 2) if hours else 12)
    return TIMER[1] + most, 36 + mean, TIMER[0] + least


def complete_from(launch_day, has_windows, sequence_index, measurement_window_hours, in_development=False):
    """From when on no more postbacks of a day of launches can arrive, deliveries that failed at first left aside."""
    if in_development:
        # The last raise of the highest value, the longest of all.
        hours = fractions.Fraction(DEVELOPMENT_WINDOW + DEVELOPMENT_DELAY + DEVELOPMENT_TIMER * HIGHEST_FINE, 60)
    elif has_windows:
        window = WINDOWS[sequence_index]
        hours = window.closes + window.delay_high
    else:
        hours = TIMER[1] + (24 * HIGHEST_FINE if measurement_window_hours is None else measurement_window_hours)
    return start_of(launch_day + datetime.timedelta(days=1)) + -(-hours // 24) * DAY
