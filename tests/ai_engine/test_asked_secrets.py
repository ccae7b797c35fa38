"""Which words ask for a secret, however they are written, and which are the trade's own."""

from __future__ import annotations

import pytest

from ai_engine.asked_secrets import asks_for_secret

SECRETS = """
password, pass word, PASSPHRASE, passWord, pass_word, passwords, passkey, pwd, p a s s w o r d, p.a.s.s.w.o.r.d
pa\u200bssword, pass\u00adword, p\u0430ssword, \uff50\uff41\uff53\uff53word, p\u00e4ssword, passw0rd, p@ssword
PIN, PINs, MPIN, UPI MPIN, T-PIN, m-pin, account_pin, pin_code, p!n, p1n, OTP, OTPs, 0TP, TOTP, one-time code
one time password, verification code, the 6 digit code we sent you, security code, access code, confirmation codes
code from your phone, authenticator code, SMS code, codes that were texted, we texted you a code, backup codes
reset code, sign-in code, 2FA, MFA, CVV, CVV2, CVC, CVN, card no., card number, Card numbers, card details
token, tokens, access_token, bearer token, seed phrase, recovery phrase, signing key, recovery key, api key, apiKey
private-key, access keys, memorable word, secret answer, answer to secret question, security question, secretKey
mother's maiden name, credentials, login, log-in, log in, user id and pass, SECRETS
"""
PLAIN = """
Which city?, Which branch code?, IFSC code, account number, customer id, How many months?, product code, tokyo
the number of the branch, Which year do you mean?, amount in lakh, opinion, spinning, secretary of the branch
Which card product?, mobile banking users, pass this on to the branch?, sort order, keyword, a key figure, catalogue
Pincher Creek, by phone or post?, Which quarter: Q1 or Q2?, deposits of Rs. 10 lakh, mode of payment, boarding school
"""


def listed(texts: str) -> list[str]:
    return texts.strip().replace("\n", ", ").split(", ")


@pytest.mark.parametrize("text", listed(SECRETS))
def test_words_for_secrets_are_known_however_they_are_written(text: str):
    assert asks_for_secret(text)
    assert asks_for_secret(f"Please type your {text} to go on")
    assert asks_for_secret(text.upper())


def test_words_written_together_are_told_apart_by_their_capitals():
    assert asks_for_secret("accountPin")


@pytest.mark.parametrize("text", listed(PLAIN))
def test_other_questions_are_asked(text: str):
    assert not asks_for_secret(text)
