"""Whether each chart, its table, its CSV and its SQL say the same."""

from __future__ import annotations

import csv
import io
import re
import subprocess
from decimal import Decimal, InvalidOperation
from typing import TypedDict

from playwright.sync_api import Locator

from browsing import WatchedPage

# A place says such as "2026-11-01, not complete yet", "Installs: 1,204" and "between 1.5 % and 2.0 %".
NUMBER = r"(-?[\d,.]+)( %)?"
SERIES = re.compile(rf"^.*: {NUMBER}$")
RANGE = re.compile(rf"^between {NUMBER} and {NUMBER}$")
INCOMPLETE = ", not complete yet"

# The apostrophe before what a spreadsheet could run, as docs/http-api.md says.
FORMULA = re.compile(
    r"""\A'(?=(?:[^\S\t\r\n]|["'])*[-=+@＝＋－＠\t\r\n])|(?<=[;\t\r\n])'(?=(?:[^\S\t\r\n]|["'])*[-=+@＝＋－＠])""")

FIGURE = """section => ({
    charts: [...section.querySelectorAll('figure > svg')].map(svg => {
        // The tops of each series: of complete bars in the order of the places, and of all others with their places.
        const bars = [...svg.querySelectorAll('.bars path')].flatMap(path => {
            const series = Number(path.classList[0].split('-')[1]), shape = path.getAttribute('d');
            return path.classList.contains('incomplete')
                ? [...shape.matchAll(/M(\\d+) (\\d+)V(\\d+)/g)].map(bar =>
                    ({series, place: Number(bar[1]), ground: Number(bar[2]), top: Number(bar[3])}))
                : [...shape.matchAll(/V(\\d+)h[\\d.]+V0h/g)].map((bar, place) =>
                    ({series, place, ground: 0, top: Number(bar[1])})).filter(bar => bar.top > 0);
        });
        return [...svg.querySelectorAll('.places > *')].map((place, number) => {
            let ground = 0;
            const mine = bars.filter(bar => bar.place === number).sort((a, b) => a.series - b.series);
            return {texts: [...place.querySelectorAll('tspan')].map(line => line.textContent),
                    bars: mine.map(({series, top, ground: own}) => {
                        const height = (top - Math.max(ground, own)) / 4;
                        ground = top;
                        return {series, height};
                    })};
        });
    }),
    rows: [...(section.querySelector('table')?.tBodies[0]?.rows ?? [])].map(row =>
        ({texts: [...row.cells].map(cell => cell.textContent.trim()),
          values: [...row.querySelectorAll('td.number')].map(cell => cell.dataset.value ?? cell.textContent)})),
    tiles: [...section.querySelectorAll('.tiles [data-value]')].map(tile => tile.dataset.value),
    sql: section.querySelector('pre code')?.textContent ?? '',
    csv: section.querySelector('a[download]')?.href ?? ''})"""


class Bar(TypedDict):
    """A bar of a chart: the number of its series, from 1 on."""

    series: int
    height: float


class Place(TypedDict):
    """A place of a chart: what it says, line by line, and its bars."""

    texts: list[str]
    bars: list[Bar]


class Row(TypedDict):
    """A row of a table: what is shown, and its exact numbers."""

    texts: list[str]
    values: list[str]


class Figure(TypedDict):
    """A figure, as the page has it."""

    charts: list[list[Place]]
    rows: list[Row]
    tiles: list[str]
    sql: str
    csv: str


def check_figures(page: WatchedPage, database: str) -> int:
    """Checks the figures of the screen that is open, and returns how many have rows."""
    filled = 0
    for section in page.page.locator("section.figure[id]").all():
        name = f"{page.page.url} #{section.get_attribute('id')}"
        figure: Figure = section.evaluate(FIGURE)
        if figure["rows"]:
            # Tables of the server itself, and of files, have no chart.
            if figure["charts"] or figure["csv"]:
                _check(page, figure, name, database)
            filled += 1
        else:
            advice = section.locator(".advice")
            page.findings.expect(
                advice.count() == 1 and len(advice.inner_text().split()) > 4, f"{name}: is empty without advice")
    return filled


def _check(page: WatchedPage, figure: Figure, name: str, database: str) -> None:
    findings = page.findings
    if findings.expect(figure["csv"] != "", f"{name}: has no CSV") and findings.expect(
            figure["sql"] != "", f"{name}: has no SQL"):
        rows = _download(page, figure["csv"], name)
        _compare(page, psql(database, figure["sql"]), rows, name)
        known = {number for row in rows for number in map(number_of, row) if number is not None}
        shown = {number for row in figure["rows"] for number in map(number_of, row["values"]) if number is not None}
        findings.expect(len(shown) > 0 or not figure["charts"], f"{name}: the table has no number")
        # A tile may be the sum of a column.
        for column in zip(*rows[1:]):
            known.add(sum((number_of(cell) or Decimal(0) for cell in column), Decimal(0)).normalize())
        shown |= {number for number in map(number_of, figure["tiles"]) if number is not None}
        strange = sorted(shown - known)
        findings.expect(not strange, f"{name}: the table or a tile has {strange[:3]}, which the CSV does not have")
    for places in figure["charts"]:
        _check_places(page, places, figure, name)


def _compare(page: WatchedPage, answered: list[list[str]], rows: list[list[str]], name: str) -> None:
    """The SQL must give the columns and rows of the CSV, in the same order; it may have more columns."""
    names = rows[0] if rows else []
    if page.findings.expect(
            bool(names) and bool(answered) and set(names) <= set(answered[0]),
            f"{name}: the SQL lacks a column of the CSV {names}: {answered[:1]}"):
        places = [answered[0].index(column) for column in names]
        mine = [[_value(row[place]) for place in places] for row in answered[1:]]
        theirs = [[_value(FORMULA.sub("", cell)) for cell in row] for row in rows[1:]]
        different = next((pair for pair in zip(mine, theirs) if pair[0] != pair[1]), None)
        page.findings.expect(
            mine == theirs, f"{name}: SQL gives {len(mine)} rows, CSV {len(theirs)}; they differ in {different}")


def _value(cell: str) -> Decimal | str:
    """A cell without what depends on who writes it: numbers and truth values."""
    number = number_of(cell)
    if number is not None:
        return number
    return {"t": "true", "f": "false"}.get(cell, cell)


def _check_places(page: WatchedPage, places: list[Place], figure: Figure, name: str) -> None:
    """What a place says must be in its row of the table, and its bars must be as high as their numbers say."""
    findings = page.findings
    findings.expect(len(places) > 0, f"{name}: a chart has no places")
    scales: list[float] = []
    for place in places:
        label = place["texts"][0].removesuffix(INCOMPLETE)
        numbers = [
            number for row in figure["rows"] if _is_of(row, label)
            for number in map(number_of, row["values"]) if number is not None]
        for text in place["texts"][1:]:
            match = RANGE.match(text)
            for value, share in ([(match[1], match[2]), (match[3], match[4])] if match else []):
                findings.expect(_has(numbers, value, share), f"{name}: the table lacks {label}: {text}")
        for bar in place["bars"]:
            text = place["texts"][bar["series"]]
            match = SERIES.match(text)
            if not findings.expect(match is not None, f"{name}: a bar at {label} says {text}") or match is None:
                continue
            findings.expect(_has(numbers, match[1], match[2]), f"{name}: the table lacks {label}: {text}")
            # Low bars are drawn higher, and small numbers are rounded.
            value = number_of(match[1]) or Decimal(0)
            if bar["height"] >= 5 and value > 20 * _step(match[1]):
                scales.append(bar["height"] / float(value))
    findings.expect(
        not scales or max(scales) <= 1.06 * min(scales), f"{name}: heights of bars do not follow their numbers")


def _has(numbers: list[Decimal], text: str, share: str | None) -> bool:
    """Whether a number that was rounded is among exact ones."""
    if share:
        # A share of the table, or of one of its numbers in another.
        numbers = [100 * one / other for one in numbers for other in [*numbers, Decimal(1)] if other]
    value = number_of(text) or Decimal(0)
    return any(abs(number - value) <= _step(text) / 2 for number in numbers)


def _step(text: str) -> Decimal:
    """The least difference of two numbers that are rounded like this one."""
    return Decimal(1).scaleb(-len(text.partition(".")[2]))


def _is_of(row: Row, place: str) -> bool:
    """Whether a row is that of a bar, whose place may be made of several cells. Only cells have the number of a window."""
    return set(re.split(" · |: ", place.casefold())) <= {
        re.sub(r"(?<= window) \([0-2]\)$", "", text.casefold()) for text in row["texts"]}


def _download(page: WatchedPage, address: str, name: str) -> list[list[str]]:
    answer = page.page.context.request.get(address)
    kind = answer.headers.get("content-type", "")
    page.findings.expect(
        answer.status == 200 and kind.startswith("text/csv"), f"{name}: the CSV is answered {answer.status} {kind}")
    rows = list(csv.reader(io.StringIO(answer.text())))
    for cell in (cell for row in rows for cell in row if number_of(cell) is None):
        page.findings.expect(
            not cell.startswith(("=", "+", "-", "@", "\t", "\r")), f"{name}: a cell of the CSV may run: {cell[:60]}")
    return rows


def psql(database: str, sql: str) -> list[list[str]]:
    """What psql answers to a statement, as rows of text behind one of names; or an error alone."""
    result = subprocess.run(
        ["psql", "--no-psqlrc", "--csv", database], input=sql, capture_output=True, text=True, timeout=300)
    return list(csv.reader(io.StringIO(result.stdout))) or [[result.stderr.strip()]]


def number_of(text: str) -> Decimal | None:
    """The number of a text, with or without commas between thousands; None if it is none."""
    try:
        return Decimal(text.strip().replace(",", "")).normalize()
    except InvalidOperation:
        return None
