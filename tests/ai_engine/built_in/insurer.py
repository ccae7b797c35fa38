"""An insurer with no vocabulary file: codes with lists of their meanings, years without a day, names in capitals."""

from __future__ import annotations

from functools import cache

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.types import Scalar
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE Ref_Cover_Types (Cover_Type_Code CHAR(3) PRIMARY KEY, Cover_Type_Description VARCHAR(40));
CREATE TABLE Ref_Payment_Methods (Payment_Method_Code CHAR(2) PRIMARY KEY, Payment_Method_Description VARCHAR(40));
CREATE TABLE Agencies (Agency_ID INTEGER PRIMARY KEY, Agency_Name VARCHAR(40), Town VARCHAR(40), Opened_Year INTEGER);
CREATE TABLE Holders (Holder_ID INTEGER PRIMARY KEY, First_Name VARCHAR(40), Last_Name VARCHAR(40), Birth_Year CHAR(4),
  Agency_ID INTEGER REFERENCES Agencies (Agency_ID));
CREATE TABLE Contracts (Contract_ID INTEGER PRIMARY KEY, Holder_ID INTEGER REFERENCES Holders (Holder_ID),
  Cover_Type_Code CHAR(3) REFERENCES Ref_Cover_Types (Cover_Type_Code), Valid_From DATE, Valid_To DATE,
  Premium DECIMAL(10,2));
CREATE TABLE Payments (Payment_ID INTEGER PRIMARY KEY, Contract_ID INTEGER REFERENCES Contracts (Contract_ID),
  Payment_Method_Code CHAR(2) REFERENCES Ref_Payment_Methods (Payment_Method_Code), Date_of_Payment DATE,
  Amount_Paid DECIMAL(10,2));
CREATE TABLE Refunds (Refund_ID INTEGER PRIMARY KEY, Payment_ID INTEGER REFERENCES Payments (Payment_ID),
  Cover_Type_Code CHAR(3) REFERENCES Ref_Cover_Types (Cover_Type_Code), Refund_Date DATE, Refund_Amount DECIMAL(10,2));
CREATE TABLE reinsurers (rsId INTEGER PRIMARY KEY, rsName VARCHAR(40), rsCountry CHAR(2));
CREATE TABLE treaties (trId INTEGER PRIMARY KEY, trCedantRsId INTEGER REFERENCES reinsurers (rsId),
  trAssumerRsId INTEGER REFERENCES reinsurers (rsId), trStatus VARCHAR(10), trShare DECIMAL(5,2));
"""

VALUES: dict[str, tuple[Scalar, ...]] = {
    "Ref_Cover_Types.Cover_Type_Code": ("MOT", "TRV", "HOM"),
    "Ref_Cover_Types.Cover_Type_Description": ("Motor", "Travel", "Home Contents"),
    "Ref_Payment_Methods.Payment_Method_Code": ("CA", "CH", "DD"),
    "Ref_Payment_Methods.Payment_Method_Description": ("Cash", "Cheque", "Direct Debit"),
    "Agencies.Agency_Name": ("Harbour", "Old Market"),
    "Agencies.Town": ("Ashford", "Settle"),
    "Agencies.Opened_Year": (1968, 1994, 2011),
    "Holders.Birth_Year": ("1948", "1961", "1990"),
    "Contracts.Cover_Type_Code": ("MOT", "TRV", "HOM"),
    "Payments.Payment_Method_Code": ("CA", "CH", "DD"),
    "reinsurers.rsName": ("Alpine Re", "Fund A"),
    "reinsurers.rsCountry": ("CH", "DE"),
    "treaties.trStatus": ("SIGNED", "LAPSED"),
    "Refunds.Cover_Type_Code": ("MOT", "TRV"),
}


@cache
def insurer() -> Knowledge:
    return inferred_knowledge(DDL, VALUES, unique=[("Agencies", "Agency_Name")])
