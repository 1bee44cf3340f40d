"""Mistakes in what an operator types, and a session that ends while they type."""

from __future__ import annotations

from browsing import WatchedPage
from figures import psql
from screens import ScreenCheck
from signing_in import send_token

# The currency is wrong, in line 3.
SCHEME = """{"app-id": 525463029, "name": "mistake", "fine": [{"value": 1, "events": []}],
 "valid-from": "2031-01-01T00:00:00Z",
 "currency": "US"}"""


def check_mistake(page: WatchedPage, start: str, screens: ScreenCheck) -> None:
    """From Overview four clicks at most: a scheme with a mistake is loaded, and the field found."""
    page.open(start)
    main = page.page.locator("main")
    page.page.get_by_role("link", name="Schemes", exact=True).click()
    page.page.locator("#load-scheme").fill(SCHEME)
    page.expects_refusal = True
    with page.page.expect_navigation():
        main.get_by_role("button", name="Load", exact=True).click()
    page.expects_refusal = False
    screens.check(page, "wrong-scheme")
    summary = page.page.locator("[role=alert] li")
    page.findings.expect(summary.count() == 1, f"one mistake gives {summary.count()} messages")
    summary.locator("a").click()
    field = page.page.locator(":focus")
    page.findings.expect(field.get_attribute("id") == "load-scheme", "the message does not lead to its field")
    page.findings.expect(field.input_value() == SCHEME, "what was typed is gone")
    described = page.page.locator("#" + (field.get_attribute("aria-describedby") or "nothing"))
    for text in ("line 3: currency", '"currency": "US"'):
        page.findings.expect(text in described.inner_text(), f"the field does not say {text}")


def check_ended_session(page: WatchedPage, admin: str, token: str, database: str, screens: ScreenCheck) -> None:
    """What was typed when the session ended is there after signing in again."""
    page.open(admin + "/schemes")
    page.page.locator("#load-scheme").fill(SCHEME)
    psql(database, "UPDATE attribution.page_session SET seen_at = now() - interval '31 minutes'")
    with page.page.expect_navigation():
        page.page.locator("main").get_by_role("button", name="Check", exact=True).click()
    page.findings.expect("Your session has ended." in page.page.locator("main").inner_text(), "no word of the end")
    screens.check(page, "session-ended")
    send_token(page, f" {token} ")
    page.findings.expect(page.page.url == admin + "/schemes", f"signing in again leads to {page.page.url}")
    page.findings.expect(page.page.locator("#load-scheme").input_value() == SCHEME, "what was typed is lost")
    page.findings.expect("nothing was changed" in page.page.locator("main").inner_text(), "no word of what happened")
