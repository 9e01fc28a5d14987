from minpairs.grammar.checks import check


def test_a_sound_benchmark_has_no_problems(write):
    report = check(write())
    assert report.ok
    assert report.problems == ()
    (template,) = report.templates
    assert (template.uid, template.items, template.assignments) == ("classifier", 20, {"": 252})


def test_sizes_and_uses_are_counted(write):
    report = check(write())
    sizes = {table.name: (table.rows, table.columns, table.used_columns) for table in report.tables}
    assert sizes["nouns"] == (5, 3, 3)
    assert sizes["people"] == (6, 2, 1)
    assert report.forms == 18
    assert report.used_forms == 18
    assert report.features == 9
    assert report.used_features == 7


def test_columns_and_entries_that_no_template_uses_are_notes(write, tables):
    tables["nouns"] += "天\tsky\t片\n"
    notes = check(write(tables)).notes
    assert any("nouns.tsv, line 7: no template can draw '天'" in note for note in notes)
    assert any("people.tsv: no template uses the column 'gender'" in note for note in notes)


def test_a_value_that_no_row_has_is_a_note(write, classifier):
    text = classifier.replace("{from: nouns}", "{from: nouns, without: {sort: sky}}")
    (note,) = [n for n in check(write(None, {"classifier": text})).notes if "sky" in n]
    assert "line 11: no row of nouns has 'sky' in sort ('without' of slot 'noun')" in note


def test_a_value_both_licensed_and_not_is_a_problem(write, tables):
    tables["verbs"] = "form\tobject\tobject_not\n买\tthing|animal\tanimal\n看\tthing\t\n"
    (problem,) = check(write(tables)).problems
    assert "verbs.tsv, line 2: '买' has animal in both object and object_not" in problem


def test_a_relation_that_nothing_satisfies_is_a_problem(write, classifier):
    text = classifier.replace("noun.sort in verb.object", "noun.sort in verb.form")
    (problem,) = check(write(None, {"classifier": text})).problems
    assert (
        "classifier.yaml: line 15: nothing satisfies the relation 'noun.sort in verb.form'"
        in problem
    )


def test_relations_that_exclude_each_other_are_a_problem(write, classifier):
    text = classifier.replace(
        "- right.form in", "- wrong.form in noun.classifiers\n  - right.form in"
    )
    (problem,) = check(write(None, {"classifier": text})).problems
    assert "nothing satisfies" in problem or "exclude each other" in problem


def test_a_slot_without_entries_is_a_problem(write, classifier):
    text = classifier.replace("{from: nouns}", "{from: nouns, where: {sort: sky}}")
    (problem,) = check(write(None, {"classifier": text})).problems
    assert "classifier.yaml: line 11: no entry of nouns fits slot 'noun'" in problem


def test_faults_of_all_templates_are_collected(write, classifier):
    one = classifier.replace("uid: classifier", "uid: one").replace("from: people", "from: peple")
    two = classifier.replace("uid: classifier", "uid: two").replace("noun.sort in", "noun.srt in")
    report = check(write(None, {"one": one, "two": two, "classifier": classifier}))
    assert len(report.problems) == 2
    assert [template.uid for template in report.templates] == ["classifier"]


def test_a_faulty_lexicon_is_one_problem(write, tables):
    tables["nouns"] += "书\tthing\t本\n"
    report = check(write(tables))
    assert not report.ok
    assert "already stands on line 2" in report.problems[0]


def test_the_report_reads_as_lines_of_text(write):
    text = str(check(write()))
    assert "table nouns: 5 rows (5 used), 3 columns (3 used)" in text
    assert "template classifier: 252 assignments for 20 items" in text
    assert text.splitlines()[-1] == (
        "18 distinct forms (18 used), 9 features with values (7 used by templates), "
        "0 problems, 2 notes"
    )
