"""Signing in and out, what the session's cookie must be, and what is kept if a session ends."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext

from browsing import WatchedPage
from figures import psql
from findings import Findings
from screens import ScreenCheck

TOKEN_FIELD = "input[type=password]"
TYPED = '{"app-id": 525463029, "name": "typed"}'


def sign_in(page: WatchedPage, address: str, token: str) -> None:
    """Opens an address signed out, signs in there, and must land on the same address."""
    page.open(address)
    page.findings.expect(urlsplit(page.page.url).path == "/sign-in", f"{address} is open without a session")
    send_token(page, token)
    page.findings.expect(page.page.locator(TOKEN_FIELD).count() == 0, "the right token does not sign in")
    page.findings.expect(page.page.url == address, f"{address}: after signing in the address is {page.page.url}")


def check_refusal(page: WatchedPage, address: str) -> None:
    """A wrong token must be refused with a message, and give no session."""
    page.open(address)
    page.expects_refusal = True
    send_token(page, "not-the-token")
    page.expects_refusal = False
    page.findings.expect(page.page.locator(TOKEN_FIELD).count() == 1, "a wrong token signs in")
    page.findings.expect(page.page.locator("[role=alert]").count() == 1, "a wrong token is refused without a message")
    page.findings.expect(not page.page.context.cookies(), "a wrong token sets a cookie")


def send_token(page: WatchedPage, token: str) -> None:
    """Sends the form to sign in."""
    page.page.locator(TOKEN_FIELD).fill(token)
    with page.page.expect_navigation():
        page.page.locator(f"form:has({TOKEN_FIELD}) button").click()


def check_cookies(context: BrowserContext, findings: Findings) -> None:
    """Every cookie must be out of reach of scripts and of other sites."""
    cookies = context.cookies()
    findings.expect(len(cookies) > 0, "signing in sets no cookie")
    for cookie in cookies:
        name = cookie.get("name")
        findings.expect(cookie.get("httpOnly") is True, f"cookie {name} is not HttpOnly")
        findings.expect(cookie.get("sameSite") == "Strict", f"cookie {name} is not SameSite=Strict")


def sign_out(page: WatchedPage, address: str) -> None:
    """Signs out. The old cookie must be worth nothing then."""
    context = page.page.context
    old = context.cookies()
    page.open(address)
    with page.page.expect_navigation():
        page.page.get_by_role("button", name="Sign out").click()
    page.findings.expect(page.page.locator(TOKEN_FIELD).count() == 1, "signing out does not lead to the sign-in")
    context.add_cookies(old)
    page.open(address)
    page.findings.expect(page.page.locator(TOKEN_FIELD).count() == 1, "a session goes on after signing out")


def check_ended_session(page: WatchedPage, admin: str, token: str, database: str, screens: ScreenCheck) -> None:
    """What was typed when the session ended is there after signing in again."""
    page.open(admin + "/schemes")
    page.page.locator("#load-scheme").fill(TYPED)
    psql(database, "UPDATE attribution.page_session SET seen_at = now() - interval '31 minutes'")
    with page.page.expect_navigation():
        page.page.locator("main").get_by_role("button", name="Check", exact=True).click()
    page.findings.expect("Your session has ended." in page.page.locator("main").inner_text(), "no word of the end")
    screens.check(page, "session-ended")
    send_token(page, f" {token} ")
    page.findings.expect(page.page.url == admin + "/schemes", f"signing in again leads to {page.page.url}")
    page.findings.expect(page.page.locator("#load-scheme").input_value() == TYPED, "what was typed is lost")
    page.findings.expect("nothing was changed" in page.page.locator("main").inner_text(), "no word of what happened")
