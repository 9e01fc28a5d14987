"""Our own kinds of model and tokenizer, for the Auto classes of transformers."""


def register() -> None:
    """Lets the Auto classes load them; doing so again changes nothing."""
    import minpairs.training.lstm  # noqa: F401  (registers when it is imported)
