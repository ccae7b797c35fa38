"""Tells other languages from English by their script and their small words; nothing is downloaded."""

from __future__ import annotations

import unicodedata

from ai_engine.built_in.lexicon import Lexicon
from ai_engine.semantics.words import words

_SCRIPTS = {
    "DEVANAGARI": "Hindi or Marathi", "BENGALI": "Bengali", "TAMIL": "Tamil", "TELUGU": "Telugu",
    "GUJARATI": "Gujarati",
    "GURMUKHI": "Punjabi", "KANNADA": "Kannada", "MALAYALAM": "Malayalam", "ORIYA": "Odia", "ARABIC": "Arabic or Urdu",
    "CYRILLIC": "Russian", "GREEK": "Greek", "HEBREW": "Hebrew", "THAI": "Thai", "CJK": "Chinese or Japanese",
    "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean",
}  # fmt: skip
# Small words that English, in any of its spellings, does not use.
_SMALL_WORDS = {
    "Hindi": "kitne kitna kitni kya hai hain mujhe mujhko dikhao"
    " dikhaao dikhaiye batao bataiye bataye batayen kaun kaunsa"
    " kahan sabhi sabse saare sare mein ka ki ke ko aur nahi nahin kul hamare humare hamara humara hamari apne wale"
    " wali wala khata khate khaton grahak rashi paisa paise rupaye karo kijiye pichle pichhle mahine saal",
    "German": "der das und ist sind wie viele viel wieviel welche"
    " welcher welches haben hat wir ich nicht mit von für fur"
    " auf ein eine einen einer zeige zeig mir alle aus bei gibt kunden konten konto kredite unsere im zum zur letzten"
    " jahr monat",
    "French": "le les des une est sont combien quel quelle quels quelles avec dans pour sur nous vous mes nos donne"
    " donnez montre montrez moi tous toutes avons avez du au aux comptes compte clients soldes solde de par prêts"
    " prets qui ont ville mois",
    "Spanish": "el los las una es son cuántos cuantos cuántas cuantas"
    " cuál cual cuáles cuales cuánto cuanto hay con para"
    " por del qué que muestra muestrame muéstrame dame todos todas nuestro nuestros tenemos en préstamos prestamos"
    " cuentas cuenta clientes saldo activas activos de ciudad mes año",
    "Portuguese": "o os uma são quantos quantas quanto qual quais há com para do da dos das no na nos mostre mostrar"
    " todos temos contas clientes saldo empréstimos de por cidade mês",
    "Italian": "il lo gli una è sono quanti quante quanto quale quali ci con per di del della dei mostra mostrami tutti"
    " abbiamo conti clienti saldo prestiti",
    "Dutch": "het een en zijn hoeveel welke wij hebben niet met van"
    " voor op toon laat zien alle onze klanten rekeningen",
}  # fmt: skip
_BY_LANGUAGE = {name: frozenset(text.split()) for name, text in _SMALL_WORDS.items()}
_ENOUGH = 2
_SHORT_QUESTION_WORDS = 3


def foreign_language(question: str, lexicon: Lexicon) -> str:
    """Name the language a question seems to be in; empty when it may be English.

    Words that the vocabulary or the cues know do not count against English.
    """
    said = words(question)
    strange = [word for word in said if not lexicon.knows(word)]
    script = _script(strange)
    if script:
        return script
    hits = {name: sum(word in small for word in set(strange)) for name, small in _BY_LANGUAGE.items()}
    best = max(hits, key=lambda name: hits[name])
    enough = 1 if len(said) <= _SHORT_QUESTION_WORDS else _ENOUGH
    return best if hits[best] >= enough and hits[best] * 4 >= len(said) else ""


def _script(strange: list[str]) -> str:
    """The script of most letters, where it is not Latin."""
    letters = [character for word in strange for character in word]
    scripts = [unicodedata.name(character, "LATIN").split()[0].split("-")[0] for character in letters]
    other = [script for script in scripts if script in _SCRIPTS]
    return _SCRIPTS[max(set(other), key=other.count)] if 2 * len(other) > len(letters) else ""
