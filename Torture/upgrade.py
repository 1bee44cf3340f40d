#!/usr/bin/env python3
"""Upgrades, backs up and recovers a database while clients deliver, and checks that each acknowledged postback is counted once.

Each kind has a PostgreSQL of its own. With --older, the programs of an older commit serve beside those of this one. Python 3.11
and its standard library suffice. docs/upgrades.md says what the kinds show.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import sys
import time
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

import backups
import versions
from server import Programs
from trial import Result, Trial

# The one that needs an older version.
UPGRADE = "upgrade under load"

KINDS: dict[str, Callable[[Trial], Awaitable[None]]] = {
    UPGRADE: versions.upgraded,
    "definitions replaced under load": versions.definitions_replaced,
    "pg_dump, recovered": backups.dumped,
    "base backup, recovered to a moment": backups.to_a_moment,
}


async def try_kind(kind: str, number: int, programs: Programs, older: Programs | None, arguments: argparse.Namespace) -> Result:
    scratch = Path(arguments.scratch) / str(number)
    scratch.mkdir()
    trial = Trial(
        programs, older, scratch, random.Random(arguments.seed),
        await programs.simulate(arguments.seed * 100 + number, arguments.postbacks), arguments.rate)
    print(f"{kind}:", flush=True)
    try:
        await KINDS[kind](trial)
    except Exception as error:  # noqa: BLE001: a kind that fails must not end the run
        trial.result.fail(f"{type(error).__name__}: {error}")
        if arguments.verbose:
            traceback.print_exc()
    finally:
        await trial.tidy()
    return trial.result


def print_table(results: dict[str, Result]) -> None:
    width = max(map(len, results))
    print(
        f"\n{'':{width}} acknowledged refused unanswered  lost doubled recount  after the moment  latest answer")
    for kind, row in results.items():
        after = "-" if row.after is None else str(row.after)
        print(
            f"{kind:{width}} {row.acknowledged:12} {row.refused:7} {row.unanswered:10} {row.lost:5} {row.doubled:7} "
            f"{row.recount:7} {after:>17} {row.latest:12.2f} s")


async def run(arguments: argparse.Namespace, kinds: list[str]) -> bool:
    scratch = Path(arguments.scratch)
    scratch.mkdir(parents=True)
    programs = await Programs.make(Path(arguments.programs), scratch)
    older = Programs(Path(arguments.older), programs.keys) if arguments.older else None
    results = {
        kind: await try_kind(kind, number, programs, older, arguments) for number, kind in enumerate(kinds)}
    print_table(results)
    print(f"\nSeed {arguments.seed}")
    failures = [f"{kind}: {failure}" for kind, result in results.items() for failure in result.failures]
    for failure in failures:
        print(f"FAILED: {failure}")
    return not failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True, help="the folder of the built programs")
    parser.add_argument("--older", help="the folder of the built programs of an older commit")
    parser.add_argument("--scratch", required=True, help="a folder for everything, which must not exist yet")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--postbacks", type=int, default=1_500, help="deliveries of each kind")
    parser.add_argument("--rate", type=float, default=100, help="new postbacks in a second while something is done")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="only this kind; can be repeated")
    parser.add_argument("--keep", action="store_true", help="keep the logs even if nothing failed")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    kinds = arguments.kind or [kind for kind in KINDS if kind != UPGRADE or arguments.older]
    if UPGRADE in kinds and not arguments.older:
        parser.error(f"“{UPGRADE}” needs --older")
    print(f"Upgrades and backups with seed {arguments.seed}", flush=True)
    if UPGRADE not in kinds and not arguments.kind:
        print(f"“{UPGRADE}” is left out: no older version was given", flush=True)
    is_good = asyncio.run(run(arguments, kinds))
    if is_good and not arguments.keep:
        shutil.rmtree(arguments.scratch, ignore_errors=True)
    else:
        print(f"The logs are in {arguments.scratch}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
