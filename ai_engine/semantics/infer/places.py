"""What people call the countries, currencies and states whose names or codes a column holds.

Codes: ISO 3166-1 alpha-2 and alpha-3 of countries, ISO 4217 of currencies, ISO 3166-2 of the states of India and the
United States.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

Words = Mapping[str, tuple[str, ...]]

_COUNTRIES: Final = """
    ae are|United Arab Emirates, UAE, Emirates|Emirati
    af afg|Afghanistan|Afghan
    al alb|Albania|Albanian
    ar arg|Argentina|Argentine, Argentinian
    at aut|Austria|Austrian
    au aus|Australia|Australian
    bd bgd|Bangladesh|Bangladeshi
    be bel|Belgium|Belgian
    bg bgr|Bulgaria|Bulgarian
    bh bhr|Bahrain|Bahraini
    bo bol|Bolivia|Bolivian
    br bra|Brazil|Brazilian
    bt btn|Bhutan|Bhutanese
    by blr|Belarus|Belarusian
    ca can|Canada|Canadian
    ch che|Switzerland|Swiss
    cl chl|Chile|Chilean
    cn chn|China|Chinese
    co col|Colombia|Colombian
    cr cri|Costa Rica|Costa Rican
    cy cyp|Cyprus|Cypriot
    cz cze|Czech Republic, Czechia|Czech
    de deu|Germany|German
    dk dnk|Denmark|Danish, Dane
    dz dza|Algeria|Algerian
    ec ecu|Ecuador|Ecuadorian
    ee est|Estonia|Estonian
    eg egy|Egypt|Egyptian
    es esp|Spain|Spanish, Spaniard
    et eth|Ethiopia|Ethiopian
    fi fin|Finland|Finnish, Finn
    fr fra|France|French
    gb gbr uk|United Kingdom, UK, Great Britain, Britain|British, Briton
    ge geo|Georgia|Georgian
    gh gha|Ghana|Ghanaian
    gr grc|Greece|Greek
    hk hkg|Hong Kong|
    hr hrv|Croatia|Croatian
    hu hun|Hungary|Hungarian
    id idn|Indonesia|Indonesian
    ie irl|Ireland|Irish
    il isr|Israel|Israeli
    in ind|India|Indian
    iq irq|Iraq|Iraqi
    ir irn|Iran|Iranian
    is isl|Iceland|Icelandic
    it ita|Italy|Italian
    jo jor|Jordan|Jordanian
    jp jpn|Japan|Japanese
    ke ken|Kenya|Kenyan
    kh khm|Cambodia|Cambodian
    kr kor|South Korea, Korea|South Korean, Korean
    kw kwt|Kuwait|Kuwaiti
    kz kaz|Kazakhstan|Kazakh
    lb lbn|Lebanon|Lebanese
    lk lka|Sri Lanka|Sri Lankan
    lt ltu|Lithuania|Lithuanian
    lu lux|Luxembourg|Luxembourgish
    lv lva|Latvia|Latvian
    ma mar|Morocco|Moroccan
    mm mmr|Myanmar|Burmese
    mt mlt|Malta|Maltese
    mu mus|Mauritius|Mauritian
    mv mdv|Maldives|Maldivian
    mx mex|Mexico|Mexican
    my mys|Malaysia|Malaysian
    ng nga|Nigeria|Nigerian
    nl nld|Netherlands, Holland|Dutch
    no nor|Norway|Norwegian
    np npl|Nepal|Nepalese, Nepali
    nz nzl|New Zealand|New Zealander
    om omn|Oman|Omani
    pe per|Peru|Peruvian
    ph phl|Philippines|Filipino, Philippine
    pk pak|Pakistan|Pakistani
    pl pol|Poland|Polish, Pole
    pt prt|Portugal|Portuguese
    qa qat|Qatar|Qatari
    ro rou|Romania|Romanian
    rs srb|Serbia|Serbian
    ru rus|Russia|Russian
    sa sau|Saudi Arabia|Saudi, Saudi Arabian
    se swe|Sweden|Swedish, Swede
    sg sgp|Singapore|Singaporean
    si svn|Slovenia|Slovenian
    sk svk|Slovakia|Slovak
    th tha|Thailand|Thai
    tn tun|Tunisia|Tunisian
    tr tur|Turkey|Turkish, Turk
    tw twn|Taiwan|Taiwanese
    tz tza|Tanzania|Tanzanian
    ua ukr|Ukraine|Ukrainian
    ug uga|Uganda|Ugandan
    us usa|United States, United States of America, USA, America|American
    uy ury|Uruguay|Uruguayan
    uz uzb|Uzbekistan|Uzbek
    ve ven|Venezuela|Venezuelan
    vn vnm|Vietnam|Vietnamese
    za zaf|South Africa|South African
    zm zmb|Zambia|Zambian
    zw zwe|Zimbabwe|Zimbabwean
    """
_CURRENCIES: Final = """
    aed|dirham, UAE dirham
    aud|Australian dollar
    bdt|taka
    brl|Brazilian real
    cad|Canadian dollar
    chf|Swiss franc, franc
    cny|yuan, renminbi
    czk|Czech koruna, koruna
    dkk|Danish krone
    eur|euro
    gbp|pound, British pound, pound sterling, sterling
    hkd|Hong Kong dollar
    huf|forint
    idr|rupiah
    inr|rupee, Indian rupee
    jpy|yen, Japanese yen
    kes|Kenyan shilling
    krw|Korean won
    lkr|Sri Lankan rupee
    mxn|Mexican peso
    myr|ringgit
    ngn|naira
    nok|Norwegian krone
    npr|Nepalese rupee
    nzd|New Zealand dollar
    php|Philippine peso
    pkr|Pakistani rupee
    pln|zloty
    qar|Qatari riyal
    rub|rouble, ruble
    sar|Saudi riyal
    sek|Swedish krona
    sgd|Singapore dollar
    thb|baht
    try|lira, Turkish lira
    usd|dollar, US dollar
    zar|rand, South African rand
    """
_STATES: Final = (
    """
    ap|Andhra Pradesh
    ar|Arunachal Pradesh
    as|Assam
    br|Bihar
    cg|Chhattisgarh
    ch|Chandigarh
    dl|Delhi
    ga|Goa
    gj|Gujarat
    hp|Himachal Pradesh
    hr|Haryana
    jh|Jharkhand
    jk|Jammu and Kashmir
    ka|Karnataka
    kl|Kerala
    mh|Maharashtra
    ml|Meghalaya
    mn|Manipur
    mp|Madhya Pradesh
    mz|Mizoram
    nl|Nagaland
    od|Odisha, Orissa
    or|Odisha, Orissa
    pb|Punjab
    py|Puducherry, Pondicherry
    rj|Rajasthan
    sk|Sikkim
    tg|Telangana
    tn|Tamil Nadu
    tr|Tripura
    ts|Telangana
    uk|Uttarakhand
    up|Uttar Pradesh
    ut|Uttarakhand
    wb|West Bengal
    """,
    """
    ak|Alaska
    al|Alabama
    ar|Arkansas
    az|Arizona
    ca|California
    co|Colorado
    ct|Connecticut
    dc|District of Columbia
    de|Delaware
    fl|Florida
    ga|Georgia
    hi|Hawaii
    ia|Iowa
    id|Idaho
    il|Illinois
    in|Indiana
    ks|Kansas
    ky|Kentucky
    la|Louisiana
    ma|Massachusetts
    md|Maryland
    me|Maine
    mi|Michigan
    mn|Minnesota
    mo|Missouri
    ms|Mississippi
    mt|Montana
    nc|North Carolina
    nd|North Dakota
    ne|Nebraska
    nh|New Hampshire
    nj|New Jersey
    nm|New Mexico
    nv|Nevada
    ny|New York
    oh|Ohio
    ok|Oklahoma
    or|Oregon
    pa|Pennsylvania
    ri|Rhode Island
    sc|South Carolina
    sd|South Dakota
    tn|Tennessee
    tx|Texas
    ut|Utah
    va|Virginia
    vt|Vermont
    wa|Washington
    wi|Wisconsin
    wv|West Virginia
    wy|Wyoming
    """,
)


def _rows(table: str) -> list[list[tuple[str, ...]]]:
    """Read "codes|names|adjectives" lines."""
    return [
        [tuple(word.strip().lower() for word in cell.split("," if at else " ") if word.strip()) for at, cell in cells]
        for cells in (enumerate(line.strip().split("|")) for line in table.strip().splitlines())
    ]


def _countries() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for codes, names, adjectives in _rows(_COUNTRIES):
        found |= dict.fromkeys((*codes, *names), (*names, *adjectives))
    return found


_BY_KIND: Final[tuple[tuple[frozenset[str], tuple[Words, ...]], ...]] = (
    (frozenset({"country", "nationality", "nation", "citizenship"}), (_countries(),)),
    (frozenset({"currency"}), ({code: names for (code,), names in _rows(_CURRENCIES)},)),
    (frozenset({"state", "province"}), tuple({code: names for (code,), names in _rows(table)} for table in _STATES)),
)
_LEAST_KNOWN_SHARE = 0.8
_LONGEST_CODE = 3


def place_words(column: Sequence[str], stored: frozenset[str]) -> Words:
    """Return the names, adjectives and codes of the countries, currencies or states that a column holds.

    Args:
        column: written-out words of the column.
        stored: its values in lower case; a set of which a fifth is unknown gets no words where codes could be others.
    """
    for kinds, tables in _BY_KIND:
        if not kinds & set(column):
            continue
        known = [stored & set(table) for table in tables]
        if len(known) > 1 and len(known[0]) == len(known[1]):
            return {}
        best = max(range(len(tables)), key=lambda at: len(known[at]))
        sure = len(known[best]) >= _LEAST_KNOWN_SHARE * len(stored)
        return {value: tables[best][value] for value in known[best] if sure or len(value) > _LONGEST_CODE}
    return {}
