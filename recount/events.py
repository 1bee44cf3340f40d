"""Postbacks, from the files that `PostbackServer export FOLDER` writes. docs/events.md describes an event."""

import collections
import json
import pathlib

import bodies
from database import moment


def read_all(snapshot, folder):
    """All postbacks as the exported events tell them, and nothing else."""
    events = [json.loads(line) for file in sorted(pathlib.Path(folder).glob("events-*.ndjson"))
              for line in file.read_text(encoding="utf-8").split("\n") if line]
    events.sort(key=lambda event: (event["lane"], event["position"], event["ordinal"]))
    counted = [event for event in events if event["event"] != "conflict"]
    if any(event["body"] is None for event in counted):
        raise bodies.MissingBodies("nothing is compared: events were exported when their bodies had been dropped")
    return bodies.joined(
        (bodies.Delivery(
            event["lane"], event["position"], moment(event["received_at"].replace("T", " ").replace("Z", "+00")),
            event["environment"], event["developer_copy"], event["body"])
         for event in counted),
        collections.Counter(_key(event) for event in events if event["event"] == "conflict"),
        {_key(event) for event in events if event["source_app_id"] == 0})


def _key(event):
    """`Postback.key`."""
    return (event["environment"], event["protocol"], event["ad_network_id"], event["transaction_id"],
            event["sequence_index"], event["did_win"])
