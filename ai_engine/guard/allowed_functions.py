"""The functions of each dialect, by what they are for.

A function that sqlglot knows stands here under sqlglot's name for it (`str_position` is INSTR, LOCATE and STRPOS), one
that it does not know under the name as typed.
"""

from __future__ import annotations

from ai_engine.guard.allowed_in_warehouses import OF_WAREHOUSES

_EVERYWHERE = {
    "count, sum, describe": "count sum avg min max stddev stddev_pop stddev_samp variance variance_pop group_concat",
    "rank, look around": "row_number rank dense_rank percent_rank cume_dist ntile lag lead "
    "first_value last_value nth_value",
    "choose": "coalesce nullif case if greatest least cast try_cast and or exists any_value",
    "compute": "abs ceil floor round sqrt power pow exp ln log log2 log10 sign trunc mod degrees radians pi "
    "sin cos tan asin acos atan atan2",
    "shape text": "lower upper length trim concat concat_ws substring replace left right pad repeat str_position "
    "chr unicode ascii collate ltrim rtrim",
    "tell the time": "current_date current_timestamp current_time localtime localtimestamp",
    "take dates apart": "extract year month day hour minute second quarter week",
    "make dates": "date time timestamp datetime",
}
_BY_DIALECT = {
    "duckdb": {
        "describe": "median mode quantile quantile_cont quantile_disc percentile_cont percentile_disc approx_quantile "
        "approx_distinct corr covar_pop covar_samp regr_slope regr_intercept regr_r2 regr_count skewness kurtosis mad "
        "entropy count_if logical_or logical_and product fsum kahan_sum favg arg_max arg_min "
        "array_agg list first last geomean geometric_mean "
        "bit_and bit_or bit_xor bitwise_and_agg bitwise_or_agg bitwise_xor_agg grouping grouping_id sem",
        "shape text": "split_part starts_with ends_with contains reverse initcap regexp_like regexp_replace "
        "regexp_extract regexp_full_match strip_accents levenshtein jaro_winkler_similarity format printf translate "
        "string_split split str_split prefix suffix array_size array_to_string md5 sha1 sha sha2 sha256 bit_length "
        "octet_length byte_length jarowinkler_similarity",
        "compute": "cbrt gcd lcm even isnan isinf is_nan is_inf isfinite xor divide fdiv fmod multiply add subtract "
        "width_bucket round_even bit_count bitwise_count",
        "take dates apart": "date_part datepart day_of_week dayofweek_iso day_of_month day_of_year week_of_year "
        "day_name month_name dayname monthname isodow isoyear yearweek decade century millennium era epoch epoch_ms "
        "time_to_unix unix_seconds last_day weekday dayofmonth dayofyear julian year_of_week_iso year_of_week",
        "make dates": "make_date date_from_parts timestamp_from_parts time_from_parts make_timestamp make_time now "
        "today get_current_timestamp current_localtime current_datetime to_timestamp unix_to_time str_to_time "
        "strptime try_strptime str_to_date str_to_unix ts_or_ds_to_date ts_or_ds_to_timestamp to_days to_years "
        "to_months to_weeks to_hours to_minutes to_seconds to_quarters",
        "move and compare dates": "date_diff datediff date_sub datesub date_add date_trunc timestamp_trunc age "
        "date_bin time_bucket time_to_str timestampdiff months_between add_months ts_or_ds_add ts_or_ds_diff "
        "timestamp_add timestamp_sub datetime_trunc",
        "make lists of constants": "array list_value",
        "look into lists": "array_sort sort_array list_sort array_reverse_sort list_reverse_sort array_contains "
        "list_contains list_has array_distinct list_distinct array_unique list_unique array_sum list_sum list_avg "
        "list_min list_max list_count array_max array_min array_first array_last array_reverse list_reverse "
        "array_position list_position",
    },
    "sqlite": {
        "describe": "total median percentile percentile_cont",
        "shape text": "format printf char typeof trunc concat reverse octet_length byte_length hex "
        "json_extract json_extract_scalar",
        "compute": "log acosh asinh atanh cosh sinh tanh rand",
        "choose": "iif ifnull",
        "make dates": "julianday strftime time_to_str unixepoch timediff ts_or_ds_to_timestamp ts_or_ds_to_date",
        "move and compare dates": "datediff date_trunc",
    },
    "postgres": {
        "describe": "percentile_cont percentile_disc mode corr covar_pop covar_samp regr_slope regr_intercept regr_r2 "
        "regr_count logical_or logical_and every array_agg grouping regr_avgx regr_avgy bit_and bit_or bit_xor "
        "bitwise_and_agg bitwise_or_agg bitwise_xor_agg",
        "shape text": "split_part starts_with reverse initcap regexp_like regexp_i_like regexp_replace regexp_match "
        "regexp_substr regexp_count translate format btrim overlay to_char char_length string_to_array array_to_string "
        "array_length cardinality array_size strpos octet_length bit_length md5",
        "compute": "width_bucket cbrt div gcd lcm to_number scale num_nonnulls num_nulls",
        "take dates apart": "date_part isfinite justify_days justify_hours justify_interval timestamp_trunc date_trunc",
        "make dates": "make_date make_timestamp make_time make_interval now to_date to_timestamp str_to_date "
        "str_to_time unix_to_time clock_timestamp statement_timestamp transaction_timestamp "
        "timestamp_from_parts time_from_parts ",
        "move and compare dates": "age date_bin time_to_str",
        "make lists of constants": "array",
    },
    "mysql": {
        "describe": "std logical_or logical_and bit_and bit_or bit_xor bitwise_and_agg bitwise_or_agg bitwise_xor_agg "
        "median percentile_cont percentile_disc",
        "shape text": "reverse substring_index format field find_in_set elt regexp_like regexp_replace "
        "regexp_substr regexp_instr char_length character_length ucase lcase mid space insert number_to_str strcmp "
        "bit_length octet_length soundex locate stuff "
        "md5 sha sha1 sha2",
        "compute": "cot crc32 div xor bit_count bitwise_count",
        "choose": "ifnull isnull",
        "take dates apart": "day_of_month day_of_week day_of_year week_of_year weekday "
        "yearweek monthname dayname last_day microsecond to_days to_seconds time_to_sec",
        "make dates": "makedate maketime str_to_date str_to_time from_days from_unixtime unix_to_time "
        "unix_timestamp sec_to_time now curdate curtime sysdate utc_date utc_time "
        "utc_timestamp time_from_parts "
        "ts_or_ds_to_date ts_or_ds_to_timestamp date_str_to_date",
        "move and compare dates": "date_diff datediff date_add date_sub adddate subdate timestamp_diff timestampdiff "
        "timestamp_add timestampadd timestamp_sub period_add period_diff time_to_str date_format timediff "
        "addtime subtime get_format time_format add_months ts_or_ds_add ts_or_ds_diff date_trunc "
        "timestamp_trunc",
    },
}
_NOT_IN = {
    "postgres": frozenset({"datetime", "hour", "minute", "second", "quarter", "week"}),
    "oracle": frozenset({"datetime", "year", "month", "day", "hour", "minute", "second", "quarter", "week"}),
    **dict.fromkeys(("spark", "databricks"), frozenset({"datetime", "week"})),
    **dict.fromkeys(("trino", "snowflake"), frozenset({"datetime"})),
}
"""Which only a function of the bank's own could be there."""

ALLOWED_FUNCTIONS: dict[str, frozenset[str]] = {
    dialect: frozenset(name for names in (*_EVERYWHERE.values(), *own.values()) for name in names.split())
    - _NOT_IN.get(dialect, frozenset())
    for dialect, own in (_BY_DIALECT | OF_WAREHOUSES).items()
}

WORDS_OF_POSTGRES = frozenset(
    "and array case cast coalesce current_date current_time current_timestamp exists extract greatest grouping if "
    "least localtime localtimestamp nullif or trim".split()
)
"""Among them, what PostgreSQL's grammar has, so that no function of anybody is called by it."""

GUARDED_DIALECTS = frozenset(ALLOWED_FUNCTIONS)
"""Those in which a statement can be judged; in another one, every statement is refused."""
