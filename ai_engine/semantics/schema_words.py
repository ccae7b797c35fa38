"""Words that people who name tables and columns use: abbreviations, nouns, and what else they are called.

Everything here is general banking and database English; nothing belongs to one schema.
"""

from __future__ import annotations

from typing import Final


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text in which gaps stand between them."""
    return frozenset(text.split())


def pairs(text: str) -> dict[str, str]:
    """Return what stands behind the colon by what stands before it; "+" joins the words of a phrase."""
    return dict(pair.split(":", 1) for pair in text.split())


ABBREVIATIONS: Final[dict[str, str]] = pairs("""
    ac:account acc:account acct:account accnt:account addr:address adr:address agg:aggregate amnt:amount amt:amount
    appl:application appr:approval auth:authorisation avail:available avg:average avl:available
    bal:balance bday:birthday beg:beginning ben:beneficiary bil:bill bk:bank bnf:beneficiary br:branch brch:branch
    brn:branch cat:category catg:category ccy:currency cd:code chan:channel chg:charge chq:cheque clos:closing
    cls:closing clr:clearing clsd:closed cnt:count disp:disposition cntry:country coll:collateral comm:commission
    conf:confirmation contr:contract corp:corporate cr:credit crdt:credit crt:created chnl:channel dtl:detail
    dtls:details pstd:posted rmks:remarks rmk:remark sanc:sanctioned crncy:currency ctg:category ctry:country
    cust:customer cstmr:customer dbt:debit dept:department desc:description descr:description descrip:description
    dim:dimension disb:disbursement disbmt:disbursement disc:discount dist:district dly:daily dob:date+of+birth
    docs:documents doj:date+of+joining dom:domestic dpd:days+past+due dpt:department dr:debit
    drcr:debit+credit dt:date dte:date dtm:date+time dttm:date+time dur:duration eff:effective emp:employee
    empl:employee eom:end+of+month eod:end+of+day exch:exchange expir:expiry fin:financial flg:flag fname:first+name
    freq:frequency frm:from fx:foreign+exchange gen:gender gl:general+ledger grp:group hist:history hq:headquarters
    hol:holiday hrs:hours ident:identifier idx:index inc:income ind:indicator info:information instl:instalment
    instr:instrument intr:interest inv:invoice iss:issue lc:local+currency lcy:local+currency lim:limit lmt:limit
    ln:loan lname:last+name loc:location lvl:level mdate:maturity+date med:medium merch:merchant mgr:manager
    mgmt:management mkt:market mktg:marketing mname:middle+name mob:mobile mobno:mobile+number mon:month mst:master
    mstr:master mth:month mthly:monthly mnth:month mths:months mtg:mortgage nat:nationality natl:national nbr:number
    nm:name nr:number num:number nxt:next obal:opening+balance occ:occupation ofc:office opn:opening opr:operation
    orig:original org:organisation outst:outstanding ovd:overdue pct:percent perc:percent percnt:percent
    perf:performance ph:phone phn:phone pmnt:payment pmt:payment pol:policy prc:price prd:period prev:previous
    prim:primary prin:principal princ:principal prod:product prof:profile prov:province purch:purchase pwd:password
    pymt:payment qtr:quarter qty:quantity quan:quantity rcpt:receipt rcv:received rec:record recd:received
    ref:reference reg:region regn:region rel:relationship repay:repayment req:request resp:response
    rm:relationship+manager roi:rate+of+interest rsn:reason rt:rate sal:salary sch:schedule sched:schedule
    sec:security seg:segment seq:sequence settl:settlement sgmt:segment shr:share sk:key src:source srch:search
    srl:serial stat:status stmt:statement sts:status subseg:sub+segment svc:service sys:system tel:telephone
    telno:telephone+number temp:temporary tgt:target tkr:ticker tm:time tot:total tran:transaction trans:transaction
    trf:transfer trn:transaction trx:transaction ts:timestamp tstamp:timestamp tx:transaction txn:transaction
    txns:transactions typ:type upd:updated updt:updated util:utilisation val:value vendr:vendor vol:volume
    wdl:withdrawal wk:week wt:weight xfer:transfer xchg:exchange yld:yield yr:year yrs:years
    actv:active agmt:agreement agrmt:agreement alloc:allocation annl:annual apprd:approved apprv:approved
    assgn:assigned avlbl:available benef:beneficiary blk:blocked blkd:blocked brnch:branch cmpl:complaint
    cmplt:complaint cmpny:company cntrct:contract cncl:cancelled cntct:contact cptl:capital ctc:contact
    decl:declined delq:delinquency deps:deposits desg:designation desig:designation disbd:disbursed
    disbt:disbursement dispt:dispute dsbmt:disbursement educ:education enq:enquiry expd:expired extn:extension
    fd:fixed+deposit gndr:gender hldr:holder inact:inactive insur:insurance ins:insurance jnt:joint jrnl:journal
    liab:liability maint:maintenance matur:maturity maty:maturity mkr:maker narr:narration nom:nominee
    ntwk:network occp:occupation od:overdraft orgn:organisation outstd:outstanding pend:pending pnlty:penalty
    prio:priority prty:party pty:party recv:received recvd:received regd:registered reln:relationship
    relmgr:relationship+manager resd:residence resol:resolution restr:restructured rnw:renewal rnwl:renewal
    rpy:repayment rslv:resolved rslvd:resolved rslt:result rtn:return sanct:sanctioned sanctd:sanctioned
    schm:scheme snctn:sanctioned susp:suspended svgs:savings tckt:ticket tenr:tenor tkt:ticket tnr:tenor
    tnure:tenure txnl:transactional unpd:unpaid utl:utilisation vhcl:vehicle vrf:verified wdr:withdrawal
    wthd:withdrawal wtd:weighted xpry:expiry qual:qualification prem:premium lang:language crd:card
    td:term+deposit rd:recurring+deposit nomn:nominee collat:collateral rpmt:repayment rpmnt:repayment rcvd:received
    onb:onboarding onbd:onboarding onbrd:onboarding occup:occupation lon:loan instlmt:instalment insp:inspection
    aadhr:aadhaar accr:accrued accrd:accrued adhr:aadhaar asgn:assigned asgnd:assigned bene:beneficiary chkr:checker
    dsgn:designation dys:days edu:education emplr:employer eqv:equivalent fcy:foreign+currency foracid:account+number
    frz:freeze grd:grade hndl:handling hndld:handled hndlr:handler lchg:last+changed lkr:locker mrch:merchant
    zn:zone natnlty:nationality ntnlty:nationality odue:overdue oper:operation ovdue:overdue ovrdue:overdue rcre:created
    remit:remittance rgn:region rgnl:regional rmtr:remitter rsk:risk rsln:resolution rtg:rating rvw:review scr:score
    sev:severity stf:staff txt:text usr:user utlz:utilisation vlu:value woff:written+off wrtoff:written+off
    perd:period pwr:power rord:reorder dsc:description wrth:worth cpy:copy cus:customer drv:driver cpl:complaint
    hir:hire rpl:replacement unt:unit wgt:weight stl:settlement lic:licence los:loss lin:line lne:line rte:route
    std:standard str:street trm:term shp:shipment sls:sales ven:vendor gds:goods pay:payment
    adm:admission admn:admission anml:animal appt:appointment apt:appointment attn:attendance bkng:booking
    bldg:building brwr:borrower carr:carrier cgo:cargo chld:child clm:claim clms:claims clnc:clinic
    clsf:classification cmpgn:campaign cncrt:concert cpn:coupon csgn:consignment
    cstr:customer ctrl:control deliv:delivery dest:destination diag:diagnosis dlr:dealer dlv:delivery dlvr:delivery
    dlvry:delivery dnr:donor dntn:donation drvr:driver dsch:discharge enrl:enrolment enrlmt:enrolment
    enrol:enrolment eqp:equipment eqpt:equipment equip:equipment estb:establishment facl:facility fclty:facility
    gst:guest hosp:hospital htl:hotel itm:item jb:job ldr:leader lect:lecturer lib:library
    manuf:manufacturer mbr:member mbrs:members mech:mechanic memb:member mfg:manufacturing mfr:manufacturer
    mthd:method mtr:meter ord:order ords:orders pat:patient pats:patients pax:passenger physn:physician pkg:package
    prcl:parcel prgm:programme prog:programme progr:programme projs:projects promo:promotion
    prj:project budg:budget supv:supervisor
    psgr:passenger ptnt:patient publ:publisher rcvr:receiver rdg:reading rdng:reading reserv:reservation
    resv:reservation rpr:repair rsrv:reservation rtlr:retailer rvn:revenue rx:prescription schl:school sem:semester
    shft:shift shipt:shipment shpmt:shipment shpt:shipment slp:slip spcl:specialty spclty:specialty splr:supplier
    sppl:supplier srvc:service stck:stock stdnt:student stn:station stu:student stud:student studt:student
    subj:subject subscr:subscription suppl:supplier tch:teacher tchr:teacher techn:technician trck:truck
    trmt:treatment trtmt:treatment ttl:title veh:vehicle vehs:vehicles vhl:vehicle vnd:vendor vndr:vendor
    supl:supplier suplr:supplier splyr:supplier slsm:salesperson slsmn:salesperson slsp:salesperson
    srep:sales+rep slsrep:sales+rep salesrep:sales+rep slrep:sales+rep stk:stock cty:city flr:floor sqm:square+metres
    sqft:square+feet uom:unit+of+measure reord:reorder discont:discontinued catgy:category ctgy:category
    ctgry:category chn:channel trlr:trailer vsl:vessel vssl:vessel voy:voyage crgo:cargo cntnr:container
    contnr:container bkg:booking arvl:arrival dprt:departure acft:aircraft arpt:airport fuelqty:fuel+quantity
    odom:odometer mlg:mileage rgstr:registration insrd:insured insd:insured insr:insurer clmt:claimant covg:coverage
    cvg:coverage plcy:policy polcy:policy undwr:underwriter brkr:broker agncy:agency cmsn:commission wrkdy:working+day
    ovrtm:overtime tmsht:timesheet prjct:project phs:phase clnt:client cntrctr:contractor subc:subcontractor
    matl:material mtrl:material asmbl:assembly dfct:defect scrp:scrap mchn:machine oprt:operator plnt:plant
    wrkctr:work+centre btch:batch smpl:sample mbrshp:membership instrctr:instructor trnr:trainer exm:exam
    schlr:scholarship lbry:library bks:books pblsh:publisher edtn:edition rstr:restaurant dsh:dish mnu:menu
    ingr:ingredient flor:floor lndlrd:landlord rnt:rent lse:lease acr:acres hrvst:harvest lvstk:livestock
    vst:visit whs:warehouse whse:warehouse wrhs:warehouse wrk:work wrkr:worker wrkshp:workshop
    """)

WORDS: Final[frozenset[str]] = word_set(
    """
    about above accident account accused active activity actual address advance after age agency agent agreement
    alert allowance amount analysis annual application approval approved area asset assets atm attribute auction
    audit author authorisation available average balance bank banking base basis batch before begin beginning below
    beneficiary bill birth birthday block blocked board bond bonus book booked booking borrower branch brand broker
    brokerage budget business buyer cancelled capital card cash category center centre change channel charge check
    checking cheque child city civil claim class clear clearing client close closed closing code collateral
    collection color colour column comment commission committed common company complaint complete completed
    condition consumer contact content contract contractual contribution conversion corporate cost count counter
    counterpart counterparty country county coupon cover coverage created creation credit crime currency current
    customer daily data database date dated day days dealer dealership death debit debt debtor decision default
    deleted deletion delivery demand department dependent deposit deposited depositor description destination
    detail details device direct direction disabled disbursal disbursed disbursement discount dispute district
    dividend division document domestic due duration duty each earned earning economic education effective element
    email employed employee employer employment enabled end ended ending entity entrepreneur entry equity error
    estimated event exchange exit expense expired expiry exposure external facility factor family father fee field
    first fiscal fixed flag flight flow for foreign frequency from full fund gain gender general geography given
    goal grade grant granted gross group growth guarantee guarantor has head health height high history holder
    holding holiday home hour house household identity image incident income index indicator industry information
    inhabitant initial inserted inspection installment instalment institution instruction instrument insurance
    insured interest internal inventory investment investor invoice island issue issued issuer item job join joined
    joining journal key kind land language last lead lease ledger legal length level liability license lien life
    limit line lineage list loan local location lock locked login loss low maiden main maintenance manager mandate
    manufacturer margin marital market marketing master match maturity maximum measure media medium member
    membership memo merchant message method middle minimum minute mobile mode model moderate modified monday money
    month monthly mortgage mother municipality name national nationality net network new next nickname nominal
    nominee note notes notice number object occupation offer office officer old open opened opening operation
    operator option order origin original other outstanding overdraft overdue owner ownership page paid parent part
    partner partnership party passport password past payable payee payer payment payments payroll penalty pending
    pension percent percentage period permanent person personal phone photo picture place placed plan plate point
    policy population portfolio position post postal posted posting premium present previous price primary
    principal priority private probability processed processing product profession profile profit program project
    property provider province public purchase purchased purpose quality quantity quarter quarterly question quote
    rank rate rating ratio reason receipt receivable received receiver recipient record recovery reference refused
    region registered registration rejected related relationship remark remarks remittance rent repayment report
    request required reserve residence resident response result retail return revenue review reward risk role room
    route salary sale sales sample savings scale schedule scheduled scheme score season second secondary sector
    security segment sell seller sender sent sequence serial series service session settled settlement severity sex
    share shares ship shipping short shortage sign signature since size slot snapshot social sold source special
    spend spouse staff standard standing start started state statement status stock stop store street subject
    submitted subscription subsidiary sum supplier support surname suspended symbol system table target tax
    telephone teller temporary tenant tenor tenure term terminal territory text thing ticker ticket tier time
    timestamp title total town trade trader transaction transfer transformed travel treasury type unemployment unit
    update updated upper urban usage use used user username valid value variable vehicle vendor venue verified
    version vessel village visit volume voucher wage waiver wallet warehouse website week weekend weekly weight
    wire withdrawal withdrawn work worker year yearly yield zip zone
    accrued assigned checker compensation constitution designation dormant escalated escalation execution fail failed
    failure freeze frozen handled handling hold joint locker onboarding overdue penal provision regional register
    rejection remaining remittance remitter resolution resolved reversal reversed sanctioned severity supervisor
    absence admission animal appliance appointment article assembly attendance author blood boarding campaign
    cargo carrier carton classification clinic clinical college concert condition consignment construction
    consultation consumption container course crew cruise degree depot diagnosis discharge distance doctor donation
    donor dose driver drug electricity engine engineer enrolment enrollment equipment exam examination expedition
    faculty farm fine fleet freight fuel game garage guest hospital hotel injury inspector instructor kitchen
    laboratory labour lecture lecturer lesson library luggage machine make mark mechanic medicine menu meter mileage
    model module nurse odometer outlet parcel passenger patient pharmacy physician plant player prescription
    professor programme publication publisher pupil reader reading recipe repair reservation restaurant retailer
    school semester shelf shift shipment shop specialist specialty sport stay student study surgery tariff teacher
    technician theatre ticket train trainer training treatment trip truck tuition tutor undergraduate university
    ward water workshop
    utilisation written authorised basic bounce changed drawing equivalent guarantee narration power reporting worth
    defect fault hourly reorder site
    """
)

SHORT_PIECES: Final[frozenset[str]] = frozenset({"of", "no", "id", "to", "by", "is", "dt", "cd", "tx", "nm"})

TABLE_AFFIXES: Final = word_set("""
    tbl tb t tab table dim dimension fact fct vw v view stg stage staging raw master mst mstr dwh dw ods src mart dm
    lkp lookup ref hdr header
    """)
DETAIL_SUFFIXES: Final = word_set(
    "detail details dtl dtls info information data record records log logs hist history reg register"
)

KEY_WORDS: Final[frozenset[str]] = frozenset({"id", "number", "code", "key", "no", "uuid", "guid", "identifier", "ref"})

# What a table's rows are also, in a wider word; the wider word's own rows are not called by the narrower one.
WIDER_NOUNS: Final[dict[str, tuple[str, ...]]] = {
    "mortgage": ("loan", "mortgage loan", "home loan"),
    "authorisation": ("transaction", "txn", "purchase", "attempt", "authorisation attempt", "authorization attempt"),
    "posting": ("transaction", "txn"),
    "movement": ("transaction", "txn"),
    "repayment": ("payment", "loan payment"),
}

# People who are the customers where no table is called so; a "staff member" is none.
CUSTOMERS: Final[frozenset[str]] = frozenset(
    phrase.strip()
    for phrase in """
    card holder, cardholder, account holder, policy holder, policyholder, card member, member, borrower, depositor,
    subscriber, patron, consumer
    """.split(",")
)
