"""Chat models: forced choice between two cells of an item, by an OpenAI-compatible server."""

from minpairs.scoring.chat.answers import Answer, AnswerStore, read_letter
from minpairs.scoring.chat.client import ChatClient, NoAnswerError
from minpairs.scoring.chat.cost import Estimate, Prices, Usage, estimate
from minpairs.scoring.chat.judgement import Choices, judge_choices
from minpairs.scoring.chat.keys import Key, check_url, find_key
from minpairs.scoring.chat.prompt import Prompt, default_prompts, prompts_for, read_prompt
from minpairs.scoring.chat.questions import Question, questions
from minpairs.scoring.chat.retries import Retries
from minpairs.scoring.chat.run import Asked, ask_all

__all__ = [
    "Answer",
    "AnswerStore",
    "Asked",
    "ChatClient",
    "Choices",
    "Estimate",
    "Key",
    "NoAnswerError",
    "Prices",
    "Prompt",
    "Question",
    "Retries",
    "Usage",
    "ask_all",
    "check_url",
    "default_prompts",
    "estimate",
    "find_key",
    "judge_choices",
    "prompts_for",
    "questions",
    "read_letter",
    "read_prompt",
]
