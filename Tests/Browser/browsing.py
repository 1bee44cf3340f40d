"""A real Chromium that tells every error, and every request to another host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from findings import Findings

DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


def new_context(browser: Browser) -> BrowserContext:
    """A context of its own, without cookies."""
    context = browser.new_context(viewport=DESK, reduced_motion="reduce")
    # For slow machines: only what never comes takes so long.
    context.set_default_timeout(60_000)
    return context


@contextmanager
def chromium(path: str) -> Iterator[Browser]:
    """Debian's Chromium. Its sandbox needs rights that root in a container does not have."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        try:
            yield browser
        finally:
            browser.close()


class WatchedPage:
    """A page whose requests and console are read.

    Chromium tells violations of the Content-Security-Policy at the console too.
    """

    def __init__(self, context: BrowserContext, base: str, findings: Findings) -> None:
        self.page: Page = context.new_page()
        self.host = urlsplit(base).netloc
        self.findings = findings
        # Chromium notes each answer with a status of 400 or more as an error.
        self.expects_refusal = False
        self.page.on("request", self._request)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: findings.add(f"{self.page.url}: a script failed: {error}"))

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        self.findings.expect(
            address.netloc == self.host or address.scheme == "data", f"a request to another host: {request.url}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning"):
            return
        if self.expects_refusal and "Failed to load resource" in message.text:
            return
        self.findings.add(f"{self.page.url}: console: {message.text}")

    def open(self, address: str, status: int | tuple[int, ...] = 200) -> None:
        """Opens an address, which must be answered with this status and have a title and a heading."""
        statuses = (status,) if isinstance(status, int) else status
        self.expects_refusal = 200 not in statuses
        answer = self.page.goto(address, wait_until="load")
        found = answer.status if answer else 0
        if self.findings.expect(found in statuses, f"{address}: answered {found}, not {status}"):
            self.findings.expect(self.page.title().strip() != "", f"{address}: has no title")
            self.findings.expect(self.page.locator("h1").count() == 1, f"{address}: must have one h1")
        self.expects_refusal = False
