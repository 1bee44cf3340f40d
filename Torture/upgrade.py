#!/usr/bin/env python3
"""Upgrades, backs up and recovers a database while clients deliver, and checks that each acknowledged postback is counted once.

Each kind has a PostgreSQL of its own. With --older, the programs of an older commit serve beside those of this one. Python 3.11
and its standard library suffice. docs/upgrades.md says what the kinds show.
"""

from __future__ import annotations

import argparse
import random
import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

import backups
import program
import versions
from findings import print_table
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
        await programs.simulate(arguments.seed * 100 + number, arguments.postbacks), arguments.rate, Result(kind))
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


async def run(arguments: argparse.Namespace, kinds: list[str]) -> list[Result]:
    scratch = Path(arguments.scratch)
    scratch.mkdir(parents=True)
    programs = await Programs.make(Path(arguments.programs), scratch)
    older = Programs(Path(arguments.older), programs.keys) if arguments.older else None
    results = [await try_kind(kind, number, programs, older, arguments) for number, kind in enumerate(kinds)]
    print_table(results)
    print(f"\nSeed {arguments.seed}")
    return results


def main() -> int:
    parser = program.options(__doc__)
    parser.add_argument("--older", help="the folder of the built programs of an older commit")
    arguments = parser.parse_args()
    program.check_kinds(parser, arguments, list(KINDS))
    kinds = arguments.kind or [kind for kind in KINDS if kind != UPGRADE or arguments.older]
    if UPGRADE in kinds and not arguments.older:
        parser.error(f"“{UPGRADE}” needs --older")
    print(f"Upgrades and backups with seed {arguments.seed}", flush=True)
    if UPGRADE not in kinds and not arguments.kind:
        print(f"“{UPGRADE}” is left out: no older version was given", flush=True)
    return program.finish(arguments, run(arguments, kinds))


if __name__ == "__main__":
    sys.exit(main())
