"""How much longer than its operands the result of every allowed function may be: a closed table."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sqlglot import exp

Growth: TypeAlias = Literal[
    "keeps", "joins", "joins with", "lists", "splits", "gathers", "joins a list", "repeats", "pads", "counts", "hex",
    "formats", "spells", "dates", "replaces", "replaces matches", "matches", "characters", "sizes", "rounds", "numbers",
    "worst",
]  # fmt: skip
"""
keeps: at most the widest operand, or a number, a date or a word.
joins, joins with: all operands, with the first between them.
lists, gathers: a list of the operands, or of the rows of a group; splits: a list of the parts of a text.
formats, spells, dates: a template for several values, for a number, for a date.
worst: not known, and so taken at worst.
"""

_GROWTH: dict[Growth, str] = {
    "joins": "concat overlay stuff insert json_extract json_extract_scalar",
    "joins with": "concat_ws concatwithseparator",
    "lists": "array list_value",
    "splits": "split string_split str_split string_to_array regexp_split splitbychar",
    "gathers": "group_concat array_agg array_unique_agg list grouparray groupuniqarray topk",
    "joins a list": "array_to_string arraystringconcat",
    "repeats": "repeat",
    "pads": "pad",
    "counts": "space",
    "hex": "hex",
    "formats": "format printf",
    "spells": "to_char number_to_str format_number format_datetime",
    "dates": "time_to_str date_format time_format strftime unix_to_str",
    "replaces": "replace",
    "replaces matches": "regexp_replace",
    "matches": "regexp_match regexp_extract_all",
    "characters": "chr char",
    "sizes": "cast try_cast",
    "rounds": "round trunc",
    "numbers": "exp pow power multiply product",
    "keeps": """
        count sum avg min max stddev stddev_pop stddev_samp variance variance_pop row_number rank dense_rank
        percent_rank cume_dist ntile lag lead first_value last_value nth_value coalesce nullif case if and or greatest
        least exists any_value abs ceil floor sqrt ln log log2 log10 sign mod degrees radians pi sin cos
        tan asin acos atan atan2 lower upper length trim substring left right str_position unicode ascii collate ltrim
        rtrim current_date current_timestamp current_time localtime localtimestamp extract year month day hour minute
        second quarter week date time timestamp datetime

        median mode quantile quantile_cont quantile_disc percentile_cont percentile_disc percentile approx_quantile
        approx_distinct corr covar_pop covar_samp regr_slope regr_intercept regr_r2 regr_count regr_avgx regr_avgy
        skewness kurtosis mad entropy count_if logical_or logical_and every fsum kahan_sum favg arg_max arg_min first
        last geomean geometric_mean bit_and bit_or bit_xor bitwise_and_agg bitwise_or_agg bitwise_xor_agg grouping
        grouping_id sem total std

        split_part starts_with ends_with contains reverse initcap regexp_like regexp_i_like regexp_extract
        regexp_full_match regexp_substr regexp_instr regexp_count strip_accents levenshtein jaro_winkler_similarity
        translate prefix suffix array_size md5 sha sha1 sha2 sha256 bit_length octet_length byte_length btrim
        char_length character_length array_length cardinality strpos substring_index field find_in_set elt ucase lcase
        mid strcmp soundex locate typeof

        cbrt gcd lcm even isnan isinf is_nan is_inf isfinite xor add divide fdiv fmod subtract width_bucket round_even
        bit_count bitwise_count acosh asinh atanh cosh sinh tanh rand div to_number scale num_nonnulls num_nulls cot
        crc32 iif ifnull isnull

        date_part datepart day_of_week day_of_week_iso day_of_month day_of_year week_of_year day_name month_name dayname
        monthname isodow isoyear yearweek decade century millennium era epoch epoch_ms time_to_unix unix_seconds
        last_day weekday dayofmonth dayofyear julian year_of_week_iso year_of_week justify_days justify_hours
        justify_interval microsecond to_days to_seconds time_to_sec

        make_date date_from_parts timestamp_from_parts time_from_parts make_timestamp make_time make_interval now today
        get_current_timestamp current_localtime current_datetime to_timestamp to_date unix_to_time str_to_time strptime
        try_strptime str_to_date str_to_unix ts_or_ds_to_date ts_or_ds_to_timestamp date_str_to_date to_years to_months
        to_weeks to_hours to_minutes to_quarters julianday unixepoch clock_timestamp statement_timestamp
        transaction_timestamp makedate maketime from_days from_unixtime unix_timestamp sec_to_time curdate curtime
        sysdate utc_date utc_time utc_timestamp

        date_diff datediff date_sub datesub date_add date_trunc timestamp_trunc age date_bin time_bucket timestamp_diff
        months_between add_months ts_or_ds_add ts_or_ds_diff timestamp_add timestamp_sub datetime_trunc timediff
        time_diff adddate subdate timestampdiff timestampadd period_add period_diff addtime subtime get_format

        array_sort sort_array list_sort array_reverse_sort list_reverse_sort array_contains list_contains list_has
        array_distinct list_distinct array_unique list_unique array_sum list_sum list_avg list_min list_max list_count
        array_max array_min array_first array_last array_reverse list_reverse array_position list_position

        try convert makedate32 todate32ornull safe_func week_start
        adddays addhours addminutes addquarters addseconds addweeks addyears anylast approx_quantiles arrayavg
        arraycount assumenotnull avgif bitnot booland boolor bround choose city_hash64 codepoint
        countsubstrings csc datalength date_from_unix_date datename datetime2fromparts datetime_add
        datetime_diff datetime_sub decode decode_case difference e empty equal_null equals exp10 exp2 expm1
        factorial from_iso8601_date from_iso8601_timestamp fromunixtimestamp getutcdate greater
        greaterorequals hamming_distance hastoken hypot ieee_divide indexof intdiv intdivorzero
        inverse_normal_cdf is_infinite isdate isnotnull isnumeric kurtpop kurtsamp lengthb lengthutf8 less
        lessorequals lnnvl log1p lowerutf8 luhn_check makedatetime maxif md5_digest mean millisecond minif
        minus modulo multiif nanvl nchar negate negative next_day normal_cdf notempty notequals nullifzero
        numtodsinterval numtoyminterval nvl2 parse_datetime parse_time parsedatetimebesteffort
        parsedatetimebesteffortornull patindex plus pmod positioncaseinsensitive positivemodulo previous_day
        quantileexact quantiles quantiletdigest randn range_bucket ratio_to_report regexp_position remainder
        reverseutf8 rint roundbankers s_h_a1_digest s_h_a2_digest safe_add safe_divide safe_multiply
        safe_negate safe_subtract sec skewpop skewsamp some stats_mode stdevp strtok substringutf8
        subtractdays subtractmonths subtractquarters subtractweeks subtractyears sumif sysutcdatetime time_add
        time_slice time_str_to_time time_sub time_trunc timestamp_millis timestamp_seconds to_double
        to_dsinterval to_iso8601
        to_timestamp_ntz to_yminterval todate32 todateornull todatetime todatetime64 todatetimeornull
        todayofmonth todayofweek todayofyear todecimal128 todecimal32 todecimal64 tofloat32 tofloat64
        tofloat64ornull tohour toint16 toint32 toint32ornull toint64 toint64ornull toint8 toisoweek toisoyear
        tolastdayofmonth tominute tomonth tonullable toquarter tosecond tostartofweek tostring touint16
        touint32 touint64 touint8 tounixtimestamp toweek toyear toyearweek toyyyymm toyyyymmdd truncate
        try_avg try_sum try_to_number try_to_timestamp ts_or_ds_to_time uniqcombined uniqexact uniqexactif
        uniqhll12 uniqif unix_date unix_millis upperutf8 var varp varpop varsamp vsize yesterday yow
        zeroifnull

        generate_series exploding_generate_series unnest explode""",
}
CALLED_BY_NAME = (exp.Anonymous, exp.AnonymousAggFunc, exp.ParameterizedAgg)
"""Calls of functions that sqlglot knows, or knows in this form, by their names only."""
_OF_NAME: dict[str, Growth] = {
    name.replace("_", ""): growth for growth, names in _GROWTH.items() for name in names.split()
}


def growth_of(name: str) -> Growth:
    """The growth of a function by its name, with or without underscores."""
    return _OF_NAME.get(name.lower().replace("_", ""), "worst")


def growth_at(node: exp.Expr) -> Growth:
    """The growth of an expression of any kind; an operator is as wide as its widest operand, save those that join."""
    if isinstance(node, CALLED_BY_NAME):
        return growth_of(node.name)
    return growth_of_kind(type(node))


def growth_of_kind(kind: type[exp.Expr]) -> Growth:
    """The growth of all expressions of a kind; "worst" for functions that are known by name only."""
    found = _OF_KIND.get(kind)
    if found is None:
        found = _OF_KIND[kind] = _growth_of_kind(kind)
    return found


_OF_KIND: dict[type[exp.Expr], Growth] = {}


def _growth_of_kind(kind: type[exp.Expr]) -> Growth:
    if issubclass(kind, (exp.DPipe, exp.Add)):
        return "joins"
    if kind is exp.Anonymous or issubclass(kind, CALLED_BY_NAME):
        return "worst"
    return growth_of(kind.sql_names()[0]) if issubclass(kind, exp.Func) else "keeps"
