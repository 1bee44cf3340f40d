"""Takes the README's picture of the page, the top of Overview, from a server with the data of `make demo`.

    ADMIN_TOKEN=… .local/python/bin/python3 Tests/Browser/picture.py 'http://127.0.0.1:8081/?environment=test' docs/page.png

`make demo` prints the address and the token. Packages come with `make test`; Chromium and pngquant are Debian's.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from browsing import WatchedPage, chromium, new_context
from findings import Findings
from signing_in import sign_in

# What is wider or longer tells a reader less.
SIZE = {"width": 1280, "height": 1275}
# A picture is in the history for ever.
GREATEST = 100_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", help="the address that make demo prints")
    parser.add_argument("picture", type=Path, help="the PNG file to write")
    options = parser.parse_args()
    findings = Findings()
    with chromium(os.environ.get("TEST_CHROMIUM") or shutil.which("chromium") or "chromium") as browser:
        context = new_context(browser)
        page = WatchedPage(context, options.address, findings)
        sign_in(page, options.address, os.environ["ADMIN_TOKEN"])
        page.page.set_viewport_size(SIZE)
        page.page.emulate_media(color_scheme="light")
        page.page.screenshot(path=options.picture)
        context.close()
    # The screen has few colors.
    subprocess.run(["pngquant", "--force", "--output", options.picture, "64", options.picture], check=True)
    size = options.picture.stat().st_size
    findings.expect(size < GREATEST, f"{options.picture} has {size} bytes, and may have {GREATEST}")
    for text in findings.texts:
        print(text, file=sys.stderr)
    return 1 if findings.texts else 0


if __name__ == "__main__":
    sys.exit(main())
