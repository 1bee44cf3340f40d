"""Reads tables through psql, all of them in one snapshot, and turns what psql prints into Python values."""

import datetime
import decimal
import subprocess

# PostgreSQL's infinite days.
FIRST_DAY = datetime.date.min
LAST_DAY = datetime.date.max
DAY = datetime.timedelta(days=1)

_END = "\\.\n"
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_EPOCH = datetime.datetime(1970, 1, 1)
_MICROSECOND = datetime.timedelta(microseconds=1)


class DatabaseError(Exception):
    """psql has ended; it has said why on standard error."""


class Snapshot:
    """One read-only transaction of one psql. Servers may write meanwhile: nothing that is read here changes."""

    def __init__(self, url):
        self._psql = subprocess.Popen(
            ["psql", url, "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        # A function of another schema that bears a name of pg_catalog's is none of ours.
        self._send("SET search_path = pg_catalog, pg_temp;")
        self._send("SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres'; SET jit = off;")
        self._send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;")
        # Nobody can drop a day until the end. The first query, which takes the snapshot, comes after it.
        self._send("LOCK TABLE attribution.postback_body, attribution.postback_log IN ACCESS SHARE MODE;")

    def rows(self, query):
        """The rows of a query, each a list of texts; None stands for NULL. Read all of them before the next query.

        The text format of COPY is used, not CSV: Python's csv can't tell NULL from an empty text.
        """
        self._send(f"COPY (\n{query}\n) TO STDOUT;\n\\echo '\\\\.'")
        for line in self._until_end():
            yield [_cell(text) for text in line[:-1].split("\t")]

    def values(self, query, *types):
        """The rows of a query as tuples of values of these types, which are PostgreSQL's names."""
        readers = [reader(name) for name in types]
        for row in self.rows(query):
            yield tuple(None if text is None else read(text) for read, text in zip(readers, row, strict=True))

    def columns(self, source):
        """The columns of a FROM item, with the names of their types."""
        self._send(f"SELECT * FROM {source} \\gdesc\n\\echo '\\\\.'")
        return dict(line[:-1].split("\t") for line in self._until_end())

    def close(self):
        self._psql.stdin.close()
        self._psql.wait()

    def _until_end(self):
        for line in self._psql.stdout:
            if line == _END:
                return
            yield line
        raise DatabaseError(f"psql ended with exit code {self._psql.wait()}")

    def _send(self, script):
        try:
            self._psql.stdin.write(script + "\n")
            self._psql.stdin.flush()
        except BrokenPipeError:
            raise DatabaseError(f"psql ended with exit code {self._psql.wait()}") from None


def quoted(text):
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def day_before(a_day):
    """The day before; an infinite day stays."""
    return a_day if a_day in (FIRST_DAY, LAST_DAY) else a_day - DAY


def day_after(a_day):
    """The day after; an infinite day stays."""
    return a_day if a_day in (FIRST_DAY, LAST_DAY) else a_day + DAY


# The last arguments of a report's function: all environments, and copies too.
EVERYTHING = "an_environment => NULL, copies => NULL"


def sql_day(a_day):
    """A day as a literal of SQL."""
    return {FIRST_DAY: "'-infinity'", LAST_DAY: "'infinity'"}.get(a_day, f"'{a_day}'")


def reader(type_name):
    """What reads a value of a type of PostgreSQL. Money is never a float: numeric is an exact decimal."""
    if type_name.endswith("[]"):
        element = reader(type_name[:-2])
        # The order of texts is that of the database's collation, and says nothing.
        return lambda text: tuple(sorted(element(item) for item in _array(text)))
    return {
        "smallint": int, "integer": int, "bigint": int, "numeric": decimal.Decimal, "boolean": lambda text: text == "t",
        "date": day, "timestamp with time zone": moment, "timestamp without time zone": lambda text: moment(text + "+00"),
    }.get(type_name, str)


def day(text):
    """A day."""
    if text == "infinity":
        return LAST_DAY
    return FIRST_DAY if text == "-infinity" else datetime.date.fromisoformat(text)


def moment(text):
    """A moment in microseconds since 1970; text as PostgreSQL writes it in UTC."""
    if text in ("infinity", "-infinity"):
        return float(text)
    if not text.endswith("+00"):
        raise ValueError(f"not a time in UTC: {text}")
    head, _, fraction = text[:-3].partition(".")
    seconds = (datetime.datetime.strptime(head, "%Y-%m-%d %H:%M:%S") if len(head) != 19
               else datetime.datetime.fromisoformat(head))
    return (seconds - _EPOCH) // _MICROSECOND + int(fraction.ljust(6, "0"))


def _cell(text):
    """A column of the text format of COPY."""
    if "\\" not in text:
        return text
    if text == "\\N":
        return None
    parts = text.split("\\\\")
    return "\\".join(_unescaped(part) for part in parts)


def _unescaped(text):
    head, *rest = text.split("\\")
    return head + "".join(_ESCAPES.get(part[:1], part[:1]) + part[1:] for part in rest)


def _array(text):
    """The items of a one-dimensional array as PostgreSQL writes it, such as {a,"b \\"c\\"",NULL}."""
    items, item, is_quoted, in_quotes, position = [], "", False, False, 1
    while position < len(text):
        character = text[position]
        if in_quotes and character == "\\":
            position += 1
            item += text[position]
        elif character == '"':
            in_quotes, is_quoted = not in_quotes, True
        elif not in_quotes and character in ",}":
            if item or is_quoted or character == ",":
                items.append(None if item == "NULL" and not is_quoted else item)
            item, is_quoted = "", False
        else:
            item += character
        position += 1
    return items
