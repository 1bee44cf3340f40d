#!/usr/bin/env python3
"""Prints files, lines, median and 90th percentile of the lines of a file, by target, as a table of Markdown.

    tools/target-sizes.py [COMMIT]        of the sources; by default of HEAD
    tools/target-sizes.py --tests [COMMIT]
"""

import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True).stdout


def lines_of(commit, path):
    return git("show", f"{commit}:{path}").count(b"\n")


def main(arguments):
    top = "Tests" if "--tests" in arguments else "Sources"
    commit = ([each for each in arguments if not each.startswith("--")] or ["HEAD"])[0]
    targets = collections.defaultdict(list)
    for path in git("ls-tree", "-r", "--name-only", commit, f"{top}/").decode().splitlines():
        if path.endswith(".swift"):
            targets[path.split("/")[1]].append(lines_of(commit, path))
    print("| target | files | lines | median | 90th percentile |\n|---|---|---|---|---|")
    for name, counts in sorted(targets.items()):
        counts.sort()
        # Of an even number of files the lower middle one: a size that a file has.
        median, ninetieth = (counts[max(0, -(-len(counts) * part // 100) - 1)] for part in (50, 90))
        print(f"| `{name}` | {len(counts)} | {sum(counts):,} | {median} | {ninetieth} |")


if __name__ == "__main__":
    main(sys.argv[1:])
