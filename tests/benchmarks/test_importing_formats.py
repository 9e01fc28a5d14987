"""Each format of released pairs and items, in sentences of our own."""

from __future__ import annotations

import gzip
import json
import zipfile

import pytest

from minpairs.benchmarks.importing import FORMATS, Options, import_source, read_source
from minpairs.benchmarks.schema import INTERACTION, MINIMAL_PAIR, Text
from minpairs.benchmarks.suites import load_suites
from minpairs.cli.import_ import Kind
from minpairs.errors import SuiteError


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def jsonl(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def by_config(kind, source, options=None):
    return {suite.config: suite for suite in read_source(kind, source, options).suites}


def test_the_command_knows_every_format():
    assert [kind.value for kind in Kind] == list(FORMATS)


# --- CLiMP ---------------------------------------------------------------------------------------

CLASSIFIER = (
    ",0,1,2,3\n0,classifier,classifier,他有一把伞,1\n1,classifier,classifier,他有一匹伞,0\n"
)
BA = "老张把伞收了\r\n老张被伞收了\r\n小李把灯关了\r\n小李被灯关了"


@pytest.fixture
def climp(tmp_path):
    write(tmp_path / "climp" / "classifier_1000.csv", CLASSIFIER)
    write(tmp_path / "climp" / "ba_construction_1000.csv", BA)
    return tmp_path / "climp"


def test_climp_has_labelled_files_and_one_of_bare_lines(climp):
    suites = by_config("climp", climp)
    assert suites["classifier"].columns["sentence_good"] == ["他有一把伞"]
    assert suites["ba_construction"].columns == {
        "pair_id": [0, 1],
        "UID": ["ba_construction"] * 2,
        "phenomenon": ["ba_construction"] * 2,
        "sentence_good": ["老张把伞收了", "小李把灯关了"],
        "sentence_bad": ["老张被伞收了", "小李被灯关了"],
    }


def test_climp_pairs_stand_where_their_acceptable_sentence_does(climp):
    suites = by_config("climp", climp)
    assert suites["classifier"].places == ("classifier_1000.csv, line 2",)
    assert suites["ba_construction"].places[1] == "ba_construction_1000.csv, line 3"


def test_climp_is_read_from_its_zip(climp, tmp_path):
    with zipfile.ZipFile(tmp_path / "corpus.zip", "w") as archive:
        for path in climp.iterdir():
            archive.write(path, f"CLiMP_corpus/{path.name}")
    assert by_config("climp", tmp_path / "corpus.zip").keys() == {"classifier", "ba_construction"}


def test_an_imported_benchmark_loads_as_suites_and_as_a_whole(climp, tmp_path):
    import_source("climp", climp, tmp_path / "out")
    suites = load_suites(str(tmp_path / "out"))
    assert [suite.name for suite in suites] == ["out.ba_construction", "out.classifier"]
    assert len(load_suites(str(tmp_path / "out"), ["all"])[0]) == 3


def test_the_same_source_gives_the_same_card(climp, tmp_path):
    for name in ("one/out", "two/out"):
        import_source("climp", climp, tmp_path / name)
    one, two = ((tmp_path / name / "out" / "README.md").read_bytes() for name in ("one", "two"))
    assert one == two


def test_a_card_of_an_import_claims_neither_grammar_nor_licence(climp, tmp_path):
    import_source("climp", climp, tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "license: unknown" in card
    assert "machine-generated" not in card
    assert "written by a grammar" not in card


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BA + "\r\n小王把门开了", "has 5 sentences: the last has no partner"),
        (CLASSIFIER.replace("伞,0", "伞,1"), "line 3: label '1' where '0' is expected"),
        (CLASSIFIER.replace("1,classifier,classifier", "1,classifier,other"), "of two paradigms"),
        ("good,bad\na,b\n", "line 1: expected the header ',0,1,2,3'"),
    ],
)
def test_what_is_not_climp_is_an_error(tmp_path, text, message):
    with pytest.raises(SuiteError, match=message):
        read_source("climp", write(tmp_path / "x_1000.csv", text))


# --- SLING, ZhoBLiMP, BLiMP, MultiBLiMP, any pairs -----------------------------------------------


def test_sling_paradigms_are_called_after_their_files(tmp_path):
    row = {
        "sentence_good": "她在唱歌。",
        "sentence_bad": "她在唱了歌。",
        "pair_ID": 0,
        "field": "syntax",
    }
    write(tmp_path / "s/Aspect/a.jsonl", jsonl(row | {"phenomenon": "Aspect", "paradigm": "p"}))
    write(tmp_path / "s/Aspect/a_v2.jsonl", jsonl(row | {"Phenomenon": "Aspect", "Paradigm": "p"}))
    suites = by_config("sling", tmp_path / "s")
    assert set(suites) == {"a", "a_v2"}
    assert suites["a_v2"].columns == {
        "pair_id": [0],
        "UID": ["a_v2"],
        "phenomenon": ["Aspect"],
        "sentence_good": ["她在唱歌。"],
        "sentence_bad": ["她在唱了歌。"],
        "field": ["syntax"],
    }


def test_zhoblimp_paradigms_are_its_uids(tmp_path):
    row = {"phenomenon": "BA", "sentence_good": "我把灯关了。", "sentence_bad": "我把灯关。"}
    path = write(tmp_path / "z.jsonl", jsonl(row | {"UID": "ba_bare_verb", "pairID": "0"}))
    suites = by_config("zhoblimp", path)
    assert suites["ba_bare_verb"].columns["phenomenon"] == ["BA"]


BLIMP = (
    {"sentence_good": "He sings.", "sentence_bad": "He sing.", "UID": "sv", "pairID": "0"},
    {"sentence_good": "We dance.", "sentence_bad": "We dances.", "UID": "sv", "pairID": "1"},
    {"sentence_good": "I see him.", "sentence_bad": "I see he.", "UID": "case", "pairID": "0"},
)


def test_blimp_paradigms_are_its_uids(tmp_path):
    rows = [row | {"linguistics_term": "agreement", "field": "morphology"} for row in BLIMP]
    suites = by_config("blimp", write(tmp_path / "b.jsonl", jsonl(*rows)))
    assert suites["sv"].columns["sentence_bad"] == ["He sing.", "We dances."]
    assert suites["case"].columns["phenomenon"] == ["agreement"]


def test_multiblimp_has_a_suite_for_each_language_and_phenomenon(tmp_path):
    table = "phenomenon\tsen\twrong_sen\nSV-#\tIl chante.\tIl chantent.\nSV-P\tTu vas.\tTu va.\n"
    write(tmp_path / "m/fra/data.tsv", table)
    write(tmp_path / "m/nld.csv", "sen,wrong_sen,verb\nHij zingt.,Hij zingen.,zingen\n")
    suites = by_config("multiblimp", tmp_path / "m")
    assert set(suites) == {"fra_SV-number", "fra_SV-P", "nld"}
    assert suites["fra_SV-number"].columns["UID"] == ["fra_SV-#"]
    assert suites["nld"].columns["verb"] == ["zingen"]


def test_any_pairs_are_read_by_the_names_of_their_columns(tmp_path):
    path = write(tmp_path / "mine.tsv", "ok\tnot\tkind\nWe ski.\tWe skis.\tsv\nI am.\tI is.\tbe\n")
    suites = by_config("pairs", path, Options(acceptable="ok", unacceptable="not", group="kind"))
    assert set(suites) == {"sv", "be"}
    assert suites["be"].layout.design == MINIMAL_PAIR
    assert suites["be"].columns["sentence_good"] == ["I am."]


def test_pairs_without_groups_are_one_suite_a_file(tmp_path):
    path = write(tmp_path / "mine.csv", "sentence_good,sentence_bad\nWe ski.,We skis.\n")
    assert list(by_config("pairs", path)) == ["mine"]


def test_a_paradigm_without_a_name_is_an_error(tmp_path):
    path = write(tmp_path / "mine.csv", "sentence_good,sentence_bad,kind\nWe ski.,We skis., \n")
    with pytest.raises(SuiteError, match=r"mine\.csv, line 2: the paradigm has no name"):
        read_source("pairs", path, Options(group="kind"))


def test_paradigms_do_not_take_the_names_of_unions_and_defaults(tmp_path):
    rows = "sentence_good,sentence_bad,kind\nWe ski.,We skis.,all\nI am.,I is.,default\n"
    path = write(tmp_path / "mine.csv", rows)
    import_source("pairs", path, tmp_path / "out", options=Options(group="kind"))
    assert [suite.config for suite in load_suites(str(tmp_path / "out"))] == ["all_", "default_"]


def test_two_paradigms_of_one_config_name_are_an_error(tmp_path):
    rows = "sentence_good,sentence_bad,kind\nWe ski.,We skis.,a/b\nI am.,I is.,a:b\n"
    with pytest.raises(SuiteError, match="'a/b' and 'a:b' both become 'a_b'"):
        read_source("pairs", write(tmp_path / "mine.csv", rows), Options(group="kind"))


# --- let-alone -----------------------------------------------------------------------------------

FORMAL_COLUMNS = [
    f"{order}{conjunction}{manipulated}_subbed"
    for order in ("base", "swap")
    for conjunction in ("", "_and")
    for manipulated in ("", "_{}")
]
UP = "is heavier"
DOWN = "is lighter"


def formal(manipulated, and_manipulated):
    names = [
        name.format(and_manipulated if "_and" in name else manipulated) for name in FORMAL_COLUMNS
    ]
    header = ["noun", "color1", "color2", "predicate2", *names]
    row = ["desk", "teal", "pink", "couldn't drag", *(f"Text of {name}." for name in names)]
    return "\t".join(header) + "\n" + "\t".join(row) + "\n"


def semantic(comparative):
    """One row as released: its `and` cells make the first phrase greater, whatever is compared."""
    first, second = ("teal", "pink"), ("pink", "teal")
    header = ["noun", "color1", "color2", "predicate2", "predicate1"]
    row = ["desk", "teal", "pink", "couldn't drag", comparative]
    for swapped, order in (("", first), ("_swapped", second)):
        for infix, conjunction in (("", "let alone"), ("_and", "and")):
            mention = f"I couldn't drag the {order[0]} desk {conjunction} the {order[1]} desk."
            right = order[::-1] if comparative == UP and not infix else order
            for felicity, greater in (("right", right), ("wrong", right[::-1])):
                header.append(f"semantic{swapped}{infix}_{felicity}")
                row.append(
                    f"{mention} The {greater[0]} desk {comparative} than the {greater[1]} desk."
                )
    return "\t".join(header) + "\n" + "\t".join(row) + "\n"


@pytest.mark.parametrize(
    ("config", "names"),
    [
        ("npi", ("no_npi", "npi")),
        ("cleft", ("psuedo", "psuedo")),
        ("clause", ("cp", "cp")),
        ("gap", ("gap", "gap")),
        ("vp", ("vp", "vp")),
    ],
)
def test_a_formal_suite_is_known_by_its_columns(tmp_path, config, names):
    path = tmp_path / "any_name.tsv.gz"
    path.write_bytes(gzip.compress(formal(*names).encode()))
    (suite,) = read_source("let-alone", path).suites
    assert (suite.config, suite.layout.design) == (config, INTERACTION)
    manipulated, and_manipulated = names
    texts = {cell: suite.texts(cell)[0][1] for cell in INTERACTION.cells}
    assert texts == {
        "base_let_alone": "Text of base_subbed.",
        "base_let_alone_manipulated": f"Text of base_{manipulated}_subbed.",
        "base_and": "Text of base_and_subbed.",
        "base_and_manipulated": f"Text of base_and_{and_manipulated}_subbed.",
        "swapped_let_alone": "Text of swap_subbed.",
        "swapped_let_alone_manipulated": f"Text of swap_{manipulated}_subbed.",
        "swapped_and": "Text of swap_and_subbed.",
        "swapped_and_manipulated": f"Text of swap_and_{and_manipulated}_subbed.",
    }


def test_scalar_cells_are_a_context_and_a_follow_up(tmp_path):
    path = write(tmp_path / "s.tsv", semantic(DOWN))
    import_source("let-alone", path, tmp_path / "out")
    (suite,) = load_suites(str(tmp_path / "out"))
    assert suite.texts("base_let_alone") == [
        Text(
            " The teal desk is lighter than the pink desk.",
            "I couldn't drag the teal desk let alone the pink desk.",
        )
    ]


@pytest.mark.parametrize(
    ("comparative", "raw", "greater", "higher"),
    [
        (UP, False, "pink", "second"),
        (UP, True, "teal", "second"),
        (DOWN, False, "teal", "first"),
        (DOWN, True, "teal", "first"),
    ],
)
def test_and_cells_are_oriented_as_let_alone_s_unless_raw(
    tmp_path, comparative, raw, greater, higher
):
    path = write(tmp_path / "s.tsv", semantic(comparative))
    (suite,) = read_source("let-alone", path, Options(raw=raw)).suites
    assert suite.texts("base_and")[0][1].startswith(f" The {greater} desk")
    assert suite.columns["higher"] == [higher]
    if not raw:
        for order in ("base", "swapped"):
            for manipulated in ("", "_manipulated"):
                cells = (f"{order}_{name}{manipulated}" for name in ("let_alone", "and"))
                one, other = (suite.texts(cell)[0][1] for cell in cells)
                assert one == other


def test_the_rows_that_were_re_oriented_are_reported(tmp_path):
    rows = semantic(UP) + semantic(DOWN).partition("\n")[2]
    path = write(tmp_path / "s.tsv", rows)
    assert read_source("let-alone", path).notes == (
        "s.tsv: the `and` cells of 1 of 2 rows (50.0%) were re-oriented",
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("desk. The", "desk; the", "line 2: .* is not a sentence with one follow-up"),
        ("and the pink desk. The teal", "and the pink desk. The blue", "other follow-ups"),
    ],
)
def test_a_semantic_row_of_another_form_is_an_error(tmp_path, old, new, message):
    path = write(tmp_path / "s.tsv", semantic(DOWN).replace(old, new))
    with pytest.raises(SuiteError, match=message):
        read_source("let-alone", path)


def test_orders_that_are_oriented_differently_are_an_error(tmp_path):
    up, down = (
        dict(zip(*(line.split("\t") for line in semantic(c).split("\n")[:2]), strict=True))
        for c in (UP, DOWN)
    )
    mixed = down | {
        name: down[name.replace("right", "x").replace("wrong", "right").replace("x", "wrong")]
        for name in up
        if name.startswith("semantic_swapped_and")
    }
    path = write(tmp_path / "s.tsv", "\t".join(mixed) + "\n" + "\t".join(mixed.values()) + "\n")
    with pytest.raises(SuiteError, match=r"line 2: .* two orders are oriented differently"):
        read_source("let-alone", path)


def test_columns_of_no_let_alone_suite_are_an_error(tmp_path):
    path = write(tmp_path / "x.tsv", "noun\tbase_subbed\na\tb\n")
    with pytest.raises(SuiteError, match=r"x\.tsv has the columns noun, base_subbed"):
        read_source("let-alone", path)


def test_the_same_suite_twice_is_an_error(tmp_path):
    for name in ("one.tsv", "two.tsv"):
        write(tmp_path / "la" / name, formal("vp", "vp"))
    with pytest.raises(SuiteError, match=r"two\.tsv: there is another file of the suite 'vp'"):
        read_source("let-alone", tmp_path / "la")


# --- AANN ----------------------------------------------------------------------------------------

AANN = (
    "idx,sentence,prefix,construction,default_nan,order_swap,no_article,no_modifier,no_numeral\n"
    "7,She slept a good nine hours,She slept,a good nine hours,nine good hours,good a nine hours,"
    "good nine hours,a nine hours,a good hours\n"
)


def test_an_aann_item_has_five_cells_after_its_prefix_and_four_predictions(tmp_path):
    import_source("aann", write(tmp_path / "corruption.csv", AANN), tmp_path / "out")
    (suite,) = load_suites(str(tmp_path / "out"))
    assert suite.texts("construction") == [Text(" a good nine hours", "She slept")]
    assert suite.texts("order_swap") == [Text(" good a nine hours", "She slept")]
    assert [str(inequality) for inequality in suite.design.inequalities] == [
        "construction - order_swap > 0",
        "construction - no_article > 0",
        "construction - no_modifier > 0",
        "construction - no_numeral > 0",
    ]
    assert suite.design.chance == 0.2
    assert suite.labels("idx") == ["7"]


def test_an_aann_file_without_prefixes_has_cells_of_their_own(tmp_path):
    header = "construction,order_swap,no_article,no_modifier,no_numeral\n"
    (suite,) = read_source("aann", write(tmp_path / "a.csv", header + "a,b,c,d,e\n")).suites
    assert suite.texts("construction") == [("", "a")]
