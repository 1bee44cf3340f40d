#!/usr/bin/env python3
"""Counts the files of ours whose code runs for one postback of SKAdNetwork 4.0, from the socket to the answer.

    tools/postback-walk.py [--build FOLDER] [--built] [--files]

It builds the server with counters of coverage in FOLDER (.build-walk by default), which takes long at the first time.
With --built it takes what was built there before.

Then it starts the server twice, each time with a new database of plain PostgreSQL. The first server gets 300
postbacks, the second one 1,000 more. Both run for the same time. A line belongs to the walk if the second server ran
it at least 500 times more often. So neither the start counts, nor what runs every few seconds, nor what only the
first postback of a line or a day needs.

The postbacks differ in their transaction ids and signatures. All won, are of the first window, and have a fine value
and a source app. Each comes on a connection of its own, as from a device: so what accepts a connection counts. No
TLS.

It prints a table by target: files, their lines, and those lines that ran. With --files it prints each file too. A
file that only declares types has no code that runs, and does not count.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
COVERAGE = ["-Xswiftc", "-profile-generate", "-Xswiftc", "-profile-coverage-mapping"]
PATH = "/.well-known/skadnetwork/report-attribution/"
WARM, MEASURED = 300, 1000
# How long each server runs. It must be enough for all postbacks.
SECONDS = 30


def run(*command, **options):
    return subprocess.run([str(each) for each in command], check=True, stdout=subprocess.PIPE, **options).stdout


def build(folder):
    options = ["swift", "build", "-c", "release", "--package-path", ROOT, "--scratch-path", folder, *COVERAGE]
    for product in ("PostbackServer", "adsign"):
        # The table is all that goes to standard output.
        subprocess.run([*options, "--product", product], check=True, stdout=sys.stderr)


def postbacks(programs, keys):
    """Postbacks of one campaign that have everything that a 4.0 postback of the first window can have."""
    lines = run(
        programs / "adsign", "simulate", "--seed", 1, "--count", 12 * (WARM + MEASURED), "--version", "4.0",
        "--campaigns", 1, "--app-id", 525463029, "--source-app-rate", 1, "--duplicates", 0, "--raises", 0,
        "--conflicts", 0, "--losing-rate", 0, "--later-window-rate", 0, "--development-rate", 0,
        "--relay-noise-rate", 0, "--other-spelling-rate", 0, "--key", keys / "load-test-p256.pem").splitlines()
    full = [line for line in lines if {"conversion-value", "source-app-id"} <= json.loads(line).keys()]
    assert len(full) >= WARM + MEASURED, f"only {len(full)} of the postbacks have both a fine value and a source app"
    return full


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_ready(port):
    while True:
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/ready").read()
        except (OSError, urllib.error.URLError):
            time.sleep(0.1)


def deliver(port, body):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", PATH, body)
    answer = connection.getresponse()
    assert answer.status == 200, f"answered {answer.status}: {answer.read()}"
    connection.close()


def counts(programs, folder, bodies):
    """Serves these postbacks. Returns how often each line ran: by path, then by number of the line."""
    postgres, profile = folder / "postgres", folder / "walk.profraw"
    server = programs / "PostbackServer"
    public, admin = free_port(), free_port()
    script = ROOT / "scripts/postgres.sh"
    run(script, "destroy", postgres)
    try:
        environment = os.environ | {
            "DATABASE_URL": run(script, "start", postgres).decode().strip(), "KEYRING_PATH": str(folder / "keys"),
            "LOG_LEVEL": "warning", "HTTP_PORT": str(public), "ADMIN_PORT": str(admin),
            "ADMIN_TOKEN": os.urandom(32).hex()}
        run(server, "migrate", env=environment, cwd=folder)
        began = time.monotonic()
        process = subprocess.Popen(
            [server, "serve"], env=environment | {"LLVM_PROFILE_FILE": str(profile)}, cwd=folder)
        try:
            wait_until_ready(admin)
            for body in bodies:
                deliver(public, body)
            rest = began + SECONDS - time.monotonic()
            assert rest > 0, "the postbacks took longer than the time of a server"
            time.sleep(rest)
        finally:
            process.terminate()
            process.wait()
    finally:
        run(script, "destroy", postgres)
    data = folder / "walk.profdata"
    # Those of the toolchain: others may not read the form of its counters.
    toolchain = pathlib.Path(shutil.which("swift")).resolve().parent
    run(toolchain / "llvm-profdata", "merge", profile, "-o", data)
    report = run(toolchain / "llvm-cov", "export", "-format=lcov", f"-instr-profile={data}", server, "-sources",
                 ROOT / "Sources")
    return lines_of(report.decode())


def lines_of(report):
    files = collections.defaultdict(dict)
    for line in report.splitlines():
        kind, _, rest = line.partition(":")
        if kind == "SF":
            path = pathlib.Path(rest).relative_to(ROOT)
        elif kind == "DA":
            number, count = map(int, rest.split(",")[:2])
            # Counts are differences of counters. If one is below zero, it is printed modulo 2^64.
            files[path][number] = count - (count >> 63 << 64)
    return files


def walk(before, after):
    """The lines that each of the postbacks ran: a number of lines by path."""
    ran = {
        path: sum(count - before[path].get(number, 0) >= MEASURED / 2 for number, count in lines.items())
        for path, lines in after.items()}
    return {path: lines for path, lines in sorted(ran.items()) if lines > 0}


def show(files, each_file):
    targets = collections.defaultdict(list)
    for path, ran in files.items():
        targets[path.parts[1]].append((path, (ROOT / path).read_bytes().count(b"\n"), ran))
    print("| target | files | lines | lines that ran |\n|---|---|---|---|")
    for name, rows in sorted(targets.items()):
        print(f"| `{name}` | {len(rows)} | {sum(row[1] for row in rows):,} | {sum(row[2] for row in rows):,} |")
    rows = [row for rows in targets.values() for row in rows]
    print(f"| all | {len(rows)} | {sum(row[1] for row in rows):,} | {sum(row[2] for row in rows):,} |")
    if each_file:
        print()
        for path, lines, ran in rows:
            print(f"{path.relative_to('Sources')}  {ran} of {lines}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / ".build-walk", metavar="FOLDER")
    parser.add_argument("--built", action="store_true")
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args()
    if not options.built:
        build(options.build.resolve())
    programs, folder = options.build.resolve() / "release", options.build.resolve() / "walk"
    folder.mkdir(exist_ok=True)
    # Only one process counts.
    os.environ["LLVM_PROFILE_FILE"] = os.devnull
    run(ROOT / "scripts/demo-keyring.sh", folder / "keys", programs / "adsign")
    bodies = postbacks(programs, folder / "keys")
    before = counts(programs, folder, bodies[:WARM])
    after = counts(programs, folder, bodies[:WARM + MEASURED])
    show(walk(before, after), options.files)


if __name__ == "__main__":
    main()
