"""Tells when a text asks for what nobody types into a form of a stranger: passwords, codes, keys (English words)."""

from __future__ import annotations

import re
import unicodedata

_SECRET = re.compile(
    r"\bpass\W?(?:word|wd|phrase|code|key)|\bpwd\b|\bsecrets?\b|\bcredentials?\b|\blog\W?in\b|\b[mt]?\W?pins?\b|"
    r"\bt?otps?\b|\b[2m]fa\b|\bcv[vcn]\d?\b|\btokens?\b|\bcard\W{0,2}(?:numbers?|no|num|details?)\b|\bmemorable\b|"
    r"\b(?:api|access|private|secret|ssh|encryption|signing|security|recovery|master|wallet)\W?keys?\b|"
    r"\b(?:verification|security|access|authenticat\w+|authori[sz]ation|confirmation|activation|validation|sign\W?in|"
    r"reset|backup|recovery|unlock|sms|digit|one\W?time|single\W?use)\W{0,2}(?:codes?|passwords?|numbers?)\b|"
    r"\bcodes?\b[^.?!\n]{0,60}\b(?:sent|send|texte?d?|phone|mobile|sms|e?\W?mail(?:ed)?|authenticator|device)\b|"
    r"\b(?:sent|texted|phone|mobile|sms|e?\W?mailed|authenticator)\b[^.?!\n]{0,60}\bcodes?\b|"
    r"\b(?:seed|recovery|mnemonic|backup)\W?(?:phrases?|words?)\b|\bsecurity\W?(?:questions?|answers?)\b|"
    r"\bmaiden\W?names?\b|\buser\W?(?:id|name)\W{1,3}(?:and\W)?pass\b"
)
_SENTENCES = re.compile(r"(?<=[.!?;:])\s+")
_WANTED = re.compile(r"\byour\b|\b(?:send|enter|type|submit|provide|share|confirm)\b", re.IGNORECASE)
_SEPARATED = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_SPELLED_OUT = re.compile(r"(?<!\w)\w(?:[\s.*\-]{1,3}\w){2,}(?!\w)")
_NOT_WORD = re.compile(r"\W+")
_UNSEEN = {"Cf", "Cc", "Cs", "Co", "Cn", "Mn", "Me"}
_LIKE = dict(
    zip("абвгеёіјкмнорсстухѕԁһԛԝαβγεηικνορτυχωϲßıɑɡƿ", "abbreeijkmhopcctyxsdhqwabyenikvoptuxwcsiagp", strict=True)
)
"""Letters of other alphabets, by what they are taken for."""
_FOR_LETTERS = (str.maketrans("013457@$!|", "oleastasil"), str.maketrans("013457@$!|", "oieastasil"))


def asks_for_secret(text: str) -> bool:
    """Tell whether a text names a secret; what is not seen, look-alikes and letters set apart do not help it."""
    seen = "".join(_seen(char) for char in unicodedata.normalize("NFKC", text))
    plain = "".join(_LIKE.get(char, char) for char in _SEPARATED.sub(" ", seen).lower())
    together = _SPELLED_OUT.sub(lambda spelled: _NOT_WORD.sub("", spelled[0]), plain)
    read = (plain, together, *(plain.translate(letters) for letters in _FOR_LETTERS))
    return any(_SECRET.search(one) is not None for one in read)


def wants_a_secret(text: str) -> bool:
    """Tell whether a sentence wants one of the reader; a column of card numbers is none of theirs."""
    return any(_WANTED.search(one) and asks_for_secret(one) for one in _SENTENCES.split(text))


def _seen(char: str) -> str:
    if char.isspace():
        return char
    decomposed = unicodedata.normalize("NFD", char)
    return "".join(part for part in decomposed if unicodedata.category(part) not in _UNSEEN)
