"""Prompts of a forced choice: templates with named fields, checked before anything is asked."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from minpairs.errors import TemplateError, nearest
from minpairs.scoring.chat.questions import Question

# What a template may name. `formatted_choices` is what the let-alone paper calls `choices`, so that
# its own prompt (Table 6) can be given as it is printed.
FIELDS = ("text", "choices", "formatted_choices", "a", "b", "construction")

_FOLLOW_UP = """\
You are helping with a study of English grammar. It is about the words "{construction}".

Here is a text. Think about what it says, and about what it implies.

Text: {text}

If the text is true, which of these two statements is more likely to be true as well?
{choices}

Answer with one letter, A or B, and write nothing else.
"""

_SENTENCES = """\
You are helping with a study of grammar. Here are two sentences that differ in a detail.

{choices}

Which of the two would a native speaker of the language find more acceptable?

Answer with one letter, A or B, and write nothing else.
"""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template of what is asked, with ``{fields}``; a literal brace is written twice.

    Attributes:
        template: the text.
        name: of the file it comes from, or ``follow_up`` or ``sentences``.
    """

    template: str
    name: str

    def __post_init__(self) -> None:
        fields = _fields(self)
        for field in fields:
            if field not in FIELDS:
                raise TemplateError(
                    f"prompt {self.name}: unknown field {{{field}}}: {nearest(field, FIELDS)}"
                )
        listed = {"choices", "formatted_choices"} & set(fields)
        if not listed and not {"a", "b"} <= set(fields):
            raise TemplateError(
                f"prompt {self.name} shows no choices: write {{choices}}, or {{a}} and {{b}}"
            )

    @property
    def hash(self) -> str:
        """SHA-256 of the template, 12 hexadecimal digits."""
        return hashlib.sha256(self.template.encode()).hexdigest()[:12]

    def check(self, question: Question) -> None:
        """Refuses a question that the template cannot put.

        Raises:
            TemplateError: the template leaves out the text that the choices follow, or names what
                the question does not have.
        """
        fields = _fields(self)
        if question.text is not None and "text" not in fields:
            raise TemplateError(
                f"prompt {self.name} has no field {{text}}, but the choices of {question.suite} "
                "follow a text"
            )
        given = {"text": question.text, "construction": question.construction}
        for field, value in given.items():
            if value is None and field in fields:
                raise TemplateError(
                    f"prompt {self.name} names {{{field}}}, but the items of {question.suite} "
                    f"have none; fields for them: choices, a, b"
                )

    def render(self, question: Question) -> str:
        """What is sent, surrounding white space removed."""
        choices = f"A. {question.a}\nB. {question.b}"
        return self.template.format(
            text=question.text,
            choices=choices,
            formatted_choices=choices,
            a=question.a,
            b=question.b,
            construction=question.construction,
        ).strip()


def _fields(prompt: Prompt) -> list[str]:
    try:
        parts = list(string.Formatter().parse(prompt.template))
    except ValueError as error:
        raise TemplateError(
            f"prompt {prompt.name}: {error}; write a literal brace twice: {{{{ or }}}}"
        ) from error
    for _, field, specification, conversion in parts:
        # {text.__class__} and {a!r:>9} are programs, not names.
        if field is not None and (specification or conversion or not field.isidentifier()):
            raise TemplateError(
                f"prompt {prompt.name}: {{{field}}} is not the name of a field; "
                f"fields: {', '.join(FIELDS)}"
            )
    return [field for _, field, _, _ in parts if field is not None]


FOLLOW_UP = Prompt(_FOLLOW_UP, "follow_up")
SENTENCES = Prompt(_SENTENCES, "sentences")


def read_prompt(path: Path) -> Prompt:
    """A template from a file.

    Raises:
        TemplateError: the file cannot be read, or the template is wrong.
    """
    try:
        return Prompt(path.read_text(encoding="utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise TemplateError(f"cannot read prompt {path}: {error}") from error


def prompts_for(questions: Sequence[Question], given: Prompt | None = None) -> list[str]:
    """The prompt of each question: by the given template, else by ours for its kind.

    Raises:
        TemplateError: the given template cannot put one of the questions.
    """
    texts = []
    checked: set[tuple[str, bool]] = set()
    for question in questions:
        prompt = given or (SENTENCES if question.text is None else FOLLOW_UP)
        kind = (question.suite, question.text is None)
        if kind not in checked:
            prompt.check(question)
            checked.add(kind)
        texts.append(prompt.render(question))
    return texts


def default_prompts() -> tuple[Prompt, Prompt]:
    """Our own templates: for choices after a text, and for sentences."""
    return FOLLOW_UP, SENTENCES
