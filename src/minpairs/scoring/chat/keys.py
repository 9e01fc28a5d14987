"""API keys: taken from the environment, sent to the server, and kept out of everything else."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from minpairs.errors import ModelError

# Which variable holds the key of which server. Any other server gets no key unless the user says
# so: a key must not be sent to whoever a URL happens to name.
_HOSTS = {
    "openai.com": "OPENAI_API_KEY",
    "huggingface.co": "HF_TOKEN",
    "huggingface.cloud": "HF_TOKEN",
    "hf.space": "HF_TOKEN",
}
# What is sent without a key: without any, huggingface_hub would send the token of the user's login.
_NO_KEY = "none"
_HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class Key:
    """A key that cannot be printed by accident.

    Attributes:
        variable: of the environment that held it; None where there is no key.
    """

    variable: str | None
    _value: str = field(default=_NO_KEY, repr=False)

    def reveal(self) -> str:
        """The key itself, for the request."""
        return self._value

    def hide(self, text: str) -> str:
        """A text without the key: servers may repeat it in replies and errors."""
        return text if self.variable is None else text.replace(self._value, _HIDDEN)


def find_key(base_url: str, variable: str | None = None) -> Key:
    """The key for a server.

    Args:
        base_url: of the server.
        variable: of the environment that holds it; by default OPENAI_API_KEY for openai.com,
            HF_TOKEN for Hugging Face, and none for other servers.

    Raises:
        ModelError: the variable is not set.
    """
    host = urlsplit(base_url).hostname or ""
    name = variable or next(
        (known for end, known in _HOSTS.items() if host == end or host.endswith(f".{end}")), None
    )
    if name is None:
        return Key(None)
    value = os.environ.get(name, "").strip()
    if not value:
        raise ModelError(
            f"{host} needs a key: set the environment variable {name}, "
            "or name the one that holds it with --key-variable"
        )
    return Key(name, value)


def check_url(base_url: str) -> str:
    """The URL, which is recorded and printed, so it may hold no secrets.

    Raises:
        ModelError: it is no http(s) URL, or has a user, a query or a fragment.
    """
    try:
        parts = urlsplit(base_url)
    except ValueError as error:
        raise ModelError(f"--base-url is no address ({error})") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ModelError(
            "--base-url is written to the results, so it may hold no user name, password or query: "
            "put the key into an environment variable and name that with --key-variable"
        )
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ModelError(f"--base-url {base_url!r} is no address such as http://localhost:8000/v1")
    return base_url.rstrip("/")
