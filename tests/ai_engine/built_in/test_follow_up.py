from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.semantics.intent import Condition, Intent
from ai_engine.types import Interpretation, Turn
from tests.ai_engine.built_in import shop
from tests.ai_engine.built_in.talking import converse, last

SHOP = shop.knowledge()


@pytest.mark.parametrize(
    ("questions", "restatement"),
    [
        ("turnover by city | only red", "Turnover by city, where colour is red"),
        ("turnover in Lyon | what about Turin?", "Turnover, where city is Turin"),
        ("turnover in Lyon | now by month", "Turnover by month of day of sale, where city is Lyon, "
         "steps without data shown as zero"),
        ("turnover by city | by colour instead", "Turnover by colour"),
        ("turnover by city | break it down by colour", "Turnover by city and colour"),
        ("turnover by month | by quarter instead", "Turnover by quarter of day of sale, "
            "steps without data shown as zero"),
        ("turnover in Lyon | and the average?", "Average price, where city is Lyon"),
        ("turnover in 2025 | and in 2024?", "Turnover, for 2024"),
        ("turnover by city this year vs last year | last month compared with the month before",
         "Turnover by city, for last month (October 2026), compared with the period before"),
        ("turnover by city | top 2 only", "Turnover by city, sorted by turnover, highest first, top 2"),
        ("turnover by city | top 2 only | ascending", "Turnover by city, sorted by turnover, lowest first, first 2"),
        ("turnover by city | sort by city", "Turnover by city, sorted by city, lowest first"),
        ("turnover by city | as a percentage", "Share of turnover by city"),
        ("turnover by city | remove red sales", "Turnover by city, where colour is not red"),
        ("turnover in Lyon or Turin | exclude Turin", "Turnover, where city is Lyon"),
        ("turnover in Lyon | also Turin", "Turnover, where city is Lyon or Turin"),
        ("turnover in Lyon | not in Lyon", "Turnover, where city is not Lyon"),
        ("red turnover in Lyon | without the filters", "Turnover"),
        ("red turnover in Lyon | without the city filter", "Turnover, where colour is red"),
        ("red turnover in Lyon | all cities", "Turnover, where colour is red"),
        ("turnover in 2025 | for all time", "Turnover"),
        ("how many sales are red | show me the list", "List of sales showing sale number, colour and price, "
         "where colour is red"),
        ("how many sales are red | which ones", "List of sales showing sale number, colour and price, "
            "where colour is red"),
        ("list red sales | how many is that?", "Number of sales, where colour is red"),
        ("list red sales | by city", "Number of sales by city, where colour is red"),
        ("list sales in Lyon | with a price over 5 | only red ones", "List of sales showing sale number, "
            "colour and price, "
         "where city is Lyon and price is above 5 and colour is red"),
        ("turnover by city | only those above 500", "Turnover by city, only groups whose turnover is above 500"),
        ("turnover by city in 2025 | compare with last year", "Turnover by city, for 2025, "
         "compared with the same period a year earlier"),
        ("number of sales in Lyon | and of shops?", "Number of shops, where city is Lyon"),
        ("number of sales by city | which is the highest?", "Number of sales by city, sorted by number of sales, "
         "highest first, top 1"),
        ("turnover in May 2025 | and the month before?", "Turnover, for April 2025"),
        ("turnover by city | which city has the most?", "Turnover by city, sorted by turnover, highest first, top 1"),
        ("turnover | split by colour", "Turnover by colour"),
        ("turnover by city | number of sales as well", "Turnover and number of sales by city"),
        ("turnover in Lyon | hello | by colour", "Turnover by colour, where city is Lyon"),
    ],
)  # fmt: skip
def test_a_few_words_change_the_question_before(questions: str, restatement: str) -> None:
    reply = last(SHOP, *questions.split(" | "))
    assert (reply.outcome, reply.restatement) == ("query", restatement)


def test_a_long_conversation_with_the_sample_bank_stays_on_its_subject(bank: Knowledge) -> None:
    replies = converse(
        bank, "how many customers are in Mumbai", "and in Pune?", "how many of them are female", "who are they",
        "older than 60", "without a loan", "how many", "by segment", "as a percentage",
    )  # fmt: skip
    assert [reply.outcome for reply in replies] == ["query"] * len(replies)
    final = replies[-1].restatement
    assert final.startswith("Share of the number of customers by customer segment")
    for part in ("city is Pune", "gender is F", "is above 60", "without loans"):
        assert part in final
    assert "Mumbai" not in final


@pytest.mark.parametrize(
    ("questions", "restatement"),
    [
        ("NPA loans by branch | drop the branch", "Number of loans, where NPA status is NPA"),
        ("active cards by card type | only Visa | ignore the network", "Number of cards by card type, "
         "where card status is Active"),
        ("deposits and number of accounts by city | drop the number of accounts", "Total deposits by city"),
        ("accounts by month opened in 2025 | drop the month", "Number of accounts, "
         "for 2025"),
        ("deposits by city | sort by name", "Total deposits by city, sorted by city, lowest first"),
        ("deposits by city | what is the total?", "Total deposits"),
        ("average loan amount by loan type | only those disbursed in 2025", "Average loan size by loan type, "
         "for 2025 by disbursal date"),
        ("transactions above 1 lakh | only debits | how many", "Number of transactions, "
         "where transaction amount is above 100000 and credit or debit is Debit"),
        ("total debits in 2025 | how many", "Number of transactions (where credit or debit is Debit), "
         "for 2025"),
        ("average credit score | women vs men", "Average credit score by gender, where gender is F or M"),
        ("average credit score | in Delhi | how many are they | above 750?", "Number of customers, "
         "where city is Delhi and credit score is above 750"),
        ("loans with days past due over 90, how many | above 180?", "Number of loans, "
         "where days past due is above 180"),
        ("npa ratio by state | only states above 5%", "NPA ratio by state, only groups whose NPA ratio is above 5"),
        ("customers without a loan, how many | what share of all customers is that",
         "Share of customers without loans"),
        ("how many customers are in Mumbai | how many of them have a loan?", "Number of customers, "
         "where city is Mumbai, with loans"),
        ("cards by network | as a share of the total", "Share of the number of cards by card network"),
        ("list blocked credit cards | how many | which network has the most", "Number of cards by card network, "
         "where card status is Blocked and card type is Credit, sorted by number of cards, highest first, top 1"),
        ("which branch has the lowest deposits | the top 5", "Total deposits by branch, "
         "sorted by total deposits, highest first, top 5"),
        ("how many customers are in Chennai | their average balance | list them", "List of customers showing "
         "customer id, customer name, customer segment, occupation and KYC status, where city is Chennai"),
    ],
)  # fmt: skip
def test_what_an_analyst_types_next_changes_just_that(questions: str, restatement: str, bank: Knowledge) -> None:
    reply = last(bank, *questions.split(" | "))
    assert (reply.outcome, reply.restatement) == ("query", restatement)


def test_their_city_is_that_of_the_customers_and_not_of_their_accounts(bank: Knowledge) -> None:
    reply = last(bank, "top 5 customers by balance", "show their city too")
    assert "city (of the home branch)" in reply.restatement


def test_those_who_hold_such_accounts_are_chosen_by_the_accounts_and_their_dates(bank: Knowledge) -> None:
    reply = last(bank, "how many savings accounts were opened in Pune in 2025", "who are they")
    assert reply.restatement.startswith("List of customers")
    for part in ("account type is Savings", "account branch) is Pune", "opening date is in 2025"):
        assert part in reply.restatement


@pytest.mark.parametrize(
    "questions",
    [
        "top 5 customers by balance | what is the total?",
        "how many accounts are without cards | who are they",
        "npa ratio by region | who are they",
        "top 3 cities by deposits | sort by name",
        "customers by segment | only women | what share of all customers is that",
    ],
)
def test_a_wish_that_cannot_be_kept_is_not_answered_by_something_near(questions: str, bank: Knowledge) -> None:
    reply = last(bank, *questions.split(" | "))
    assert reply.outcome == "refused", reply.restatement


@pytest.mark.parametrize("answer", ["the second one", "2", "option 2", "the loan one", "I mean loans", "the last"])
def test_a_question_back_is_answered_by_place_or_by_a_word_only_one_choice_has(answer: str, bank: Knowledge) -> None:
    asked, reply = converse(bank, "average interest rate", answer)
    assert reply.restatement == asked.choices[1]


def test_what_leans_on_a_question_that_was_asked_back_offers_the_choice_again(bank: Knowledge) -> None:
    asked, reply, chosen = converse(bank, "average interest rate", "by region", "the account one")
    assert (reply.outcome, reply.suggestions) == ("refused", asked.choices)
    assert chosen.restatement == asked.choices[0]


def test_a_place_among_choices_that_were_not_offered_is_refused(bank: Knowledge) -> None:
    for before in ((), ("average interest rate", "total deposits"), ("customers by city",)):
        reply = last(bank, *before, "the second one")
        assert (reply.outcome, "“the second one”" in reply.reply) == ("refused", True)
    assert last(bank, "average interest rate", "option 3").outcome == "refused"


@pytest.mark.parametrize("shape", ["by region", "top 5", "as a percentage", "by month"])
def test_the_shape_of_an_answer_alone_asks_for_nothing(shape: str, bank: Knowledge) -> None:
    assert decide(shape, (), bank).outcome == "refused"


def test_an_abbreviation_of_the_glossary_is_understood_in_a_few_words_too(bank: Knowledge) -> None:
    model = replace(bank.model, glossary={"acp": "average credit limit of cards"})
    known = Knowledge(replace(bank.vocabulary, model=model))
    reply = last(known, "number of active cards by network", "and ACP?")
    assert reply.restatement == "Average credit limit by card network, where card status is Active"
    assert any("“ACP”" in note for note in reply.assumptions)


def test_the_same_of_other_things_keeps_what_applies_and_says_what_does_not(bank: Knowledge) -> None:
    reply = last(bank, "total deposits by account type", "only in Pune", "and for loans?")
    assert reply.restatement == "Outstanding loans, where city is Pune"
    assert any("account type" in note for note in reply.assumptions)


def test_a_kind_inside_a_metric_is_changed_and_not_asked_twice(bank: Knowledge) -> None:
    reply = last(bank, "how many active accounts", "and dormant ones?")
    assert reply.restatement == "Number of accounts, where account status is Dormant"


def test_what_belongs_to_those_asked_about_is_narrowed_by_them(bank: Knowledge) -> None:
    reply = last(bank, "customers with a home loan", "from Bangalore", "their average balance")
    assert reply.restatement == (
        "Average balance, for customers, where city (of the home branch) is "
        "Bengaluru, with loans (where loan type is Home Loan)"
    )


def test_a_wider_place_gives_way_to_another_place(bank: Knowledge) -> None:
    reply = last(bank, "total deposits in Karnataka", "what about Mumbai?")
    assert reply.restatement == "Total deposits, where city is Mumbai"


@pytest.mark.parametrize(
    "switch",
    [
        "how many customers do we have", "total loans in Karnataka", "NPA ratio by region", "deposits in Kochi only",
        "now NPA ratio by region", "deposits broken down by branch", "customers and their loans",
    ],
)  # fmt: skip
def test_a_new_subject_takes_no_old_condition_along(switch: str, bank: Knowledge) -> None:
    assert last(bank, "total deposits in Pune", switch).intent == decide(switch, (), bank).intent


@pytest.mark.parametrize(
    "before",
    [
        "top 4 customers per segment by balance", "loans 30-60 dpd by branch, only branches with more than 5",
        "how many customers are in Mumbai",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "question",
    [
        "what did women spend on travel last month?", "which month of 2025 had the most failed transactions",
        "count of credit cards", "what is the largest single transaction amount?",
        "how much interest did we pay on savings accounts", "on which weekday is the ATM withdrawal amount highest",
        "which 5 merchant categories get the most spend", "Which months this year had at least 100 new customers?",
        "credit cards last month", "UPI debits in 2025",
    ],
)  # fmt: skip
def test_a_whole_question_about_other_rows_takes_nothing_along(before: str, question: str, bank: Knowledge) -> None:
    alone = decide(question, (), bank)
    assert alone.outcome == "query"
    assert last(bank, before, question).intent == alone.intent


@pytest.mark.parametrize(
    ("questions", "restatement"),
    [
        ("failed transactions in 2025 | how much via UPI", "Total transaction amount, where transaction status is "
         "Failed and channel is UPI, for 2025 by transaction date"),
        ("how many customers are in Mumbai | how many are female", "Number of customers, where city is Mumbai "
         "and gender is F"),
        ("failed transactions by month in 2025 | which 2 merchant categories have the most", "Number of transactions "
         "by merchant category, where transaction status is Failed, for 2025, "
         "sorted by number of transactions, highest first, top 2"),
        ("how many customers are in Mumbai | who has both a gold loan and a personal loan", "Number of customers, "
         "where city is Mumbai, with loans (where loan type is Gold Loan) and with loans "
         "(where loan type is Personal Loan)"),
    ],
)  # fmt: skip
def test_what_leaves_its_noun_out_goes_on_with_all_it_says(questions: str, restatement: str, bank: Knowledge) -> None:
    assert last(bank, *questions.split(" | ")).restatement == restatement


def test_a_question_that_may_be_new_or_go_on_is_asked_back_and_the_choice_is_understood() -> None:
    asked = ("turnover in Lyon", "and how many sales are there?")
    reply = last(SHOP, *asked)
    assert reply.outcome == "clarify"
    assert set(reply.choices) == {"Number of sales, where city is Lyon", "Number of sales"}
    for choice in reply.choices:
        assert last(SHOP, *asked, choice).restatement == choice


def test_a_choice_sent_back_is_exactly_that_reading_and_holds_for_the_conversation(bank: Knowledge) -> None:
    question = "average interest rate"
    choices = decide(question, (), bank).choices
    assert len(choices) > 1
    for choice in choices:
        replies = converse(bank, question, choice, "total deposits", question)
        assert [reply.restatement for reply in replies] == ["", choice, "Total deposits", choice]
        assert "Read as you chose earlier." in replies[-1].assumptions


@pytest.mark.parametrize(
    "question", ["what about Turin?", "only red ones", "of those, how many are red", "by colour instead"]
)
def test_what_refers_to_nothing_is_refused_and_says_so(question: str) -> None:
    reply = decide(question, (), SHOP)
    assert reply.outcome == "refused"
    assert "earlier question" in reply.reply


@pytest.mark.parametrize("question", ["and for blorps?", "only the zorgs", "by wibble instead"])
def test_words_that_are_not_understood_are_never_dropped_in_a_follow_up(question: str) -> None:
    assert last(SHOP, "turnover in Lyon", question).outcome == "refused"


def test_things_counted_by_what_they_have_can_be_narrowed_and_are_asked_nothing_else(bank: Knowledge) -> None:
    counted = "how many customers have a total balance above 500000"
    narrowed = "Number of customers whose total deposits is above 500000, where city is Mumbai"
    assert last(bank, counted, "only in Mumbai").restatement == narrowed
    for other in ("by city", "who are they", "and above 1000000?"):
        assert last(bank, counted, other).outcome == "refused"


@pytest.mark.parametrize("leaning", ["by month", "and in 2024?", "top 2 only", "as a percentage", "what about red?"])
def test_what_goes_on_from_a_refused_question_is_refused_and_names_it(leaning: str) -> None:
    for refused in ("only the zorgs", "how many zorgs are there"):
        reply = last(SHOP, "turnover by city", refused, leaning)
        assert (reply.outcome, f"“{refused}” was not understood" in reply.reply) == ("refused", True)


def test_a_refused_question_may_be_said_anew_and_another_begins_anew() -> None:
    said_anew = last(SHOP, "turnover by city", "only the reddish zorgs of Lyon", "only Lyon")
    assert said_anew.restatement == "Turnover by city, where city is Lyon"
    assert last(SHOP, "turnover by city", "only the zorgs", "turnover by month").outcome == "query"


_ALONE = st.sampled_from(
    [
        "turnover", "turnover by city", "how many sales are red", "list sales in Lyon", "total price by colour in 2025",
        "number of shops by city", "average price of blue sales", "top 3 cities by turnover", "sales over 500",
        "which sales are red", "turnover by month", "shops in Turin or Delft", "show red sales and their price",
        "cheapest sale", "sales without a colour", "list all colours", "shops with red sales",
    ]
)  # fmt: skip
_LEANING = st.sampled_from(
    ["only red", "by month", "and in 2024?", "top 2 only", "as a percentage", "what about Turin?"]
)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.one_of(_ALONE, _LEANING), max_size=3), _ALONE)
def test_a_question_that_stands_alone_means_the_same_whatever_was_said_before(before: list[str], question: str) -> None:
    alone = decide(question, (), SHOP)
    assert last(SHOP, *before, question).intent == alone.intent


@settings(max_examples=80, deadline=None)
@given(_ALONE, st.lists(_LEANING, min_size=1, max_size=4))
def test_a_follow_up_is_always_a_question_that_stands_alone_or_is_refused(first: str, leaning: list[str]) -> None:
    replies = converse(SHOP, first, *leaning)
    for reply in replies:
        assert _is_whole(reply)
    given_cities = [word for word in leaning if word == "what about Turin?"]
    final = replies[-1].intent
    if given_cities and final is not None and not _is_refused_somewhere(replies):
        assert "Lyon" not in _values(final)


def _is_whole(reply: Interpretation) -> bool:
    return bool(reply.restatement) == (reply.intent is not None) == (reply.outcome == "query")


def _is_refused_somewhere(replies: list[Interpretation]) -> bool:
    return any(reply.outcome != "query" for reply in replies)


def _values(intent: Intent) -> set[object]:
    return {value for item in intent.filters if isinstance(item, Condition) for value in item.values}


def test_the_turn_that_counts_is_the_last_one_with_an_answer() -> None:
    turns = (Turn("turnover in Lyon", "x", decide("turnover in Lyon", (), SHOP).intent), Turn("hello", "", None))
    assert decide("by colour", turns, SHOP).restatement == "Turnover by colour, where city is Lyon"


@pytest.mark.parametrize("wish", [
    "show all", "show all of them", "all", "the rest", "show me the rest of them", "all rows", "give me the full list",
])  # fmt: skip
def test_all_of_them_are_those_asked_for_before_without_their_limit(bank, wish):
    told = last(bank, "top 5 customers by balance", wish)
    assert told.restatement == "Total balance by customer, sorted by total balance, highest first"


@pytest.mark.parametrize(
    ("questions", "restatement"),
    [
        ("deposits by branch | top 5 | ten instead of five", "Total deposits by branch, sorted by total deposits, "
         "highest first, top 10"),
        ("deposits by branch | top 5 | the third of them", "Total deposits by branch, sorted by total deposits, "
         "highest first, only number 3 in this order"),
        ("customers in Mumbai or Pune | list those with a loan | count them", "Number of customers, "
         "where city is Mumbai or Pune, with loans"),
        ("deposits by city | and loans as well", "Total deposits and outstanding loans by city"),
        ("deposits by city | by segment instead | back", "Total deposits by city"),
        ("deposits by city | by segment instead of city", "Total deposits by customer segment"),
        ("outstanding loans by region | for home loans", "Outstanding loans by region, where loan type is Home Loan"),
        ("how many cards are blocked | list them with the customer name", "List of cards showing card id, card type, "
         "card network, card status, card expiry date and customer name, where card status is Blocked"),
        ("deposits by city | New topic: how many customers are there?", "Number of customers"),
        ("loans by status | as a percentage | back to numbers", "Number of loans by loan status"),
        ("deposits in Pune | in Mumbai | back to by branch", "Total deposits by branch, where city is Pune"),
    ],
)  # fmt: skip
def test_a_turn_names_a_place_a_number_or_the_way_back(questions: str, restatement: str, bank: Knowledge) -> None:
    assert last(bank, *questions.split(" | ")).restatement == restatement


@pytest.mark.parametrize(
    "questions", ["deposits by city | back", "deposits by branch | the third of them", "deposits by city | undo that"]
)
def test_a_way_back_or_a_place_that_there_is_not_is_refused(questions: str, bank: Knowledge) -> None:
    assert last(bank, *questions.split(" | ")).outcome == "refused"


@pytest.mark.parametrize("wish", ["show 7", "list 7"])
def test_a_bare_number_shows_so_many_in_the_order_that_was_there(bank, wish):
    assert last(bank, "top 5 customers by balance", wish).restatement.endswith("highest first, top 7")


@pytest.mark.parametrize("wish", ["show 7", "show me 7 of them"])
def test_a_bare_number_after_a_list_ranks_nothing(bank, wish):
    listed = last(bank, "list savings accounts", wish)
    assert (listed.intent.limit, listed.intent.order) == (7, ())


def test_all_of_what_was_never_asked_for_refers_to_nothing(bank):
    assert last(bank, "show all").outcome == "refused"


def test_a_number_counts_things_and_no_bare_value(bank):
    """ "show 10 more" asks for no ten people of that name."""
    assert last(bank, "top 5 customers by balance", "show 10 Pune").outcome == "refused"


def test_ten_more_are_shown_beside_those_that_were(bank):
    told = last(bank, "top 5 customers by balance", "show 10 more")
    assert told.restatement == "Total balance by customer, sorted by total balance, highest first, top 15"
    assert last(bank, "deposits by city", "show 10 more").outcome == "refused"


@pytest.mark.parametrize("leaning", ["without dormant accounts", "now show the number of accounts instead"])
def test_what_leans_on_a_refused_question_is_refused(bank: Knowledge, leaning: str) -> None:
    refused = Turn("what is the churn rate by branch", "", None, "refused")
    assert decide(leaning, (refused,), bank).outcome == "refused"
