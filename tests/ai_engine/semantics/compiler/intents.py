"""The shapes of questions, each with the name of the file that holds its SQL."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from ai_engine.semantics.intent import (
    AnyOf,
    Condition,
    Dimension,
    Having,
    Intent,
    Measure,
    Membership,
    Order,
    Period,
)

from .bank import ref

OCTOBER = Period(start=date(2026, 10, 1), end=date(2026, 11, 1), label="October 2026")
JUNE_TO_OCTOBER = Period(start=date(2026, 6, 1), end=date(2026, 11, 1), label="June to October 2026")
JULY_TO_SEPTEMBER = Period(start=date(2026, 7, 1), end=date(2026, 10, 1), label="July to September 2026")
BALANCE = Measure(aggregate="sum", field=ref("accounts.balance"))
AMOUNT = Measure(aggregate="sum", field=ref("transactions.amount"))
CLOSING = Measure(aggregate="sum", field=ref("balances.closing"))
INTEREST = Measure(aggregate="sum", field=ref("balances.interest"))
OUTSTANDING = Measure(aggregate="sum", field=ref("loans.outstanding"))
CUSTOMERS = Measure(aggregate="count", dataset="customers")
ACCOUNTS = Measure(aggregate="count", dataset="accounts")


def by(text: str, grain: str | None = None, *edges: int, via: tuple[str, ...] = ()) -> Dimension:
    return Dimension(field=ref(text, grain, via), edges=tuple(Decimal(edge) for edge in edges))


def where(text: str, operator: str, *values: Any, grain: str | None = None, **more: Any) -> Condition:
    return Condition(field=ref(text, grain), operator=operator, values=values, **more)


def changed(measure: Measure, **update: Any) -> Measure:
    return measure.model_copy(update=update)


SAVINGS = where("accounts.type", "=", "Savings")
LARGE = where("loans.outstanding", ">", 5000)
INCOME = Measure(aggregate="avg", field=ref("customers.income"))
CURRENT = where("accounts.type", "=", "Current")
TILL_JOINED = ref("customers.joined_on").model_copy(update={"since": ref("customers.born_on")})
TILL_OPENED = ref("accounts.opened_on").model_copy(update={"since": ref("customers.joined_on")})
TILL_POSTED = ref("transactions.posted_at").model_copy(update={"since": ref("accounts.opened_on")})

SHAPES: dict[str, Intent] = {
    "count_of_a_dataset": Intent(measures=(CUSTOMERS,)),
    "sum_by_a_joined_dimension": Intent(measures=(BALANCE,), dimensions=(by("branches.city"),)),
    "sum_by_the_other_way_to_a_branch": Intent(
        measures=(BALANCE,), dimensions=(by("branches.city", via=("account_customer", "home_branch")),)
    ),
    "filter_period_order_and_limit": Intent(
        measures=(AMOUNT,),
        dimensions=(by("transactions.channel"),),
        filters=(SAVINGS,),
        period=JUNE_TO_OCTOBER,
        order=(Order(measure=AMOUNT, descending=True),),
        limit=2,
    ),
    "count_of_one_by_a_field_of_many": Intent(measures=(CUSTOMERS,), dimensions=(by("accounts.type"),)),
    "count_and_sum_of_one_by_a_field_of_many": Intent(
        measures=(CUSTOMERS, Measure(aggregate="sum", field=ref("customers.income"))),
        dimensions=(by("accounts.type"),),
    ),
    "average_of_one_by_a_field_of_many": Intent(
        measures=(Measure(aggregate="avg", field=ref("customers.income")),), dimensions=(by("accounts.type"),)
    ),
    "filter_on_many_side": Intent(
        measures=(CUSTOMERS,), filters=(SAVINGS, where("accounts.balance", ">", Decimal(1000)))
    ),
    "without_related_rows": Intent(subject="customers", filters=(Membership(dataset="loans", negated=True),)),
    "both_of_two_kinds": Intent(
        measures=(CUSTOMERS,),
        subject="customers",
        filters=(
            Membership(dataset="accounts", filters=(SAVINGS,)),
            Membership(dataset="accounts", filters=(where("accounts.type", "=", "Fixed"),)),
        ),
    ),
    "one_kind_but_not_the_other": Intent(
        subject="customers",
        filters=(
            Membership(dataset="accounts", filters=(SAVINGS,)),
            Membership(dataset="accounts", negated=True, filters=(where("accounts.type", "=", "Fixed"),)),
        ),
    ),
    "at_least_two_related_rows": Intent(subject="customers", filters=(Membership(dataset="accounts", at_least=2),)),
    "at_most_one_related_row": Intent(measures=(CUSTOMERS,), filters=(Membership(dataset="accounts", at_most=1),)),
    "rows_behind_their_own_table": Intent(
        measures=(Measure(aggregate="count", field=ref("transactions.transaction_id")),),
        filters=(
            Membership(
                dataset="accounts",
                filters=(where("accounts.type", "=", "Fixed"),),
                via=("transaction_account", "account_customer", "account_customer"),
            ),
        ),
    ),
    "sum_for_members": Intent(subject="customers", measures=(BALANCE,), filters=(Membership(dataset="loans"),)),
    "related_through_a_middle_table": Intent(
        subject="customers", filters=(Membership(dataset="branches", at_least=2, via=("account_branch",)),)
    ),
    "either_of_two_filters": Intent(
        subject="customers",
        filters=(AnyOf(filters=(where("branches.city", "=", "Pune"), where("customers.segment", "=", "Premium"))),),
    ),
    "figures_of_two_tables": Intent(
        subject="customers", measures=(BALANCE, OUTSTANDING, CUSTOMERS), dimensions=(by("customers.segment"),)
    ),
    "figures_of_two_tables_in_total": Intent(measures=(BALANCE, OUTSTANDING)),
    "figures_dated_by_their_own_dates": Intent(
        measures=(ACCOUNTS, OUTSTANDING),
        dimensions=(by("accounts.opened_on", "month"),),
        period=JUNE_TO_OCTOBER,
    ),
    "metric_over_two_tables": Intent(measures=(Measure(metric="loan_to_deposit"),)),
    "metric_over_two_tables_by_segment": Intent(
        measures=(Measure(metric="loan_to_deposit"),), dimensions=(by("customers.segment"),)
    ),
    "metric_with_a_case": Intent(measures=(Measure(metric="savings_ratio"),), dimensions=(by("branches.city"),)),
    "measure_with_its_own_filter": Intent(
        measures=(ACCOUNTS, changed(ACCOUNTS, filters=(SAVINGS,))), dimensions=(by("branches.city"),)
    ),
    "figures_of_one_kind": Intent(
        measures=(changed(ACCOUNTS, filters=(SAVINGS,)), changed(BALANCE, filters=(SAVINGS,))),
        dimensions=(by("branches.name"),),
    ),
    "figure_of_one_kind_in_total": Intent(measures=(changed(BALANCE, filters=(SAVINGS,)),)),
    "metric_of_one_kind": Intent(measures=(Measure(metric="savings_balance"),), dimensions=(by("branches.name"),)),
    "metric_of_one_kind_in_total": Intent(
        measures=(Measure(metric="savings_balance"),), filters=(where("accounts.type", "=", "Fixed"),)
    ),
    "metric_of_one_kind_beside_all": Intent(
        measures=(Measure(metric="savings_balance"), BALANCE), dimensions=(by("branches.name"),)
    ),
    "metric_of_one_kind_by_month_with_zeros": Intent(
        measures=(Measure(metric="upi_payments"),),
        dimensions=(by("transactions.posted_at", "month"),),
        period=JUNE_TO_OCTOBER,
        fill_gaps=True,
    ),
    "percentage_of_a_kind": Intent(
        measures=(changed(ACCOUNTS, filters=(SAVINGS,), denominator=ACCOUNTS, percent=True),)
    ),
    "ratio_of_two_figures": Intent(
        measures=(changed(BALANCE, denominator=ACCOUNTS),), dimensions=(by("accounts.type"),)
    ),
    "difference_of_two_kinds": Intent(
        measures=(changed(ACCOUNTS, filters=(SAVINGS,), minus=changed(ACCOUNTS, filters=(CURRENT,))),),
        dimensions=(by("branches.city"),),
    ),
    "difference_of_two_sums_of_a_kind": Intent(
        measures=(changed(BALANCE, filters=(SAVINGS,), minus=changed(BALANCE, filters=(CURRENT,))),),
        dimensions=(by("branches.city"),),
    ),
    "difference_of_two_columns": Intent(
        measures=(changed(BALANCE, minus=Measure(aggregate="sum", field=ref("accounts.rate"))),),
        dimensions=(by("accounts.type"),),
    ),
    "difference_of_two_tables": Intent(
        measures=(changed(BALANCE, minus=OUTSTANDING),), dimensions=(by("customers.segment"),)
    ),
    "difference_of_two_tables_in_total": Intent(
        measures=(changed(BALANCE, minus=OUTSTANDING),), filters=(where("customers.segment", "=", "Retail"),)
    ),
    "difference_of_two_averages": Intent(
        measures=(
            Measure(
                aggregate="avg",
                field=ref("customers.income"),
                filters=(where("customers.segment", "=", "Premium"),),
                minus=Measure(
                    aggregate="avg",
                    field=ref("customers.income"),
                    filters=(where("customers.segment", "=", "Retail"),),
                ),
            ),
        ),
        dimensions=(by("branches.city"),),
    ),
    "list_by_a_difference": Intent(
        subject="customers", order=(Order(measure=changed(BALANCE, minus=OUTSTANDING), descending=True),), limit=3
    ),
    "weighted_average": Intent(
        measures=(Measure(aggregate="avg", field=ref("accounts.rate"), weight=ref("accounts.balance")),),
        dimensions=(by("branches.city"),),
    ),
    "median_and_count": Intent(
        measures=(Measure(aggregate="median", field=ref("accounts.balance")), ACCOUNTS),
        dimensions=(by("accounts.type"),),
    ),
    "ninetieth_percentile": Intent(
        measures=(Measure(aggregate="median", field=ref("transactions.amount"), quantile=0.9),)
    ),
    "standard_deviation": Intent(
        measures=(Measure(aggregate="stddev", field=ref("transactions.amount")),),
        dimensions=(by("transactions.channel"),),
    ),
    "distinct_count": Intent(
        measures=(Measure(aggregate="count_distinct", field=ref("accounts.customer_id")),),
        dimensions=(by("branches.city"),),
    ),
    "share_of_total": Intent(
        measures=(BALANCE, changed(BALANCE, transform="share_of_total")), dimensions=(by("accounts.type"),)
    ),
    "running_total_by_month": Intent(
        measures=(AMOUNT, changed(AMOUNT, transform="running_total")),
        dimensions=(by("transactions.posted_at", "month"),),
    ),
    "change_by_month": Intent(
        measures=(AMOUNT, changed(AMOUNT, transform="change_percent")),
        dimensions=(by("transactions.posted_at", "month"),),
    ),
    "rolling_average": Intent(
        measures=(changed(AMOUNT, transform="rolling_average", window=3),),
        dimensions=(by("transactions.posted_at", "month"),),
    ),
    "rolling_sum": Intent(
        measures=(AMOUNT, changed(AMOUNT, transform="rolling_sum", window=2)),
        dimensions=(by("transactions.posted_at", "month"),),
    ),
    "rank_of_groups": Intent(measures=(BALANCE, changed(BALANCE, transform="rank")), dimensions=(by("branches.name"),)),
    "compare_with_the_month_before": Intent(
        measures=(AMOUNT,), dimensions=(by("transactions.channel"),), period=OCTOBER, compare="previous_period"
    ),
    "compare_with_last_year_by_month": Intent(
        measures=(changed(AMOUNT, transform="change_percent"),),
        dimensions=(by("transactions.posted_at", "month"),),
        period=JUNE_TO_OCTOBER,
        compare="same_period_last_year",
    ),
    "compare_in_total": Intent(measures=(ACCOUNTS, BALANCE), period=OCTOBER, compare="previous_period"),
    "groups_above_a_figure": Intent(
        measures=(BALANCE,),
        dimensions=(by("branches.city"),),
        having=(Having(measure=ACCOUNTS, operator=">=", value=Decimal(2)),),
    ),
    "groups_above_the_average": Intent(
        measures=(Measure(aggregate="avg", field=ref("accounts.balance")),),
        dimensions=(by("branches.city"),),
        filters=(SAVINGS,),
        having=(
            Having(
                measure=Measure(aggregate="avg", field=ref("accounts.balance")),
                operator=">",
                versus=Measure(aggregate="avg", field=ref("accounts.balance")),
            ),
        ),
    ),
    "number_of_groups": Intent(
        dimensions=(by("branches.branch_id"),),
        having=(Having(measure=BALANCE, operator=">", value=Decimal(2000)),),
        over_groups="count",
    ),
    "number_of_values_with_figures_of_two_tables": Intent(
        dimensions=(by("customers.segment"),),
        having=(
            Having(measure=BALANCE, operator=">", value=Decimal(0)),
            Having(measure=OUTSTANDING, operator=">", value=Decimal(0)),
        ),
        over_groups="count",
    ),
    "number_of_months_that_fell": Intent(
        dimensions=(by("transactions.posted_at", "month"),),
        having=(Having(measure=changed(AMOUNT, transform="change"), operator="<", value=Decimal(0)),),
        over_groups="count",
    ),
    "average_over_groups": Intent(
        measures=(ACCOUNTS, BALANCE),
        dimensions=(by("customers.customer_id"),),
        having=(Having(measure=ACCOUNTS, operator=">", value=Decimal(1)),),
        over_groups="avg",
    ),
    "sum_over_the_top_groups": Intent(
        measures=(BALANCE,),
        dimensions=(by("customers.customer_id"),),
        order=(Order(measure=BALANCE, descending=True),),
        limit=2,
        over_groups="sum",
    ),
    "months_that_fell": Intent(
        measures=(AMOUNT,),
        dimensions=(by("transactions.posted_at", "month"),),
        having=(Having(measure=changed(AMOUNT, transform="change"), operator="<", value=Decimal(0)),),
    ),
    "top_two_in_each_city": Intent(
        measures=(BALANCE,),
        dimensions=(by("branches.city"), by("customers.name")),
        limit=2,
        limit_within=(ref("branches.city"),),
    ),
    "third_highest": Intent(measures=(BALANCE,), dimensions=(by("customers.name"),), limit=1, skip=2),
    "second_in_each": Intent(
        measures=(BALANCE,),
        dimensions=(by("branches.city"), by("customers.name")),
        limit=1,
        skip=1,
        limit_within=(ref("branches.city"),),
    ),
    "top_with_ties": Intent(measures=(BALANCE,), dimensions=(by("customers.name"),), limit=3, with_ties=True),
    "months_without_data_are_zero": Intent(
        measures=(AMOUNT, Measure(aggregate="avg", field=ref("transactions.amount"))),
        dimensions=(by("transactions.posted_at", "month"),),
        period=JUNE_TO_OCTOBER,
        fill_gaps=True,
    ),
    "every_branch_with_its_fixed_deposits": Intent(
        measures=(changed(ACCOUNTS, filters=(where("accounts.type", "=", "Fixed"),)),),
        dimensions=(by("branches.name"),),
        fill_gaps=True,
    ),
    "every_branch_of_a_city_with_two_figures": Intent(
        measures=(changed(ACCOUNTS, filters=(SAVINGS,)), OUTSTANDING),
        dimensions=(by("branches.name", via=("home_branch",)),),
        filters=(Condition(field=ref("branches.city", via=("home_branch",)), operator="=", values=("Mumbai",)),),
        fill_gaps=True,
    ),
    "every_branch_by_month": Intent(
        measures=(AMOUNT,),
        dimensions=(by("transactions.posted_at", "month"), by("branches.name")),
        period=JULY_TO_SEPTEMBER,
        fill_gaps=True,
    ),
    "every_branch_by_month_that_had_any": Intent(
        measures=(AMOUNT,),
        dimensions=(by("transactions.posted_at", "month"), by("branches.name")),
        filters=(where("transactions.channel", "=", "UPI"),),
        fill_gaps=True,
    ),
    "two_figures_by_the_home_branch": Intent(
        measures=(ACCOUNTS, OUTSTANDING), dimensions=(by("branches.city", via=("account_customer", "home_branch")),)
    ),
    "change_and_percent_beside_now_and_before": Intent(
        measures=(AMOUNT, changed(AMOUNT, transform="change_percent")),
        dimensions=(by("transactions.channel"),),
        period=OCTOBER,
        compare="previous_period",
    ),
    "since_a_day_with_no_end": Intent(
        measures=(ACCOUNTS,),
        dimensions=(by("accounts.type"),),
        period=Period(start=date(2025, 10, 1), label="since October 2025"),
    ),
    "fiscal_quarters_without_data_by_type": Intent(
        measures=(AMOUNT,),
        dimensions=(by("transactions.posted_at", "fiscal_quarter"), by("accounts.type")),
        period=Period(start=date(2025, 4, 1), end=date(2026, 11, 1), label="since April 2025"),
        fill_gaps=True,
    ),
    "age_bands": Intent(measures=(CUSTOMERS,), dimensions=(by("customers.born_on", "age_years", 30, 45),)),
    "balance_bands_of_two_figures": Intent(
        measures=(BALANCE, Measure(aggregate="median", field=ref("accounts.balance"))),
        dimensions=(by("accounts.balance", None, 0, 2000),),
    ),
    "older_than_the_average": Intent(
        subject="customers",
        filters=(
            Condition(
                field=ref("customers.income"),
                operator=">",
                versus=Measure(aggregate="avg", field=ref("customers.income")),
            ),
        ),
    ),
    "above_half_of_the_average": Intent(
        measures=(CUSTOMERS,),
        filters=(
            Condition(
                field=ref("customers.income"),
                operator=">",
                versus=Measure(aggregate="avg", field=ref("customers.income")),
                times=Decimal("0.5"),
            ),
        ),
    ),
    "opened_after_joining": Intent(
        measures=(ACCOUNTS,),
        filters=(Condition(field=ref("accounts.opened_on"), operator=">", other=ref("customers.joined_on")),),
    ),
    "above_a_part_of_another_field": Intent(
        measures=(ACCOUNTS,),
        filters=(
            Condition(
                field=ref("accounts.balance"), operator=">", other=ref("customers.income"), times=Decimal("0.25")
            ),
        ),
    ),
    "amounts_in_lakhs": Intent(
        measures=(BALANCE.model_copy(update={"shown_in": Decimal(100_000)}), ACCOUNTS),
        dimensions=(by("accounts.type"),),
        order=(Order(measure=BALANCE.model_copy(update={"shown_in": Decimal(100_000)}), descending=True),),
    ),
    "kept_away_from_home": Intent(
        measures=(ACCOUNTS,),
        filters=(
            Condition(
                field=ref("branches.branch_id", via=("account_branch",)),
                operator="!=",
                other=ref("branches.branch_id", via=("account_customer", "home_branch")),
            ),
        ),
    ),
    "with_an_account_away_from_home": Intent(
        subject="customers",
        filters=(
            Membership(
                dataset="accounts",
                filters=(
                    Condition(
                        field=ref("branches.city", via=("account_branch",)),
                        operator="!=",
                        other=ref("branches.city", via=("home_branch",)),
                    ),
                ),
            ),
        ),
    ),
    "many_accounts_or_the_highest_income": Intent(
        subject="customers",
        filters=(
            AnyOf(
                filters=(
                    Membership(dataset="accounts", at_least=2),
                    Condition(
                        field=ref("customers.income"),
                        operator="=",
                        versus=Measure(aggregate="max", field=ref("customers.income")),
                    ),
                )
            ),
        ),
    ),
    "oldest_customer": Intent(subject="customers", order=(Order(field=ref("customers.born_on")),), limit=1),
    "list_with_columns_of_other_tables": Intent(
        subject="accounts",
        columns=(ref("accounts.account_id"), ref("customers.name"), ref("branches.city"), ref("accounts.balance")),
        order=(Order(field=ref("accounts.balance"), descending=True),),
    ),
    "list_with_columns_of_many": Intent(subject="customers", columns=(ref("customers.name"), ref("loans.outstanding"))),
    "distinct_values": Intent(subject="branches", columns=(ref("branches.city"),), distinct=True),
    "second_oldest_customer": Intent(
        subject="customers", order=(Order(field=ref("customers.born_on")),), limit=1, skip=1
    ),
    "list_by_a_figure": Intent(subject="customers", order=(Order(measure=ACCOUNTS, descending=True),), limit=2),
    "list_by_a_field_of_many": Intent(
        subject="customers",
        filters=(where("loans.disbursed_on", ">=", date(2026, 9, 1)),),
        order=(Order(field=ref("loans.outstanding")),),
        limit=2,
    ),
    "list_by_a_median": Intent(
        subject="customers",
        order=(Order(measure=Measure(aggregate="median", field=ref("accounts.balance")), descending=True),),
    ),
    "list_where_a_figure_holds": Intent(
        subject="customers", having=(Having(measure=BALANCE, operator=">", value=Decimal(2000)),)
    ),
    "list_top_in_each_group": Intent(
        subject="accounts",
        order=(Order(field=ref("accounts.balance"), descending=True),),
        limit=1,
        limit_within=(ref("accounts.type"),),
    ),
    "list_with_ties": Intent(
        subject="customers", order=(Order(field=ref("customers.income"), descending=True),), limit=2, with_ties=True
    ),
    "text_tests": Intent(
        subject="customers",
        filters=(
            where("customers.name", "contains", "%_off!"),
            where("customers.name", "not starts with", "a"),
        ),
    ),
    "days_of_moments": Intent(
        subject="transactions",
        columns=(ref("transactions.transaction_id"),),
        filters=(
            AnyOf(
                filters=(
                    where("transactions.posted_at", "=", date(2026, 10, 31)),
                    where("transactions.posted_at", "<=", date(2026, 6, 15)),
                )
            ),
        ),
    ),
    "parts_of_moments": Intent(
        measures=(Measure(aggregate="count", dataset="transactions"),),
        dimensions=(
            by("transactions.posted_at", "weekday"),
            by("transactions.posted_at", "hour_of_day"),
            by("transactions.posted_at", "week"),
            by("transactions.posted_at", "quarter"),
            by("transactions.posted_at", "fiscal_year"),
        ),
        filters=(where("transactions.posted_at", "in", 2025, 2026, grain="year"),),
    ),
    "missing_and_excluded": Intent(
        measures=(CUSTOMERS,),
        filters=(where("customers.income", "is not null"), where("customers.segment", "not in", "Retail", "Corporate")),
    ),
    "without_a_home_branch": Intent(subject="customers", filters=(where("branches.city", "is null"),)),
    "days_kept_as_numbers_by_month": Intent(
        measures=(Measure(aggregate="max", field=ref("balances.closing")),),
        dimensions=(by("balances.day", "month"),),
    ),
    "days_kept_as_numbers_in_a_period": Intent(
        subject="balances",
        columns=(ref("balances.day"), ref("balances.closing")),
        filters=(where("balances.day", "!=", date(2026, 8, 31)),),
        period=JUNE_TO_OCTOBER,
        order=(Order(field=ref("balances.day")), Order(field=ref("balances.closing"))),
    ),
    "balances_of_the_latest_date": Intent(measures=(CLOSING,), dimensions=(by("accounts.type"),)),
    "balances_of_the_latest_date_of_a_period": Intent(measures=(CLOSING, INTEREST), period=JULY_TO_SEPTEMBER),
    "balances_of_the_last_date_of_each_quarter": Intent(
        measures=(CLOSING,), dimensions=(by("balances.day", "quarter"),), period=JUNE_TO_OCTOBER
    ),
    "balances_of_each_date": Intent(measures=(CLOSING,), dimensions=(by("balances.day"),), period=JUNE_TO_OCTOBER),
    "average_balance_over_the_dates_of_a_period": Intent(
        measures=(changed(CLOSING, aggregate="avg"),), period=JUNE_TO_OCTOBER
    ),
    "customers_by_balances_of_the_latest_date": Intent(
        subject="customers", columns=(ref("customers.name"),), order=(Order(measure=CLOSING, descending=True),), limit=2
    ),
    "list_of_the_latest_balances": Intent(
        subject="balances", columns=(ref("balances.account_id"), ref("balances.closing"))
    ),
    "days_between_dates_of_a_row": Intent(
        measures=(Measure(aggregate="avg", field=TILL_JOINED), Measure(aggregate="max", field=TILL_JOINED)),
        dimensions=(by("customers.segment"),),
    ),
    "days_since_a_date_of_a_parent": Intent(
        subject="accounts",
        columns=(ref("accounts.account_id"), TILL_OPENED),
        filters=(Condition(field=TILL_OPENED, operator="<=", values=(90,)),),
        order=(Order(field=TILL_OPENED, descending=True),),
    ),
    "days_since_a_moment": Intent(measures=(Measure(aggregate="min", field=TILL_POSTED),)),
    "proportion_with_related_rows": Intent(
        measures=(changed(CUSTOMERS, filters=(Membership(dataset="loans"),), denominator=CUSTOMERS, percent=True),)
    ),
    "figures_of_those_with_few_and_many_related_rows": Intent(
        measures=(
            changed(CUSTOMERS, filters=(Membership(dataset="loans", negated=True),)),
            changed(CUSTOMERS, filters=(Membership(dataset="accounts", at_least=2),)),
            changed(CUSTOMERS, filters=(Membership(dataset="loans", at_most=1, filters=(LARGE,)),)),
            CUSTOMERS,
        ),
        dimensions=(by("branches.city"),),
    ),
    "figure_of_those_above_the_average": Intent(
        measures=(changed(CUSTOMERS, filters=(where("customers.income", "<", versus=INCOME),)), CUSTOMERS),
        dimensions=(by("customers.segment"),),
        having=(Having(measure=changed(CUSTOMERS, filters=(Membership(dataset="loans"),)), operator=">=", value=1),),
    ),
}
