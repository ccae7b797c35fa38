"""What stored codes mean by convention: A is an active account, D a debit, HL a home loan.

A convention speaks only where the column's words are of its kind and hardly a code is left that it cannot explain.
Sources: the usage of core-banking exports, ISO 5218 for sexes in words, SWIFT's C and D for credit and debit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ai_engine.semantics.schema_words import ABBREVIATIONS, WORDS, word_set

Words = Mapping[str, tuple[str, ...]]
_CODES_PER_UNEXPLAINED = 5
_SHORTEST_ABBREVIATION = 3
_SHORTEST_WORD = 4
_NOT_WRITTEN_OUT = word_set("inc corp sec sal mon apr org temp gen")  # as a value they mean something else
_ONLY_IN_VALUES = {"dep": "deposit", "int": "interest"}


@dataclass(frozen=True)
class _Convention:
    """Codes of one kind of column.

    Attributes:
        column: words of which the column has one; empty for any column.
        about: words of which the column or its table has one as well; empty for any.
        words: code in lower case to its words.
        whole: every code must occur, as for a bare Y and N.
    """

    column: frozenset[str]
    about: frozenset[str]
    words: Words
    whole: bool = False

    def speaks_of(self, column: Iterable[str], table: Iterable[str]) -> bool:
        """Tell whether a column of these words in a table of these words is of this kind."""
        own = set(column)
        return (not self.column or bool(self.column & own)) and (
            not self.about or bool(self.about & (own | set(table)))
        )

    def explains(self, codes: frozenset[str]) -> bool:
        """Tell whether hardly a code is left that is neither of the convention nor a plain word."""
        if self.whole:
            return codes == set(self.words)
        known = codes & set(self.words)
        left = [code for code in codes - known if not _is_plain(code)]
        return bool(known) and len(left) <= len(codes) // _CODES_PER_UNEXPLAINED


def _read(text: str) -> dict[str, tuple[str, ...]]:
    """Read "a act:active|live" lines: the codes, a colon, the words for them."""
    found: dict[str, tuple[str, ...]] = {}
    for line in text.strip().splitlines():
        codes, meanings = line.split(":")
        found |= dict.fromkeys(codes.split(), tuple(meaning.strip() for meaning in meanings.split("|")))
    return found


_TRUTHS = (
    _read("y: yes\nn: no"),
    _read("t: true | yes\nf: false | no"),
    _read("true: yes\nfalse: no"),
)
_GENDERS = (
    _read("m: male | man | men\nf: female | woman | women\no oth: other\nu: unknown\nt: transgender"),
    _read("male: man | men\nfemale: woman | women"),
)
_SIDES = _read("d dr db dbt debit: debit\nc cr crd credit: credit")
_WAYS = _read(
    "in inc inw inward inbound incoming: incoming | inward\nout outg outw outward outbound outgoing: outgoing | outward"
)
_CARD_KINDS = _read("d dr dc debit: debit\nc cr cc credit: credit\np pp: prepaid\nch: charge\nv: virtual")
_NETWORKS = _read("mc master mast: mastercard\nvi vs visa: visa\nax amex amx: american express | amex\ndc: diners club")
_PRODUCTS = _read("""
    sb sba sav: savings | savings bank
    sa: savings
    ca cur curr: current
    ln: loan
    fd: fixed deposit | fd
    td: term deposit | fixed deposit
    rd: recurring deposit
    od: overdraft
    cc: cash credit
    tl: term loan
    dl: demand loan
    hl: home loan | housing loan
    pl: personal loan
    al: auto loan | car loan
    vl: vehicle loan | car loan
    gl: gold loan
    el: education loan | student loan
    bl: business loan
    lap: loan against property
    kcc: kisan credit card
    nre: non resident external
    nro: non resident ordinary
    """)
_LEVELS = _read("h hi: high\nm md med: medium | moderate\nl lo: low\nc crit: critical\nvh: very high\nvl: very low")
_FREQUENCIES = _read("""
    d: daily
    w wk: weekly
    f fn: fortnightly
    m mth mon mly: monthly
    q qtr qly: quarterly
    h hy hly: half yearly | half-yearly | semi annual
    y yr yly a: yearly | annual | annually
    """)
_MARITAL = _read("s: single | unmarried\nm: married\nd: divorced\nw: widowed\no: other\nu: unknown")
_CUSTOMERS = _read("""
    i ind indv: individual | retail
    c corp cor: corporate | company
    j: joint
    """)
_CHANNELS = _read("""
    atm: cash machine
    brn br: branch
    chq: cheque | check
    pos: point of sale
    ib inb: internet banking | net banking
    mb mob: mobile banking | mobile
    ivr: phone banking
    """)
_STATUSES = _read("""
    a act actv: active
    c cl cls clsd: closed
    d dor dorm drm dmt: dormant
    i ina inac inact: inactive
    b blk blkd: blocked
    f frz froz frzn: frozen
    p pnd pend: pending
    s sus susp: suspended
    o opn: open
    r rej rejd: rejected
    x cn can canc cncl: cancelled | canceled
    m mat matd: matured
    e exp expd: expired
    hot hotl: hotlisted
    wo wof wroff: written off
    """)
_PEOPLE = _read("""
    a act actv: active
    c cl cls clsd: closed
    i ina inac inact: inactive
    b blk blkd: blocked
    s sus susp: suspended
    p pnd pend: pending
    dor dorm: dormant
    dec dcsd: deceased
    """)
_LOANS = _read("""
    a act actv: active
    o opn: open
    c cl cls clsd: closed
    w wo wof wroff: written off
    np npa: non performing | npa
    p pnd pend: pending
    x cn can canc cncl: cancelled | canceled
    sanc: sanctioned
    disb: disbursed
    rej rejd: rejected
    restr: restructured
    """)
_MOVEMENTS = _read("""
    s suc succ: successful | success
    f fl fail fld: failed
    p pnd pend: pending
    c cmp comp cmpl: completed
    r rev rvsd: reversed
    x cn can canc: cancelled | canceled
    a app appr: approved
    d dec decl: declined
    """)
_REQUESTS = _read("""
    a app appr apr: approved
    r rej rejd: rejected
    p pnd pend: pending
    w wd wdn: withdrawn
    x cn can canc: cancelled | canceled
    h hld: on hold
    """)
_CASES = _read("""
    o opn: open
    c cls clsd cl: closed
    r res rslv rslvd: resolved
    p pnd pend: pending
    i ip wip inp: in progress
    e esc escl: escalated
    x cn can canc: cancelled | canceled
    re ro: reopened
    """)

_STATUS = word_set("status")
_KINDS = word_set("type category code class kind product scheme group")
_NO_WORDS: frozenset[str] = frozenset()
_CONVENTIONS = (
    *(_Convention(word_set("gender sex"), _NO_WORDS, words) for words in _GENDERS),
    _Convention(word_set("marital civil"), _NO_WORDS, _MARITAL),
    _Convention(word_set("frequency periodicity cycle"), _NO_WORDS, _FREQUENCIES),
    _Convention(word_set("debit credit"), word_set("debit"), _SIDES),
    _Convention(word_set("direction way flow"), _NO_WORDS, _WAYS),
    _Convention(word_set("type kind category"), word_set("card"), _CARD_KINDS),
    _Convention(
        word_set("type indicator side sign direction flag code"),
        word_set("transaction entry posting ledger journal movement statement voucher"),
        _SIDES,
    ),
    _Convention(word_set("network scheme brand"), word_set("card network"), _NETWORKS),
    _Convention(word_set("priority severity risk urgency level"), _NO_WORDS, _LEVELS),
    _Convention(word_set("channel"), _NO_WORDS, _CHANNELS),
    _Convention(_STATUS, word_set("application request approval proposal claim"), _REQUESTS),
    _Convention(_STATUS, word_set("complaint ticket case dispute incident query grievance"), _CASES),
    _Convention(_STATUS, word_set("transaction payment transfer authorisation"), _MOVEMENTS),
    _Convention(_STATUS, word_set("loan mortgage"), _LOANS),
    _Convention(_STATUS, word_set("customer client party employee staff user member"), _PEOPLE),
    _Convention(_STATUS, _NO_WORDS, _STATUSES),
    _Convention(_KINDS, word_set("customer client party"), _CUSTOMERS),
    _Convention(_KINDS, word_set("account product scheme loan deposit facility"), _PRODUCTS),
    *(_Convention(_NO_WORDS, _NO_WORDS, words, whole=True) for words in _TRUTHS),
)
# Ranks, and statuses of something else than the life of a row.
_UNCONVENTIONAL = word_set(
    "grade rating tier score bucket band employment residence residential tax legal health housing ownership"
)


def convention(column: Sequence[str], table: Sequence[str], codes: frozenset[str]) -> Words:
    """Return the words of codes by the first convention that fits, an empty mapping when none does.

    Args:
        column: written-out words of the column.
        table: words of the noun for its rows.
        codes: what the column stores, in lower case.
    """
    if _is_grading(column, codes):
        return {}
    for known in _CONVENTIONS:
        if not known.speaks_of(column, table):
            continue
        if known.explains(codes):
            return {code: words for code, words in known.words.items() if code in codes}
        if known.column is _STATUS:  # what a status of this kind does not explain, another kind must not
            return {}
    return {}


def _is_grading(column: Sequence[str], codes: frozenset[str]) -> bool:
    """Tell whether the codes are a run of letters from A on, or the column says that they rank."""
    letters = sorted(code for code in codes if len(code) == 1 and code.isalpha())
    run = len(letters) > 1 and letters[0] == "a" and all(ord(b) - ord(a) == 1 for a, b in pairwise(letters))
    return run or bool(_UNCONVENTIONAL & set(column))


def _is_plain(code: str) -> bool:
    """Tell whether a stored value is a spelled-out word, which needs nobody to explain it."""
    return all(part in WORDS or len(part) > _SHORTEST_WORD for part in code.split()) and len(code) >= _SHORTEST_WORD


def written_out(value: str) -> str:
    """Return a value in capitals with its abbreviations spelled out ("CASH WDL": "cash withdrawal"), else ""."""
    parts = value.lower().replace("_", " ").split()
    spelled = [_spelled(part) for part in parts]
    return " ".join(spelled) if value.isupper() and spelled != parts else ""


def _spelled(part: str) -> str:
    if len(part) < _SHORTEST_ABBREVIATION or part in _NOT_WRITTEN_OUT:
        return part
    return _ONLY_IN_VALUES.get(part) or ABBREVIATIONS.get(part, part).replace("+", " ")
