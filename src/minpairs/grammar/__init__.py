"""The grammar engine: lexicons and templates in, items and rows out."""

from minpairs.grammar._generate import generate
from minpairs.grammar.lexicon import Lexicon, load_lexicon
from minpairs.grammar.rows import rows
from minpairs.grammar.sampler import draw
from minpairs.grammar.template import Template, load_template

__all__ = ["Lexicon", "Template", "draw", "generate", "load_lexicon", "load_template", "rows"]
