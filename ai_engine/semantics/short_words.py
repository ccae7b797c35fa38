"""Short words of identifiers whose neighbours tell what they mean: `exp_dt` is an expiry date, `int_amt` interest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from ai_engine.semantics.schema_words import word_set

_DATES = "dt date dte"
_BY = "by usr user"
_AMOUNTS = "amt amount bal balance due"
_ANNUAL = "sal salary inc income fee fees pkg ctc turnover prem premium rent rev revenue exp expense sales"
_TERMS = "tenor tnr tenure tenr tnure term period prd dur duration"
_REMAINS = f"{_TERMS} bal emi inst instl mth mths months amt"
_PERSONS = "id no cd code emp mgr user usr nm name"
_PRINCIPAL = "prin princ principal pri int interest ln loan tot total bal amt dep od"
_WITHOUT_A_STATE = (
    "acct account ln loan kyc cmpl txn tran trn trx crd card si mndt chq dep fd pol lien appl app req clm claim case"
    " tkt ord pymt pmt mar mrtl marital rec usr user cif frz"
)

# The short word, what it means, and the words behind it; "-" is the end of the identifier.
_BEFORE: Final = f"""
    no                      number                  - of
    int                     interest                rate rt {_AMOUNTS} {_DATES} pct paid pd os
    int                     interest                recv accr accrd accrued acc inc income
    cur curr                currency                - cd code
    cur curr                current                 *
    os                      outstanding             {_AMOUNTS} prin principal
    exp                     expiry                  {_DATES}
    mat                     maturity                {_DATES} amt amount val value
    st                      state                   cd code nm
    st                      start                   {_DATES}
    reg                     registration            {_DATES}
    rec                     received                {_DATES}
    dep                     deposit                 *
    ann                     annual                  {_ANNUAL}
    mth mnth mon            monthly                 {_ANNUAL} emi instl instalment
    lst                     last                    {_DATES} txn tran trx upd updt login pymt pmt paid mod int rvw stmt
    strt                    start                   {_DATES} tm time mth yr day
    pay                     payment                 mode mth mthd method mthod typ type {_DATES} ref channel sts stat
    exec                    execution               {_DATES} tm time ts
    std                     standing                instr ord order instruction instructions
    min                     minimum                 {_AMOUNTS} lmt limit age dep tenor tnr rate rt qty
    max                     maximum                 {_AMOUNTS} lmt limit age dep tenor tnr rate rt qty
    comp                    compensation            amt amount paid
    rev                     reversed                flg flag ind yn
    rev                     reversal                rsn reason txn {_DATES}
    pd                      paid                    {_DATES} amt amount inst instl
    pri                     principal               os {_AMOUNTS} outst
    wo                      written+off             {_AMOUNTS} {_DATES} flg flag ind
    prov                    provision               {_AMOUNTS} pct
    bkg                     booking                 {_DATES} amt
    mod                     modified                {_DATES} {_BY} ts tm
    ent                     entry                   {_DATES} tm
    frz                     frozen                  flg flag ind
    dorm drmt dorman        dormant                 flg flag ind {_DATES}
    hold                    hold                    *
    mop                     mode+of+operation       cd code -
    inst                    instalment              due amt amount {_DATES}
    rem                     remaining               {_REMAINS}
    adv                     advance                 amt amount
    drw                     drawing                 pwr power lmt
    cnst const              constitution            cd code typ type
    rsp                     response                cd code
    off                     office                  cd code nm name
    sup                     supervisor              {_PERSONS}
    rpt                     reporting               {_PERSONS} to off
    rpt                     report                  {_DATES} ts tm
    str                     start                   {_DATES} tm time
    trm                     termination             {_DATES} rsn reason
    arr                     arrival                 {_DATES} ts tm
    clo                     closed                  {_DATES} ts tm
    oh                      on+hand                 qty quan quantity stk stock
    lst                     list                    prc price cst cost
    crd                     credit                  amt amount note memo
    dsc                     discount                pct perc percent amt amount rt rate
    dscnt discn disctd dsctd  discontinued          flg flag ind yn
    ld                      lead                    tm time days dys
    un unt                  unit                    cst cost prc price
    flt                     flight                  - no num nbr id {_DATES} tm time mst hdr hrs sts
    bsc                     basic                   sal salary pay
    esc                     escalated               flg flag ind {_DATES}
    esc                     escalation              lvl level rsn
    rej                     rejection               rsn reason cd code
    rej                     rejected                {_DATES} flg flag ind amt
    pen pnl                 penal                   int interest chg chrg amt rt rate
    bnc                     bounce                  flg cnt chg chrg
    dis                     disbursed               amt amount {_DATES}
    rep                     repayment               perd prd period mths amt
    bg                      bank+guarantee          no num nbr amt {_DATES}
    mar                     marital                 st sts stat status
    lc                      letter+of+credit        no num nbr typ type sts
    auth                    authorised              by
    appr                    approved                by
    schd                    scheduled               {_DATES} amt
"""
# The same by the words before it.
_BEHIND: Final = f"""
    os                      outstanding             {_PRINCIPAL}
    int                     interest                accr accrd accrued pen penal tot total od due
    inst                    instalment              of num nbr pd paid rem tot total
    cls                     class                   asset npa risk rsk
    st                      status                  {_WITHOUT_A_STATE}
    instr                   instruction             std standing si
    rte                     rate                    std int interest avg base hrly dly disc tax exch fx comm
    mth mthd                method                  pay pmt payment pymt dlv delivery ship
    min mins                minutes                 wait dur duration talk call hold handle handling late delay
    cst                     cost                    un unt unit std avg tot total lnd repl mfg prod
    oh                      on+hand                 qty quan quantity stk stock
    ord                     ordered                 qty quan quantity
    shp                     shipped                 qty quan quantity
    rtn                     returned                qty quan quantity
    rsv resv                reserved                qty quan quantity
    alc                     allocated               qty quan quantity
    rcvd rcv                received                qty quan quantity
    pt                      point                   rord reord reorder
    ln                      line                    addr adr address
    bk                      book                    chq cheque chk check
    pd                      paid                    int prin inst instl emi
    mth mths mnth mon month months  months          {_TERMS}
    dys dy                  days                    {_TERMS} overdue ovd ovdue odue
    schd                    schedule                repay rpy rpmt rpmnt emi pymt pmt
    off                     office                  rgnl regional zonal hd head br
"""


def _rules(text: str) -> dict[str, list[tuple[frozenset[str], str]]]:
    found: dict[str, list[tuple[frozenset[str], str]]] = defaultdict(list)
    for shorts, meaning, neighbours in _lines(text):
        for short in shorts:
            found[short].append((neighbours, meaning))
    return dict(found)


def _lines(text: str) -> Iterator[tuple[list[str], str, frozenset[str]]]:
    for line in text.strip().splitlines():
        shorts, meaning, neighbours = (part for part in line.split("  ") if part.strip())
        yield shorts.split(), meaning.strip(), word_set(neighbours)


_BY_FOLLOWING: Final = _rules(_BEFORE)
_BY_PRECEDING: Final = _rules(_BEHIND)


def meaning_beside(word: str, preceding: str, following: str) -> str | None:
    """Return what a short word means between two others, "" at an end; None where they do not tell.

    "+" joins the words of a phrase.
    """
    for neighbours, meaning in _BY_PRECEDING.get(word, ()):
        if preceding in neighbours:
            return meaning
    for neighbours, meaning in _BY_FOLLOWING.get(word, ()):
        if (following or "-") in neighbours or ("*" in neighbours and following):
            return meaning
    return None
