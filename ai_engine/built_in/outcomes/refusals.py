"""What is never answered, told from the words alone: wishes to change data, secrets, orders to the program, forecasts.

A word that the vocabulary or the data know as their own ("transactions of type Update") is about the data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.outcomes.languages import foreign_language
from ai_engine.built_in.tokens import tokenise


@dataclass(frozen=True, slots=True)
class Refusal:
    """One sentence that says why not and what can be done; `remainder` is the part of the question worth offering."""

    reply: str
    remainder: str = ""


_READS_ONLY = "I only read data and change nothing; ask to see or count it instead."
_ASKED_FOR = (
    r"please|kindly|now|just|then|ok|okay|hi|hello|hey|quickly"
    r"|go ahead and|i (?:want|need|wish|would like) (?:you )?to"
    r"|i d like (?:you )?to|i ll|let s|let us|can you|could you|would you|will you|you (?:should|must|can)"
    r"|help me(?: to)?|we (?:want|need) to"
)
_WISHED = re.compile(rf"(?:(?:{_ASKED_FOR})\s+)*")
_POLITE = re.compile(rf"(?:(?:{_ASKED_FOR}|can i|could i|may i|how (?:do|can|could) (?:i|we|you))\s+)*")
_DESTROYS = frozenset("delete erase truncate wipe purge destroy obliterate overwrite".split())
_CHANGES = frozenset(
    "drop remove update insert alter modify edit set reset change rename replace grant revoke create add append"
    " write rewrite close reopen block unblock freeze unfreeze waive approve reject cancel assign move transfer"
    " increase decrease raise reduce lower make register enrol deactivate activate disable enable execute import"
    " upload restore commit rollback kill shutdown stop restart clear empty fix correct mark upgrade downgrade".split()
)
# What a bank does; without an object these are nouns and descriptions too: "open accounts", "charge by branch".
_DEALS = frozenset(
    "refund reverse charge debit credit pay send email notify remind call contact post book issue open renew extend"
    " suspend resolve escalate settle sell buy".split()
)
# As nouns and descriptions these begin questions: "change in deposits", "transfer volume", "set of".
_NOUN_FOLLOWS = frozenset(
    "in of on by from over since per between versus vs during to up rate volume offs ups downs outs backs".split()
)
_CHANGES_WITH_TO = frozenset("increase decrease raise reduce lower change move transfer grant".split())
_OBJECT_FOLLOWS = frozenset(
    "the a an all any my our your this these that those every each new some his her their it them".split()
)
_ENDS_AN_OBJECT = _NOUN_FOLLOWS | frozenset("for to with and about called named as at where who that which".split())
_CHANGES_A_NUMBER = frozenset("increase decrease raise reduce lower change move".split())
_DRAWS = frozenset({"create", "make", "write", "add"})
_ON_THE_PAGE = frozenset("list report table chart graph summary breakdown view".split())
_SURE_NAME = 0.2
_VERB_AND_OBJECT = 2
_ACCESS = frozenset(
    "admin administrator access rights permission permissions privilege privileges role superuser".split()
)
_STATEMENT = re.compile(
    r"\b(?:(?:drop|truncate|alter|create|rename)\s+(?:or\s+replace\s+)?(?:table"
    r"|database|schema|index|view|user|role|column)\b"
    r"|truncate\s+\w+|delete\s+from\b|insert\s+into\b"
    r"|update\s+\w+\s+set\b|union\s+(?:all\s+)?select\b|grant\s+\w+\s+on\b"
    r"|into\s+outfile|load_file\s*\(|pg_sleep|xp_cmdshell|attach\s+database|copy\s+\w+\s+(?:to|from)\b)"
    r"|;\s*--|'\s*(?:or|and)\s+'?1'?\s*=\s*'?1|\bor\s+1\s*=\s*1\b",
    re.I,
)
_SECRETS = re.compile(
    r"\b(?:passwords?|passwd|pwd|passphrases?|passcodes?|api"
    r" keys?|secret keys?|private keys?|access keys?|access tokens?"
    r"|auth(?:entication)? tokens?|bearer tokens?|credentials?"
    r"|login details|connection strings?|database urls?|secrets?"
    r"|environment variables?|env vars?|config(?:uration)? files?"
    r"|pins|pin numbers?|atm pins?|card pins?|cvvs?|cvcs?|otps?"
    r"|security codes?|encryption keys?|aadhaar|aadhar|social security numbers?|ssns?|pan (?:cards?|numbers?)"
    r"|(?:full|complete|entire|whole|unmasked) card (?:numbers?|nos?)"
    r"|(?:system|hidden|initial|your) (?:prompts?|instructions?|message|rules)|source code)\b"
)
_ORDERS = re.compile(
    r"\b(?:(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all"
    r"|any|the|your|my|previous|prior|above|earlier|every)\s+)*"
    r"(?:instructions?|rules?|prompts?|guidelines?|restrictions?|safety|guardrails?|policy|policies|limits?|guards?)"
    r"|you are now|act as (?:an?|if|the)|pretend (?:to be|that|you)"
    r"|role ?play|jailbreak|developer mode|sudo|do anything now"
    r"|reveal (?:your|the) (?:prompt|instructions)|(?:run|execute|eval)"
    r" (?:this |the |some |my |a )*(?:code|python|script|shell|bash|command)"
    r"|(?:write|generate) (?:me )?(?:some |a |an )?(?:code|python|script|program|poem|essay|story|joke|email|letter)"
    r"|tell (?:me )?(?:a |an )?(?:joke|story))\b"
)
_CODE = re.compile(
    r"<\s*/?\s*(?:script|img|iframe|svg|style|system|assistant|user)\b|javascript:|\{\{.*\}\}"
    r"|\$\{.*\}|__\w+__|\bos\.\w+\s*\(|\beval\s*\(|\bexec\s*\("
    r"|\bimport\s+(?:os|sys|subprocess)\b|\brm\s+-rf\b|^\s*(?:system|assistant)\s*:|<\|.*\|>|\[/?INST\]",
    re.I,
)
_FORECAST = re.compile(
    r"\b(?:forecasts?|forecasting|predict(?:s|ed|ion|ions)?|projections?|extrapolate|prognosis"
    r"|what will (?:the |our |be |total )*\w+(?: \w+){0,4} (?:be|become|look like|reach)"
    r"|will (?:the |our )?\w+(?: \w+){0,3} (?:grow|rise|fall|increase|decrease|go up|go down|drop|improve)"
    r"|(?:will|(?:is|are) (?:going|likely|expected|bound|about) to) (?:probably |likely |still |ever |soon |each )?"
    r"(?:default|churn|lapse|leave|quit|cancel|apply|borrow|repay|prepay|buy|sell|trade|spend|earn|lose|win|fail"
    r"|succeed|join|file|complain|need|happen))\b"
)
_ADVICE = re.compile(
    r"\b(?:should (?:i|we|the bank|they|you)|shall (?:i|we)|recommend(?:s|ed|ation|ations)?|advise|advice"
    r"|suggest(?:ion|ions)?|what if|what would happen|how (?:can|could|should|do|might) (?:i|we|the bank) "
    r"(?:improve|increase|reduce|grow|raise|lower|decrease|boost|cut|win|keep|retain|avoid|prevent|sell|attract)"
    r"|is it (?:wise|safe|good|worth)|best way to|your opinion|do you think|what do you think)\b"
)
_CAUSE = re.compile(
    r"\b(?:why|reasons? (?:for|behind|why)|what (?:caused|causes|explains|led to|drove|is driving)|how come)\b"
)
_NOT_IN_A_SUGGESTION = re.compile(
    r"\b(?:did|does|do|has|have|fall|fell|fallen|rise|rose|risen|drop|dropped|decline|declined|go|went|gone|up|down"
    r"|grow|grew|next|tomorrow|be|will|should|become|me|i|we|a|the|give|make|us|please|of|for|year s|month s|so|much)\b"
)


def refuse_outright(question: str, knowledge: Knowledge, *, may_edit: bool = False) -> Refusal | None:
    """Judge a question by its words alone; None when it may be read.

    `may_edit` tells that an answered question stands before, which "remove", "add" and the like then change.
    """
    tokens = [token for token in tokenise(question) if token.kind != "quoted"]
    said = [token.word for token in tokens if token.kind in {"word", "number"}]
    if not said:
        if any(character.isalnum() for character in question):
            return None
        return Refusal("There are no words to understand in this; type a question about the bank's data.")
    text = " ".join(said)
    if _CODE.search(question) or _known_match(_ORDERS, text, knowledge):
        return Refusal(
            "I only answer questions about the bank's data and take no other orders; ask for a figure or a list."
        )
    if _STATEMENT.search(question) or _wishes_a_change(said, knowledge, may_edit=may_edit):
        return Refusal(_READS_ONLY)
    if secret := _known_match(_SECRETS, text, knowledge):
        return Refusal(f"I do not show secrets or how I was set up (“{secret}”); ask about the bank's figures instead.")
    language = foreign_language(question, knowledge.lexicon)
    if language:
        return Refusal(f"I only understand English, and this looks like {language}; please ask in English.")
    return _beyond_the_data(text, knowledge)


def decline(question: str, knowledge: Knowledge, *, may_edit: bool = False) -> str | None:
    """Say that nothing is done, where a message wishes something done: rows changed, money moved, people written to.

    A question of how or whether something is done is none, nor is a wish for something written about the data.
    `may_edit` tells that an answer stands before, whose numbers and parts may be changed.
    """
    said = [token.word for token in tokenise(question) if token.kind in {"word", "number"}]
    head = _after(_WISHED, said)
    if _STATEMENT.search(question):
        return _READS_ONLY
    if len(head) < _VERB_AND_OBJECT:
        return None
    if head[0] in _DESTROYS:
        return None if _is_of_the_data(tuple(head[:1]), knowledge) else _READS_ONLY
    if head[0] in _DRAWS:
        is_wish = _names_a_row(head, knowledge) or (head[1] == "off" and bool(_OBJECT_FOLLOWS.intersection(head[2:3])))
    elif head[0] in _CHANGES_A_NUMBER and (may_edit or (head[1].isdigit() and "to" not in head)):
        is_wish = False
    else:
        is_wish = _changes(head, said, knowledge, may_edit=may_edit)
    return _READS_ONLY if is_wish else None


def _names_a_row(head: list[str], knowledge: Knowledge) -> bool:
    """Whether what is to be made is a thing of the data: "a new customer", and not "a customer report"."""
    made = list(takewhile(lambda word: word not in _ENDS_AN_OBJECT, head[1:]))
    is_new = bool(made) and made[0] in _OBJECT_FOLLOWS | {"new", "another"}
    return is_new and any(isinstance(one.meaning, Thing) for one in knowledge.lexicon.names((made[-1],)))


def _known_match(pattern: re.Pattern[str], text: str, knowledge: Knowledge) -> str:
    """The matched words, unless the vocabulary or the data call something by them, or end a name in the first."""
    found = pattern.search(text)
    if found is None or _is_of_the_data(tuple(found.group().split()), knowledge):
        return ""
    ending = (*text[: found.start()].split()[-1:], *found.group().split()[:1])
    if len(ending) > 1 and _is_a_column(ending, knowledge):
        return ""  # "refund reasons for the payments of 2025"
    return found.group()


def _is_of_the_data(phrase: tuple[str, ...], knowledge: Knowledge) -> bool:
    lexicon = knowledge.lexicon
    return bool(lexicon.stored(phrase)) or any(candidate.cost < _SURE_NAME for candidate in lexicon.names(phrase))


def _is_a_column(phrase: tuple[str, ...], knowledge: Knowledge) -> bool:
    found = knowledge.lexicon.names(phrase)
    return any(isinstance(item.meaning, Attribute) and item.cost < _SURE_NAME for item in found)


def _wishes_a_change(said: list[str], knowledge: Knowledge, *, may_edit: bool) -> bool:
    if any(word in _DESTROYS and not _is_of_the_data((word,), knowledge) for word in said):
        return True
    return _changes(_after(_POLITE, said), said, knowledge, may_edit=may_edit)


def _after(polite: re.Pattern[str], said: list[str]) -> list[str]:
    """Return what is said after the words by which things are asked for."""
    found = polite.match(" ".join(said) + " ")
    return said[len(found.group().split()) if found else 0 :]


def _changes(head: list[str], said: list[str], knowledge: Knowledge, *, may_edit: bool) -> bool:
    if len(head) >= _VERB_AND_OBJECT and head[0] in _DEALS:
        return head[1] in _OBJECT_FOLLOWS
    if len(head) < _VERB_AND_OBJECT or head[0] not in _CHANGES:
        return False
    wishes = "to" in head[2:] and head[0] in _CHANGES_WITH_TO and head[1] != "in"  # "change in fees from May to June"
    if wishes or _ACCESS.intersection(head[1:]):
        return True
    if head[0] == "add" and head[1] not in {"a", "an", "new", "another"}:
        return False
    if len(head) > _VERB_AND_OBJECT and head[2].isdigit() and _is_of_the_data(tuple(head[1:2]), knowledge):
        return True  # "close account 55"
    is_drawn = head[0] in _DRAWS and _ON_THE_PAGE.intersection(head[1:4])
    if may_edit or head[1] in _NOUN_FOLLOWS or is_drawn:
        return False
    if head[1] in _OBJECT_FOLLOWS:
        return True
    if _is_of_the_data(tuple(head[:1]), knowledge):
        return False
    return len(head) < len(said) or head[1].isdigit() or not knowledge.lexicon.names((head[0],))


def _beyond_the_data(text: str, knowledge: Knowledge) -> Refusal | None:
    if words := _known_match(_FORECAST, text, knowledge):
        reply = (
            "I cannot look ahead: the data holds what has happened; ask for the figures so far, by month or by year."
        )
        return Refusal(reply, _remainder(text, words))
    if words := _known_match(_ADVICE, text, knowledge):
        reply = "I give no advice: the data holds figures, not decisions; ask for the figures the decision rests on."
        return Refusal(reply, _remainder(text, words))
    if words := _known_match(_CAUSE, text, knowledge):
        reply = (
            "The data says what happened, not why; ask how it developed by month, or break it down by branch or kind."
        )
        return Refusal(reply, _remainder(text, words))
    return None


def _remainder(text: str, refused: str) -> str:
    left = (
        re.sub(rf"\b{re.escape(refused.split(maxsplit=1)[0])}\b", " ", text)
        if len(refused.split()) > 3
        else text.replace(refused, " ")
    )
    return " ".join(_NOT_IN_A_SUGGESTION.sub(" ", left).split())
