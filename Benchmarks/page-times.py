"""Measures how long pages of the admin listener take, one request after the other on one connection.

    ADMIN_TOKEN=… python3 Benchmarks/page-times.py 127.0.0.1:8081 '/?app=525463029' '/campaigns'

Prints for each address the median, the 95th of 100 and the longest time in milliseconds, behind one request that is not
counted. With `--bound` it also prints how many of all requests took at most so long. Beside it, `bench steady` can send
postbacks.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from http.client import HTTPConnection
from urllib.parse import urlencode


def signed_in(host: str, token: str) -> tuple[HTTPConnection, str]:
    """A connection, and the cookie of a session."""
    connection = HTTPConnection(host, timeout=120)
    connection.request(
        "POST", "/sign-in", urlencode({"token": token, "next": "/"}),
        {"Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    answer.read()
    cookie = answer.getheader("Set-Cookie", "").partition(";")[0]
    if answer.status != 303 or not cookie:
        sys.exit(f"signing in was answered {answer.status}")
    return connection, cookie


def measure(connection: HTTPConnection, cookie: str, address: str) -> float:
    """The milliseconds until the whole page is there."""
    start = time.perf_counter()
    connection.request("GET", address, headers={"Cookie": cookie})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200 or b"<h1" not in body:
        sys.exit(f"{address}: answered {answer.status}")
    return (time.perf_counter() - start) * 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", help="host and port of the admin listener")
    parser.add_argument("addresses", nargs="+", help="paths with their filters")
    parser.add_argument("--rounds", type=int, default=100, help="requests for each address")
    parser.add_argument("--bound", type=float, help="milliseconds that a page may take")
    options = parser.parse_args()
    connection, cookie = signed_in(options.host, os.environ["ADMIN_TOKEN"])
    all_times: list[float] = []
    print(f"{'median':>8} {'95 %':>8} {'longest':>8}")
    for address in options.addresses:
        measure(connection, cookie, address)
        times = sorted(measure(connection, cookie, address) for _ in range(max(1, options.rounds)))
        shown = (times[len(times) // 2], times[len(times) * 95 // 100], times[-1])
        print(" ".join(f"{value:8.1f}" for value in shown), f" {address}")
        all_times += times
    if options.bound is not None:
        within = sum(time <= options.bound for time in all_times)
        print(f"{within} of {len(all_times)} took at most {options.bound:g} ms")


if __name__ == "__main__":
    main()
