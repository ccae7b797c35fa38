"""A lending house with no vocabulary file: columns named by a role, tables that link two things, lists of codes."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE Ref_Channels (Channel_Code CHAR(2) PRIMARY KEY, Channel_Description VARCHAR(40));
CREATE TABLE staff (staff_number INTEGER PRIMARY KEY, staff_name VARCHAR(40), job_title VARCHAR(40),
  sign_limit DECIMAL(12,2));
CREATE TABLE office (office_code CHAR(3) PRIMARY KEY, office_name VARCHAR(40), town VARCHAR(40),
  manager INTEGER REFERENCES staff (staff_number));
CREATE TABLE depot (depot_code CHAR(3) PRIMARY KEY, depot_name VARCHAR(40), town VARCHAR(40));
CREATE TABLE person (person_no INTEGER PRIMARY KEY, first_name VARCHAR(40), last_name VARCHAR(40),
  home_town VARCHAR(40), birth_date DATE, home_office CHAR(3) REFERENCES office (office_code));
CREATE TABLE loan (loan_no INTEGER PRIMARY KEY, borrower INTEGER REFERENCES person (person_no),
  handler INTEGER REFERENCES staff (staff_number), depot_code CHAR(3) REFERENCES depot (depot_code),
  kind VARCHAR(10), amount DECIMAL(12,2), granted_on DATE);
CREATE TABLE remittance (remittance_no INTEGER PRIMARY KEY, sender INTEGER REFERENCES person (person_no),
  receiver INTEGER REFERENCES person (person_no), channel_code CHAR(2) REFERENCES Ref_Channels (Channel_Code),
  amount DECIMAL(12,2), made_on DATE);
CREATE TABLE saver_club (club_code CHAR(3) PRIMARY KEY, club_name VARCHAR(40), yearly_fee DECIMAL(9,2),
  rate_pct DECIMAL(5,2));
CREATE TABLE club_membership (person_no INTEGER REFERENCES person (person_no),
  club_code CHAR(3) REFERENCES saver_club (club_code), since DATE, points_balance INTEGER,
  PRIMARY KEY (person_no, club_code));
CREATE TABLE fund (fund_code CHAR(3) PRIMARY KEY, fund_name VARCHAR(40), ticker CHAR(4));
CREATE TABLE holding (person_no INTEGER REFERENCES person (person_no), fund_code CHAR(3) REFERENCES fund (fund_code),
  units INTEGER, PRIMARY KEY (person_no, fund_code));
CREATE TABLE trade (trade_no INTEGER PRIMARY KEY, person_no INTEGER REFERENCES person (person_no),
  fund_code CHAR(3) REFERENCES fund (fund_code), units INTEGER, traded_on DATE, booked_for VARCHAR(60));
"""

VALUES: dict[str, tuple[str, ...]] = {
    "Ref_Channels.Channel_Code": ("AP", "DE", "PO"),
    "Ref_Channels.Channel_Description": ("App", "Counter", "Post"),
    "staff.staff_name": ("Ines Vogt", "Omar Reid"),
    "staff.job_title": ("Clerk", "Director"),
    "office.office_name": ("Quayside", "Old Mill"),
    "office.town": ("Whitby", "Ludlow"),
    "depot.depot_name": ("North Yard", "South Yard"),
    "depot.town": ("Whitby", "Frome"),
    "person.first_name": ("Tilda", "Emre", "Paula"),
    "person.last_name": ("Brandt", "Aydin", "Costa"),
    "person.home_town": ("Whitby", "Ludlow", "Frome"),
    "trade.booked_for": ("Tilda Brandt", "Brandt Ltd"),
    "loan.kind": ("car", "house"),
    "saver_club.club_name": ("Silver Circle", "Early Birds"),
    "fund.fund_name": ("Meadow Fund", "Harbour Fund"),
    "fund.ticker": ("MEDW", "HRBR"),
}


@cache
def lending_house() -> Knowledge:
    return inferred_knowledge(DDL, VALUES, unique=[("office", "office_name"), ("fund", "fund_name")])
