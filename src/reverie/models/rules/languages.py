"""The languages that there are, in the order in which they are asked; a new one is one line here and one module."""

from __future__ import annotations

from reverie.models.rules.chinese import Chinese
from reverie.models.rules.english import English
from reverie.models.rules.japanese import Japanese
from reverie.models.rules.korean import Korean
from reverie.models.rules.language import Language

LANGUAGES: tuple[Language, ...] = (English(), Chinese(), Japanese(), Korean())
