"""What hostile, damaged and foreign files look like: functions from a sound file's bytes."""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections.abc import Callable, Mapping

Transform = Callable[[bytes], bytes]

_FOREIGN = "名字,句子\n狗,一\n"  # stands before what is no text itself
_BOMB = (
    "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
    "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
    "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
)


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return _FOREIGN


def _as(encoding: str) -> Transform:
    return lambda content: _text(content).encode(encoding, errors="replace")


def _replaced(old: str, new: str) -> Transform:
    def change(content: bytes) -> bytes:
        new_bytes = new.encode("utf-8", "surrogatepass")
        return re.sub(old.encode(), lambda _: new_bytes, content)

    return change


def _inside(piece: bytes) -> Transform:
    return lambda content: content[: len(content) // 2] + piece + content[len(content) // 2 :]


def _first_line(change: Callable[[bytes], bytes]) -> Transform:
    def whole(content: bytes) -> bytes:
        head, end, rest = content.partition(b"\n")
        return change(head) + end + rest

    return whole


def _mixed_newlines(content: bytes) -> bytes:
    lines = content.split(b"\n")
    return b"".join(line + (b"\n", b"\r\n", b"\r")[i % 3] for i, line in enumerate(lines))


def _mapped(table: Mapping[int, str]) -> Transform:
    return lambda content: _text(content).translate(table).encode()


def _normal(form: str) -> Transform:
    return lambda content: unicodedata.normalize(form, _text(content) + "é ế 각").encode()


_LOOK_ALIKES = str.maketrans("aeopc", "аеорс")  # Cyrillic
_FULL_WIDTH = str.maketrans("0123456789", "0123456789")

TRANSFORMS: Mapping[str, Transform] = {
    "empty": lambda _: b"",
    "one blank line": lambda _: b"\n",
    "spaces": lambda _: b" \t \n \n",
    "first half": lambda content: content[: len(content) // 2],
    "first byte": lambda content: content[:1],
    "without last byte": lambda content: content[:-1],
    "second half": lambda content: content[len(content) // 2 :],
    "binary": lambda _: bytes(range(256)) * 4,
    "ten times": lambda content: content * 10,
    "long line": lambda content: content.rstrip(b"\n") + b"x" * 200_000 + b"\n",
    "long name": _replaced("naps", "n" * 3000),
    "GBK": _as("gbk"),
    "UTF-16": _as("utf-16"),
    "UTF-32": _as("utf-32"),
    "Latin-1": lambda content: content + "é\n".encode("latin-1"),
    "byte order mark": lambda content: b"\xef\xbb\xbf" + content,
    "two byte order marks": lambda content: b"\xef\xbb\xbf" * 2 + content,
    "NUL inside": _inside(b"\0"),
    "NUL at the start": lambda content: b"\0" * 8 + content,
    "NUL in a word": _replaced("fox", "f\0x"),
    "mixed newlines": _mixed_newlines,
    "old Mac newlines": lambda content: content.replace(b"\n", b"\r"),
    "line separators": _replaced(" ", "\u2028"),
    "header twice": _first_line(lambda head: head + b"\n" + head),
    "columns twice": _first_line(lambda head: head + b"\t" + head + b"," + head),
    "unknown column": _first_line(lambda head: head + b",surplus\tsurplus"),
    "every line twice": lambda content: b"".join(
        line + line for line in content.splitlines(keepends=True)
    ),
    "YAML bomb": lambda content: _BOMB.encode() + content,
    "YAML bomb in front matter": lambda _: b"---\n" + _BOMB.encode() + b"---\n",
    "YAML tag": lambda content: b"x: !!python/object/apply:os.system ['touch PWNED']\n" + content,
    "YAML tag in front matter": lambda _: (
        b"---\nconfigs: !!python/object/apply:os.system ['touch PWNED']\n---\n"
    ),
    "YAML alias of itself": lambda content: b"x: &x [*x]\n" + content,
    "YAML deep": lambda _: b"x: " + b"[" * 500 + b"]" * 500,
    "JSON deep": lambda _: b"[" * 100_000 + b"\n",
    "JSON deep objects": lambda _: b'{"a":' * 100_000 + b"\n",
    "JSON null": lambda _: b"null\n",
    "JSON list": lambda _: b"[]\n",
    "JSON object": lambda _: b"{}\n",
    "JSON number": lambda _: b"1\n",
    "JSON string": lambda _: b'"x"\n',
    "texts as numbers": _replaced('"The [^"]*"', "7"),
    "texts as lists": _replaced('"The [^"]*"', '["x"]'),
    "values as null": _replaced(': ("[^"]*"|[0-9.]+)', ": null"),
    "values as lists": _replaced(': ("[^"]*"|[0-9.]+)', ": [1]"),
    "values as objects": _replaced(': ("[^"]*"|[0-9.]+)', ': {"a": 1}'),
    "names as lists": _replaced('"naps"', '["naps"]'),
    "not a number": _replaced("[0-9.]+", "NaN"),
    "infinite": _replaced("[0-9.]+", "-Infinity"),
    "overflow": _replaced("[0-9]+", "9" * 400),
    "thousands of digits": _replaced("[0-9]+", "9" * 5000),
    "negative": _replaced("[0-9]+", "-3"),
    "path traversal": _replaced("naps", "../../../escaped"),
    "path traversal, two dots": _replaced("naps", ".."),
    "absolute path": _replaced("naps", "/tmp/escaped"),
    "path of a file": _replaced("suites/", "../../suites/"),
    "reserved name": _replaced("naps", "default"),
    "look-alikes": _mapped(_LOOK_ALIKES),
    "full-width digits": _mapped(_FULL_WIDTH),
    "right-to-left mark": _replaced("fox", "f\u202eox\u200f"),
    "zero width": _replaced("fox", "f\u200box\ufeff"),
    "surrogate bytes": _replaced("fox", "f\ud800x"),
    "surrogate escape": _replaced("fox", "f\\ud800x"),
    "composed": _normal("NFC"),
    "decomposed": _normal("NFD"),
    "control characters": _replaced("fox", "f\x1b[31mx\x07\x7f"),
    "gzip": gzip.compress,
    "HTML": lambda _: b"<!DOCTYPE html><html><body>404 Not Found</body></html>\n",
    "Git LFS pointer": lambda _: b"version https://git-lfs.github.com/spec/v1\nsize 12345\n",
    "pickle": lambda _: b"\x80\x04\x95\x1b\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x8c\x06system",
}
