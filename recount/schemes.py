"""Schemes, from their JSON documents: what a value means, and which scheme was in force at a time.

docs/schemes.md describes the file. Money is in millionths of the currency: integers.
"""

import collections
import datetime
import decimal
import json

from bodies import COARSE

# An event of a value. `count_high` and `revenue_high` are None if there is no upper end. Revenue from 0 on without an upper
# end is any revenue: nobody knows it.
Event = collections.namedtuple("Event", "name count_low count_high revenue_low revenue_high")


class Meaning:
    """What a value means: all of its events have happened, or, if it `is_any`, at least one of them."""

    def __init__(self, events, hours, is_any=False):
        self.events = events
        self.hours = hours
        self.is_any = is_any and len(events) > 1
        # Set by the scheme: the app locks the window with the value.
        self.locks = False

    @property
    def certain(self):
        """The names of the events that have happened."""
        return {event.name for event in self.events if event.count_low > 0}

    def event(self, name):
        return next((event for event in self.events if event.name == name), None)

    @property
    def revenue_low(self):
        return sum(event.revenue_low for event in self.events)

    @property
    def revenue_high(self):
        highs = [event.revenue_high for event in self.events]
        return None if None in highs else sum(highs)

    @property
    def revenue_middle(self):
        """The middle of the range, to six places; the low end if there is no upper one; None if nobody knows.

        One event that may have brought any revenue is enough for that.
        """
        if any(middle(event.revenue_low, event.revenue_high) is None for event in self.events):
            return None
        return middle(self.revenue_low, self.revenue_high)


def middle(low, high):
    """The middle of two amounts in millionths, halves rounded up.

    It is the low one if there is no high one, and None if that is 0: then it may be anything.
    """
    if high is None:
        return low or None
    return (low + high + 1) // 2


class Scheme:
    """A scheme of an app, valid from `valid_from` until before `valid_to` (None: open), in microseconds since 1970."""

    def __init__(self, document):
        self.app = document["app-id"]
        self.name = document["name"]
        self.valid_from = _moment(document["valid-from"])
        self.valid_to = None if document.get("valid-to") is None else _moment(document["valid-to"])
        self.currency = document.get("currency")
        self.measurement_window_hours = document.get("measurement-window-hours")
        # By window and value.
        self.meanings = {}
        self._locks = {}
        for entry in document.get("fine", []):
            for value in _range(entry["value"]):
                self.meanings[0, value] = _meaning(entry)
        for value, meaning in _generated(document.get("bits", [])):
            self.meanings[0, value] = meaning
        for window in document.get("windows", []):
            index = window["index"]
            for value, entry in window.get("coarse", {}).items():
                self.meanings[index, value] = _meaning(entry)
            locks = window.get("lock", [])
            self._locks[index] = locks if isinstance(locks, list) else [locks]
            for lock in self._locks[index]:
                self._lock(index, lock)

    def _lock(self, index, lock):
        """The values of a window at which the app locks it."""
        for (window, value), meaning in self.meanings.items():
            if window != index:
                continue
            if "event" in lock:
                for event in meaning.events:
                    if event.name == lock["event"]:
                        meaning.locks |= event.count_low > 0
            else:
                meaning.locks |= value == lock.get("fine", lock.get("coarse"))

    def locks(self, index):
        """Whether the app locks a window."""
        return bool(self._locks.get(index))

    def lock_from(self, index, value):
        """At how many hours after the launch the app may have locked a window at which it set a value; None: it did not.

        The value must have a meaning. One of the other kind without a meaning can stand beside any.
        """
        own, found = self.meanings[index, value], []
        for lock in self._locks.get(index, []):
            trigger = lock.get("fine", lock.get("coarse"))
            if "event" in lock:
                if not self._denies(index, value, lock["event"]):
                    found.append(0)
            elif (trigger in COARSE) == (value in COARSE):
                if trigger == value:
                    found.append(0)
            elif (index, trigger) not in self.meanings:
                found.append(0)
            elif self._can_be_set_together(index, value, trigger):
                hours = self.meanings[index, trigger].hours
                found.append(hours[0] if hours else 0)
        return max(min(found), own.hours[0] if own.hours else 0) if found else None

    def _denies(self, index, value, event):
        """Whether an event has not happened if the app set a value: one that it does not have, but a higher value has.

        A value that means nothing denies each event that its kind can tell.
        """
        own = self.meanings[index, value]
        rank = COARSE.index if value in COARSE else int
        return not own.event(event) and any(
            meaning.event(event) and (not own.events or rank(other) > rank(value))
            for (window, other), meaning in self.meanings.items()
            if window == index and (other in COARSE) == (value in COARSE))

    def _can_be_set_together(self, index, one, two):
        """Whether a fine and a coarse value can be true at the same moment."""
        sides = [(one, two), (two, one)]
        meanings = {value: self.meanings[index, value] for value in (one, two)}
        if any(self._denies(index, other, event) for value, other in sides for event in meanings[value].certain):
            return False
        hours = [meaning.hours for meaning in meanings.values() if meaning.hours]
        if hours and max(low for low, _ in hours) > min(high for _, high in hours):
            return False
        for value, other in sides:
            fitting = [event for event in meanings[value].events
                       if self._fits(event, meanings[other]) and not self._denies(index, other, event.name)]
            if meanings[value].is_any and not fitting:
                return False
            if not meanings[value].is_any and not meanings[value].certain <= {event.name for event in fitting}:
                return False
        return True

    @staticmethod
    def _fits(event, meaning):
        """Whether an event, if it has happened, can be as both meanings say."""
        other = meaning.event(event.name)
        # One of several may be out of its range.
        if other is None or meaning.is_any:
            return True
        ranges = [((event.count_low, event.count_high), (other.count_low, other.count_high))]
        # An event without revenue says nothing of it.
        if event.revenue_high != 0 and other.revenue_high != 0:
            ranges.append(((event.revenue_low, event.revenue_high), (other.revenue_low, other.revenue_high)))
        return all((high is None or low_of_other <= high) and (high_of_other is None or low <= high_of_other)
                   for (low, high), (low_of_other, high_of_other) in ranges)

    def touches(self, first, last):
        """Whether it is in force at some time from `first` to `last`, both included."""
        return self.valid_from <= last and (self.valid_to is None or self.valid_to > first)

    def covers(self, first, last):
        """Whether it is in force all the time from `first` to `last`, both included."""
        return self.valid_from <= first and (self.valid_to is None or self.valid_to > last)


def read_all(snapshot):
    """The schemes of each app in the order of time. A successor ends an open scheme."""
    schemes = collections.defaultdict(list)
    for (text,) in snapshot.values("SELECT document FROM attribution.conversion_scheme", "text"):
        scheme = Scheme(json.loads(text, parse_float=decimal.Decimal))
        schemes[scheme.app].append(scheme)
    for of_app in schemes.values():
        of_app.sort(key=lambda scheme: scheme.valid_from)
        for scheme, successor in zip(of_app, of_app[1:]):
            if scheme.valid_to is None:
                scheme.valid_to = successor.valid_from
    return dict(schemes)


def _moment(text):
    since = datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) - datetime.datetime(
        1970, 1, 1, tzinfo=datetime.timezone.utc)
    return since // datetime.timedelta(microseconds=1)


def millionths(amount):
    """An amount of a document in millionths."""
    scaled = decimal.Decimal(amount) * 1_000_000
    if scaled != int(scaled):
        raise ValueError(f"more than six places: {amount}")
    return int(scaled)


def _range(value):
    """The values of an entry: 5, or "1-15"."""
    first, _, last = str(value).partition("-")
    return range(int(first), int(last or first) + 1)


def _meaning(entry):
    is_any = "any-of" in entry
    events = [_event(event, is_any and len(entry["any-of"]) > 1) for event in entry.get("any-of", entry.get("events", []))]
    return Meaning(events, tuple(entry["hours"]) if "hours" in entry else None, is_any)


def _event(event, is_one_of_several):
    """An event of an entry. One of several need not have happened, so its low ends are 0."""
    count, revenue = event.get("count", {"from": 1}), event.get("revenue", {"from": 0, "to": 0})
    if revenue == "unknown":
        revenue = {"from": 0}
    return Event(
        event["name"], 0 if is_one_of_several else count["from"], count.get("to"),
        0 if is_one_of_several else millionths(revenue["from"]),
        millionths(revenue["to"]) if "to" in revenue else None)


def _generated(entries):
    """The fine values that bits generate. Bits of no entry are 0."""
    if not entries:
        return
    fields = [(entry, list(_range(entry["bits"]))) for entry in entries]
    used = {bit for _, bits in fields for bit in bits}
    for value in range(64):
        if any(value >> bit & 1 for bit in range(6) if bit not in used):
            continue
        events, hours, is_mapped = [], None, True
        for entry, bits in fields:
            number = sum((value >> bit & 1) << place for place, bit in enumerate(bits))
            if entry["kind"] == "revenue":
                if number >= len(entry["buckets"]):
                    is_mapped = False
                    break
                events.append(_bucket(entry, number))
            elif entry["kind"] == "day":
                hours = (24 * number, 24 * number + 24)
            else:
                events += [Event(name, 1, None, 0, 0)
                           for place, name in enumerate(entry["events"]) if number >> place & 1]
        if is_mapped:
            yield value, Meaning(events, hours)


def _bucket(entry, number):
    """The event of a bucket of revenue. In a bucket from 0 it need not have happened."""
    low = millionths(entry["buckets"][number])
    high = millionths(entry["buckets"][number + 1]) if number + 1 < len(entry["buckets"]) else None
    return Event(entry.get("event", "revenue"), 1 if low > 0 else 0, None, low, high)
