"""The metric as a web page: paste numbers or drop a CSV file, see the table."""

from pathlib import Path

from minpairs.errors import MinpairsError
from minpairs.metric_inputs import CONFIGS
from minpairs.report import to_markdown
from minpairs.report.paste import judge_text

try:
    import gradio as gr
except ImportError as error:
    raise SystemExit("the web page needs gradio: pip install gradio") from error

EXAMPLE = "group,acceptable,unacceptable\nclassifier,-21.4,-24.9\nclassifier,-18.0,-17.2\n"


def answer(text: str, file: str | None, config: str, ties: str) -> str:
    """The table in Markdown; a file goes before pasted text."""
    try:
        given = Path(file).read_text(encoding="utf-8-sig") if file else text
        return to_markdown(judge_text(given, config, ties))
    except (MinpairsError, UnicodeDecodeError) as error:
        raise gr.Error(str(error)) from error


def build() -> gr.Interface:
    """The page."""
    inputs = "\n".join(
        f"- **{name}**: {config.description}. Columns: `{'`, `'.join(config.inputs)}`."
        for name, config in CONFIGS.items()
    )
    return gr.Interface(
        fn=answer,
        inputs=[
            gr.Textbox(EXAMPLE, lines=8, label="One item a line, with or without a heading"),
            gr.File(file_types=[".csv", ".tsv", ".txt"], type="filepath", label="or a CSV file"),
            gr.Radio(list(CONFIGS), value="pairwise", label="Configuration"),
            gr.Radio(["strict", "half", "paper"], value="strict", label="Ties"),
        ],
        outputs=gr.Markdown(),
        title="Minimal pairs",
        description="How often does a language model prefer the acceptable sentence?",
        article=f"{inputs}\n\nColumns `group`, `cluster` and `phenomenon` are optional.",
    )


if __name__ == "__main__":
    build().launch()
