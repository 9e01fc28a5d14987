import pytest

from minpairs.errors import TemplateError
from minpairs.grammar import generate
from minpairs.grammar._generate import benchmark_folder, templates


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


def test_templates_are_loaded_by_uid(write):
    assert templates(write())["classifier"].about == "A noun takes a classifier of its class."
