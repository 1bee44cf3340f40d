"""Looks at the page of a server as people do, and as an attacker would; prints a line for each finding.

The server has the data of `make demo`. Names, a body and a User-Agent full of markup are among them.
Exit code: 0 if nothing was found, 1 if something was.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import traceback
from pathlib import Path
from urllib.request import Request, urlopen

from playwright.sync_api import BrowserContext, Error, TimeoutError

from attacks import check_attacks
from browsing import WatchedPage, chromium, new_context
from charts import check_charts
from crawl import Crawl
from figures import psql
from findings import Findings
from screens import ScreenCheck
from signing_in import check_cookies, check_ended_session, check_refusal, sign_in, sign_out
from tasks import check_tasks

# Each address has a wrong filter, and must be refused on the page.
WRONG = [
    "/?from=yesterday", "/?from=2026-10-02&to=2026-10-01", "/?environment=live", "/?unknown=1", "/?currency=dollars",
    "/campaigns?app=x", "/campaigns?sort=nothing", "/campaigns?by=nobody", "/values?network=%00",
    "/app-store?bundle=%3Cb%3E", "/app-store?currency=dollars", "/notifications?reason=nothing",
]
HEADERS = {
    "x-content-type-options": "nosniff", "cache-control": "no-store", "referrer-policy": "same-origin",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("admin", help="the address of the admin listener")
    parser.add_argument("public", help="the address of the public listener")
    parser.add_argument("--coming", type=Path, required=True, help="bodies that the server has not counted yet")
    parser.add_argument("--pictures", type=Path, help="a folder for screenshots; without it there are none")
    options = parser.parse_args()
    # Rather than to hang it says where it is.
    faulthandler.dump_traceback_later(1_800, exit=True)
    findings = Findings()
    token, database = os.environ["ADMIN_TOKEN"], os.environ["DATABASE_URL"]
    with chromium(os.environ["TEST_CHROMIUM"]) as browser:
        context = new_context(browser)
        try:
            _look(context, options, token, database, findings)
        except Error as error:
            traceback.print_exc()
            findings.add(f"the run stopped early: {error}")
        finally:
            context.close()
    for text in findings.texts:
        print(f"finding: {text}")
    print(f"{findings.checks} checks, {len(findings.texts)} findings")
    return 1 if findings.texts else 0


def _look(
    context: BrowserContext, options: argparse.Namespace, token: str, database: str, findings: Findings
) -> None:
    page = WatchedPage(context, options.admin, findings)
    screens = ScreenCheck(options.pictures)
    start = options.admin + "/?environment=test"
    check_refusal(page, start)
    page.open(start)
    screens.check(page, "sign-in")
    sign_in(page, start, token)
    check_cookies(context, findings)
    _check_headers(page, start)
    crawl = Crawl(page, options.admin, database, screens)
    crawl.run(start, most_of_a_path=24)
    for path in ("/", "/campaigns", "/campaign", "/values", "/windows", "/app-store", "/destinations/one"):
        findings.expect(crawl.filled.get(path, 0) > 0, f"{path}: no figure has rows")
    for address in WRONG:
        page.open(options.admin + address, 400)
        findings.expect(page.page.locator("[role=alert]").count() == 1, f"{address}: is refused without a message")
    screens.check(page, "wrong-filter")
    page.open(options.admin + "/nothing-is-here", 404)
    screens.check(page, "unknown-address")
    _check_folded(page, start)
    check_charts(page, start)
    _check_files(page, options.admin)
    check_ended_session(page, options.admin, token, database, screens)
    _check_live(page, options)
    _check_markup(page, options.admin, findings)
    before = _state(database)
    check_attacks(context, options.admin, crawl.actions, findings)
    findings.expect(_state(database) == before, "a page of another origin changed something")
    page.open(start)
    findings.expect(page.page.url == start, "a page of another origin ended the session")
    check_tasks(page, start, database, screens)
    sign_out(page, start)


def _check_headers(page: WatchedPage, address: str) -> None:
    headers = page.page.context.request.get(address).headers
    for name, value in HEADERS.items():
        page.findings.expect(value in headers.get(name, ""), f"{name} is {headers.get(name)}, not {value}")
    policy = headers.get("content-security-policy", "")
    for rule in ("default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"):
        page.findings.expect(rule in policy, f"the Content-Security-Policy lacks {rule}: {policy}")
    page.findings.expect("unsafe" not in policy, f"the Content-Security-Policy allows something unsafe: {policy}")


def _check_folded(page: WatchedPage, address: str) -> None:
    """Tables of charts are folded, so that charts are near each other; the keyboard opens them."""
    page.open(address)
    details = page.page.locator("section.figure:has(.chart) details")
    page.findings.expect(details.count() > 4, f"{address}: {details.count()} charts have a folded table")
    for place in range(details.count()):
        table = details.nth(place).locator("table")
        page.findings.expect(not table.is_visible(), f"{address}: table {place} is open")
        details.nth(place).locator("summary").focus()
        page.page.keyboard.press("Enter")
        page.findings.expect(table.is_visible(), f"{address}: Enter does not open table {place}")


def _check_files(page: WatchedPage, admin: str) -> None:
    """A file that is chosen is checked, and refused with the line and the field that is wrong."""
    header = "day,ad_network_id,advertised_app_id,campaign_id,currency,spend\n"
    good = "2025-01-01,example123.skadnetwork,525463029,1001,USD,12.50\n"
    for text, status, message in (
        (header + good, 200, "1 row, nothing is wrong."),
        (header + good + "2025-01-02,,1,1,USD,1\n", 400, "line 3: ad_network_id"),
    ):
        page.open(admin + "/spend")
        page.page.locator("#spend-form-spend-file").set_input_files(
            {"name": "spend.csv", "mimeType": "text/csv", "buffer": text.encode()})
        page.expects_refusal = status != 200
        with page.page.expect_response(lambda answer: answer.request.method == "POST") as response:
            page.page.get_by_role("button", name="Check spend").click()
        page.page.wait_for_load_state()
        page.expects_refusal = False
        page.findings.expect(response.value.status == status, f"/spend: a file is answered {response.value.status}")
        page.findings.expect(message in page.page.locator("main").inner_text(), f"/spend: does not say {message}")


def _check_live(page: WatchedPage, options: argparse.Namespace) -> None:
    """A postback that arrives must appear without a reload."""
    page.open(options.admin + "/live?environment=test")
    rows = page.page.locator("main tbody tr")
    before = rows.first.text_content() if rows.count() else ""
    target = options.public + "/.well-known/skadnetwork/report-attribution/"
    # A few: one may be a duplicate.
    for body in options.coming.read_bytes().splitlines()[:5]:
        with urlopen(Request(target, data=body), timeout=60) as answer:
            page.findings.expect(answer.status == 200, f"a postback was answered {answer.status}")
    try:
        page.page.wait_for_function(
            "before => (document.querySelector('main tbody tr')?.textContent ?? '') !== before", arg=before)
    except TimeoutError:
        page.findings.add("/live: a postback that arrived is not shown")
    links = page.page.locator("main tbody tr").first.locator("a")
    page.findings.expect(links.count() > 1, f"/live: the newest event has {links.count()} links")


def _check_markup(page: WatchedPage, admin: str, findings: Findings) -> None:
    """What the data of the test has of markup must be there as text."""
    for path, text in (
        ("/mapping", "<script>window.markup=1</script>"),
        ("/campaigns?environment=test&by=campaign", "<script>window.markup=1</script>"),
    ):
        page.open(admin + path)
        findings.expect(text in page.page.locator("main").inner_text(), f"{path}: does not show {text}")
        findings.expect(page.page.evaluate("window.markup === undefined"), f"{path}: markup of data ran")
    page.open(admin + "/refused")
    shown = ""
    for address in page.page.evaluate("[...document.querySelectorAll('main a[href*=\"/refused/\"]')].map(a => a.href)"):
        page.open(address)
        shown += page.page.locator("main").inner_text()
        findings.expect(page.page.evaluate("window.markup === undefined"), f"{address}: markup of a body ran")
    for text in ("<script>alert('markup in a body')</script>", '<html><body onload="alert(1)">'):
        findings.expect(text in shown, f"/refused: no page shows {text}")
    page.open(admin + "/destinations/browser")
    page.open(page.page.evaluate("document.querySelector('main #dead tbody a').href"))
    answer = page.page.locator("main").inner_text()
    findings.expect("<script>window.markup=1</script>" in answer, "/destinations: no delivery shows its answer")
    findings.expect(page.page.evaluate("window.markup === undefined"), "/destinations: markup of an answer ran")


def _state(database: str) -> list[list[str]]:
    """What forms of the page could change."""
    return psql(database, """
        SELECT (SELECT md5(string_agg(m::text, '|' ORDER BY mapping)) FROM attribution.campaign_mapping AS m),
               (SELECT count(*) FROM attribution.spend_daily), (SELECT count(*) FROM attribution.conversion_scheme),
               (SELECT count(*) FROM attribution.rejected_postback), (SELECT count(*) FROM attribution.postback_state),
               (SELECT count(*) FROM attribution.rejected_notification),
               (SELECT count(*) FROM attribution.store_notification),
               (SELECT md5(string_agg(concat_ws(' ', name, state, document), '|' ORDER BY name))
                  FROM attribution.destination),
               (SELECT count(*) FROM attribution.delivery WHERE state = 'dead');
        """)


if __name__ == "__main__":
    sys.exit(main())
