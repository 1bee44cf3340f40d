"""What both programs of this folder have: options, a seed, and logs that are gone if nothing failed."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import time
from collections.abc import Coroutine, Sequence

from findings import Findings


def options(description: str | None) -> argparse.ArgumentParser:
    """The options that both have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--programs", required=True, help="the folder of the built programs")
    parser.add_argument("--scratch", required=True, help="a folder for everything, which must not exist yet")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--postbacks", type=int, default=1_500, help="deliveries of each round or kind")
    parser.add_argument(
        "--rate", type=float, default=100, help="new postbacks in a second while something slow is done")
    parser.add_argument("--kind", action="append", help="only this kind; can be repeated")
    parser.add_argument("--keep", action="store_true", help="keep the logs even if nothing failed")
    parser.add_argument("--verbose", action="store_true", help="show where an exception was raised")
    return parser


def check_kinds(parser: argparse.ArgumentParser, arguments: argparse.Namespace, known: Sequence[str]) -> None:
    """Ends the program if it was asked for a kind that there is not."""
    for kind in arguments.kind or []:
        if kind not in known:
            parser.error(f"no kind is called {kind}. There are: {', '.join(known)}")


def finish(arguments: argparse.Namespace, run: Coroutine[None, None, list[Findings]]) -> int:
    """Runs it, says again what failed, and returns the exit code."""
    failures = [failure for one in asyncio.run(run) for failure in one.failures]
    for failure in failures:
        print(f"FAILED: {failure}")
    if not failures and not arguments.keep:
        shutil.rmtree(arguments.scratch, ignore_errors=True)
    else:
        print(f"The logs are in {arguments.scratch}")
    return 1 if failures else 0
