import pytest

from minpairs.errors import TemplateError
from minpairs.grammar import generate
from minpairs.grammar._generate import benchmark_folder, load_benchmark


def test_a_folder_gives_a_table_for_each_template(write, classifier):
    other = classifier.replace("uid: classifier", "uid: another").replace("items: 20", "items: 6")
    tables = generate(write(None, {"classifier": classifier, "another": other}))
    assert {uid: table.num_rows for uid, table in tables.items()} == {
        "another": 6,
        "classifier": 20,
    }


def test_uids_and_n_choose(write, classifier):
    other = classifier.replace("uid: classifier", "uid: another")
    folder = write(None, {"classifier": classifier, "another": other})
    tables = generate(folder, uids=["classifier"], n=4)
    assert {uid: table.num_rows for uid, table in tables.items()} == {"classifier": 4}


def test_the_seed_decides(write):
    folder = write()
    assert generate(folder)["classifier"].equals(generate(folder, seed=0)["classifier"])
    assert not generate(folder)["classifier"].equals(generate(folder, seed=1)["classifier"])


def test_an_unknown_uid_is_an_error_with_the_nearest(write):
    with pytest.raises(
        TemplateError, match=r"no template 'clasifier'; did you mean 'classifier'\?"
    ):
        generate(write(), uids=["clasifier"])


def test_an_unknown_benchmark_is_an_error_with_the_nearest():
    with pytest.raises(
        TemplateError, match=r"clmp: neither a benchmark nor .* did you mean 'climp'\?"
    ):
        generate("clmp")


def test_a_folder_without_templates_is_an_error(write):
    with pytest.raises(TemplateError, match=r"holds no template"):
        generate(write(None, {}))


def test_the_grammars_in_the_package_are_found_by_name(write, monkeypatch):
    folder = write()
    monkeypatch.chdir(folder.parent)
    (folder.parent / "climp").mkdir()  # a dataset folder of that name is not the grammar
    assert benchmark_folder("climp").name == "climp"
    assert (benchmark_folder("climp") / "lexicon" / "features.yaml").is_file()


def test_templates_are_loaded_with_their_lexicon(write):
    (template,), lexicon = load_benchmark(write())
    assert template.about == "A noun takes a classifier of its class."
    assert "classifiers" in lexicon.tables


def test_a_phrase_can_be_given_another_text(write):
    folder = write()
    plain, changed = (
        generate(folder, n=3, phrases=phrases)["classifier"].to_pylist()
        for phrases in ({}, {"object": "大 {noun}"})
    )
    for row, other in zip(plain, changed, strict=True):
        assert other["sentence_good"] == row["sentence_good"].replace(
            row["noun"], "大" + row["noun"]
        )


def test_a_phrase_of_no_template_is_an_error_with_the_nearest(write):
    with pytest.raises(
        TemplateError, match=r"no template has a phrase 'objekt'; did you mean 'object'\?"
    ):
        generate(write(), phrases={"objekt": "x"})


def test_a_name_that_a_given_text_misspells_is_an_error(write):
    with pytest.raises(TemplateError, match=r"\{nuon\} is neither a slot nor a phrase"):
        generate(write(), phrases={"object": "{nuon}"})
