"""The signature line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minpairs import __version__
from minpairs.errors import MinpairsError
from minpairs.signature import Signature, versions

LINE = (
    "model:NAME@REV|data:sha256:abcd1234|measure:sum|bos:auto(<s>)|ties:strict|dtype:float32"
    "|minpairs:0.1.0|transformers:5.24|torch:2.13"
)


def test_a_line_is_read_and_written_back():
    assert str(Signature.parse(LINE)) == LINE


def test_known_fields_come_in_one_order_and_others_after_them():
    made = Signature.of({"later": 1, "ties": "strict", "model": "m", "also": 2})
    assert str(made) == "model:m|ties:strict|later:1|also:2"


def test_a_value_may_hold_colons():
    assert Signature.parse("data:sha256:ab").get("data") == "sha256:ab"


def test_a_bar_in_a_value_is_escaped():
    assert str(Signature.of({"bos": "<|endoftext|>"})) == r"bos:<\|endoftext\|>"


def test_what_is_not_known_is_left_out():
    assert str(Signature.of({"model": "m", "dtype": None})) == "model:m"


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_.]+", fullmatch=True), st.text(max_size=8), min_size=1, max_size=4
    )
)
def test_any_values_survive_writing_and_reading(fields):
    made = Signature.of(fields)
    assert Signature.parse(str(made)) == made
    assert "\n" not in str(made)


def test_a_field_can_be_replaced():
    made = Signature.parse(LINE).with_fields(ties="half")
    assert str(made) == LINE.replace("strict", "half")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("model", "not NAME:VALUE"),
        ("a:1||b:2", "'' is not NAME:VALUE"),
        ("a:1|a:2", "comes twice"),
        (r"a:\x", "unknown escape"),
        ("a b:1", "cannot name"),
    ],
)
def test_a_broken_line_says_what_is_wrong(line, why):
    with pytest.raises(MinpairsError, match=why):
        Signature.parse(line)


def test_versions_name_minpairs_and_leave_out_what_is_not_installed():
    assert versions("numpy", "no-such-package").keys() == {"minpairs", "numpy"}
    assert versions()["minpairs"] == __version__
