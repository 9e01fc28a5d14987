"""Judgements by people: forced choice over minimal pairs, and how far annotators agree."""

from minpairs.annotation.agreement import (
    Agreement,
    Annotator,
    ParadigmAgreement,
    Tally,
    agree,
    read_annotators,
    read_studies,
)
from minpairs.annotation.alpha import nominal_alpha
from minpairs.annotation.journal import Choice, Judgement, read_judgements
from minpairs.annotation.session import Session, judgements_csv
from minpairs.annotation.study import Pair, Study, Trial, build_study, read_study, trials
from minpairs.annotation.tables import agreement_table, annotators_table, suspects_table

__all__ = [
    "Agreement",
    "Annotator",
    "Choice",
    "Judgement",
    "Pair",
    "ParadigmAgreement",
    "Session",
    "Study",
    "Tally",
    "Trial",
    "agree",
    "agreement_table",
    "annotators_table",
    "build_study",
    "judgements_csv",
    "nominal_alpha",
    "read_annotators",
    "read_judgements",
    "read_studies",
    "read_study",
    "suspects_table",
    "trials",
]
