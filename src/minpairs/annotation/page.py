"""The page on which one annotator judges pairs: gradio around a session, and nothing else."""

from __future__ import annotations

import json
from html import escape
from importlib import resources
from typing import Any

from minpairs.annotation.journal import Choice
from minpairs.annotation.session import Session
from minpairs.errors import MinpairsError

_KEYS = {
    "ArrowLeft": "left",
    "1": "left",
    "ArrowRight": "right",
    "2": "right",
    "0": "skip",
    "Backspace": "undo",
}
# A held key repeats; only its first press is an answer.
_HEAD = """<script>
const keys = %s;
document.addEventListener("keydown", (event) => {
  if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (!event.repeat) document.getElementById(keys[event.key])?.click();
});
</script>"""
_DOWNLOAD = """(name, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "text/csv;charset=utf-8"}));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}"""
_ENGLISH = {
    "question": "Which sentence is more acceptable? If in doubt, follow your first impression.",
    "skip": "Skip: broken",
    "skipped": "skipped",
    "undo": "Undo",
    "export": "Export CSV",
    "done": "All pairs are judged. Thank you! Your answers are saved; you may close this page.",
}
_CHINESE = {
    "question": "哪一句更自然？拿不准时，请凭第一感觉选择。",
    "skip": "有误，跳过",
    "skipped": "已跳过",
    "undo": "撤销",
    "export": "导出 CSV",
    "done": "全部完成，谢谢！您的回答已保存，可以关闭本页。",
}


def build_page(session: Session) -> Any:
    """The page as gradio ``Blocks``; ``launch`` opens it.

    The browser is told two sentences, their pair's id and how many are done: nothing from which
    the acceptable one could be known.

    Raises:
        MinpairsError: gradio is not installed.
    """
    gr = _gradio()
    words = _CHINESE if _has_han(session) else _ENGLISH

    def view() -> list[Any]:
        trial = session.show()
        more = trial is not None
        return [
            _progress(session, words),
            gr.update(value=trial.pair if trial else ""),
            gr.update(value=trial.left if trial else "", visible=more),
            gr.update(value=trial.right if trial else "", visible=more),
            gr.update(visible=more),
            gr.update(interactive=session.done > 0),
        ]

    def answer(choice: Choice, pair: str) -> list[Any]:
        session.answer(pair, choice)
        return view()

    def undo() -> list[Any]:
        session.undo()
        return view()

    with gr.Blocks(title="minpairs annotate", analytics_enabled=False) as page:
        top = gr.HTML()
        # Sent along with an answer from the browser: the pair that was in view when it was given.
        pair = gr.Textbox(visible=False)
        with gr.Row():
            left = gr.Button("…", elem_id="left")
            right = gr.Button("…", elem_id="right")
        with gr.Row():
            back, skip, export = (
                gr.Button(words[key], elem_id=key, size="sm", min_width=80)
                for key in ("undo", "skip", "export")
            )
        name = gr.Textbox(f"{session.annotator}.csv", visible=False)
        exported = gr.Textbox(visible=False)
        shown = [top, pair, left, right, skip, back]
        quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
        page.load(view, None, shown, **quiet)
        for button, choice in ((left, Choice.left), (right, Choice.right), (skip, Choice.skip)):
            button.click(lambda pair, choice=choice: answer(choice, pair), pair, shown, **quiet)
        back.click(undo, None, shown, **quiet)
        export.click(session.export, None, exported, **quiet).then(
            None, [name, exported], None, js=_DOWNLOAD, **quiet
        )
    return page


def launch(session: Session, *, port: int | None = None, browser: bool = True) -> Any:
    """Serves the page on this machine alone and returns it; ``block_thread`` waits on it.

    Args:
        session: the annotator's session.
        port: port to serve at; by default a free one from 7860 on.
        browser: whether to open a browser.

    Raises:
        MinpairsError: gradio is not installed, or the port is taken.
    """
    page = build_page(session)
    gr = _gradio()
    try:
        page.launch(
            server_name="127.0.0.1",
            server_port=port,
            inbrowser=browser,
            share=False,
            quiet=True,
            show_error=True,
            prevent_thread_lock=True,
            footer_links=[],
            ssr_mode=False,
            # Named fonts of the system: the theme's own would be fetched over the network.
            theme=gr.themes.Default(font=["system-ui", "sans-serif"], font_mono=["monospace"]),
            css=resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8"),
            head=_HEAD % json.dumps(_KEYS),
        )
    except OSError as error:
        raise MinpairsError(f"cannot serve the page: {error}") from error
    return page


def _progress(session: Session, words: dict[str, str]) -> str:
    done, total = session.done, len(session.trials)
    text = words["question"] if done < total else words["done"]
    count = f"{done} / {total}"
    if session.skipped:
        count += f" · {words['skipped']} {session.skipped}"
    return (
        f'<div id="bar"><div style="width: {100 * done / total:.2f}%"></div></div>'
        f'<div id="count">{escape(count)}</div><div id="question">{escape(text)}</div>'
    )


def _has_han(session: Session) -> bool:
    return any("一" <= character <= "鿿" for character in session.trials[0].left)


def _gradio() -> Any:
    try:
        import gradio
    except ImportError as error:
        raise MinpairsError(
            "the page needs gradio: install it with pip install 'minpairs[annotate]'"
        ) from error
    return gradio
