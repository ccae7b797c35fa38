"""The functions of each warehouse, by what they are for: see `allowed_functions.py` for the names.

None reads a file, an address, a table, a setting or who is asking, calls code or a model, or waits. Of these dialects
only Spark has been asked itself whether it knows them.
"""

from __future__ import annotations

_OF_SPARK = {
    "describe": "approx_distinct quantile approx_quantile percentile_cont percentile_disc median mode corr "
    "covar_pop covar_samp regr_slope regr_intercept regr_r2 regr_count regr_avgx regr_avgy skewness kurtosis "
    "count_if logical_and logical_or every some array_agg array_unique_agg arg_max arg_min first last "
    "bitwise_and_agg bitwise_or_agg bitwise_xor_agg grouping grouping_id try_sum try_avg mean std",
    "choose": "nvl2 zeroifnull nullifzero equal_null nanvl isnull isnotnull",
    "shape text": "split_part starts_with ends_with contains reverse initcap regexp_like regexp_replace "
    "regexp_extract regexp_count regexp_instr regexp_substr levenshtein format_number format printf translate "
    "regexp_split md5 sha sha2 crc32 bit_length octet_length soundex space btrim overlay find_in_set "
    "substring_index hex",
    "compute": "cbrt pmod safe_add safe_divide safe_subtract safe_multiply is_nan width_bucket bitwise_count "
    "factorial hypot log1p expm1 rint bround negative sinh cosh tanh cot e rand randn to_number try_to_number",
    "take dates apart": "day_of_month day_of_week day_of_year weekday week_of_year date_part datepart last_day "
    "monthname dayname str_to_unix unix_date unix_seconds unix_millis",
    "make dates": "ts_or_ds_to_date str_to_time try_to_timestamp make_date timestamp_from_parts now unix_to_str "
    "timestamp_seconds timestamp_millis date_from_unix_date",
    "move and compare dates": "ts_or_ds_add timestamp_add datediff add_months months_between next_day date_trunc "
    "timestamp_trunc time_to_str time_str_to_time to_char",
    "look into lists": "array array_contains array_size cardinality array_sort array_distinct array_to_string "
    "array_max array_min array_position",
    "inspect": "typeof",
}

OF_WAREHOUSES: dict[str, dict[str, str]] = {
    "spark": _OF_SPARK,
    "databricks": _OF_SPARK,
    "trino": {
        "describe": "approx_distinct approx_quantile corr covar_pop covar_samp regr_slope regr_intercept regr_r2 "
        "regr_count skewness kurtosis count_if logical_and logical_or every array_agg arg_max arg_min "
        "bitwise_and_agg bitwise_or_agg geometric_mean grouping",
        "shape text": "split_part starts_with ends_with reverse regexp_like regexp_replace regexp_extract "
        "regexp_extract_all regexp_count regexp_position levenshtein format format_number translate split soundex "
        "codepoint hamming_distance luhn_check",
        "compute": "cbrt is_nan is_finite is_infinite width_bucket bit_count rand e cosh sinh tanh normal_cdf "
        "inverse_normal_cdf",
        "take dates apart": "day_of_month dayofweek_iso day_of_year week_of_year year_of_week yow last_day "
        "millisecond time_to_unix",
        "make dates": "try str_to_time from_iso8601_date from_iso8601_timestamp unix_to_time",
        "move and compare dates": "date_add datediff timestamp_trunc time_to_str format_datetime to_iso8601",
        "look into lists": "array array_contains array_size array_sort array_distinct array_to_string array_max "
        "array_min array_position",
        "inspect": "typeof",
    },
    "tsql": {
        "describe": "stdevp var varp approx_distinct percentile_cont percentile_disc grouping grouping_id",
        "choose": "choose",
        "shape text": "patindex space number_to_str time_to_str reverse translate datalength soundex difference nchar",
        "compute": "isnumeric cot rand",
        "take dates apart": "time_to_str last_day isdate",
        "make dates": "convert "
        "ts_or_ds_to_date time_str_to_time date_from_parts timestamp_from_parts datetime2fromparts "
        "time_from_parts getutcdate "
        "sysutcdatetime",
        "move and compare dates": "date_add datediff timestamp_trunc",
    },
    "oracle": {
        "describe": "median stats_mode corr covar_pop covar_samp regr_slope regr_intercept regr_r2 regr_count "
        "approx_distinct percentile_cont percentile_disc grouping grouping_id ratio_to_report",
        "choose": "nvl2 decode decode_case lnnvl nanvl",
        "shape text": "initcap translate regexp_like regexp_replace regexp_substr regexp_instr regexp_count reverse "
        "soundex to_char to_number lengthb vsize",
        "compute": "remainder cosh sinh tanh bitand width_bucket",
        "take dates apart": "last_day to_char",
        "make dates": "date_str_to_date str_to_date to_timestamp str_to_time numtodsinterval numtoyminterval "
        "to_dsinterval to_yminterval",
        "move and compare dates": "add_months months_between next_day date_trunc",
    },
    "snowflake": {
        "describe": "median mode corr covar_pop covar_samp regr_slope regr_intercept regr_r2 regr_count skewness "
        "kurtosis count_if logical_and logical_or array_agg array_unique_agg arg_max arg_min approx_distinct "
        "approx_quantile percentile_cont percentile_disc bitwise_and_agg bitwise_or_agg bitwise_xor_agg grouping "
        "grouping_id ratio_to_report",
        "choose": "nvl2 equal_null decode decode_case booland boolor",
        "shape text": "split_part starts_with ends_with contains reverse initcap regexp_like regexp_replace "
        "regexp_extract regexp_count regexp_instr levenshtein jarowinkler_similarity translate split md5 sha sha2 "
        "space bit_length byte_length soundex strtok to_char",
        "compute": "cbrt factorial width_bucket sinh cosh tanh cot date_trunc truncate to_number to_double",
        "take dates apart": "day_of_week dayofweek_iso day_of_month day_of_year week_of_year year_of_week "
        "year_of_week_iso dayname monthname last_day previous_day",
        "make dates": "ts_or_ds_to_date to_timestamp str_to_time unix_to_time to_timestamp_ntz ts_or_ds_to_time "
        "try_to_timestamp date_from_parts timestamp_from_parts time_from_parts",
        "move and compare dates": "date_add datediff add_months months_between next_day timestamp_trunc time_slice",
        "look into lists": "array_size array_contains array_to_string array_sort array_distinct array_max array_min "
        "array_position",
    },
    "bigquery": {
        "describe": "corr covar_pop covar_samp count_if logical_and logical_or array_agg approx_distinct "
        "approx_quantiles percentile_cont percentile_disc bitwise_and_agg bitwise_or_agg bitwise_xor_agg grouping "
        "arg_max arg_min",
        "shape text": "split starts_with ends_with contains reverse initcap regexp_like regexp_replace "
        "regexp_extract regexp_extract_all regexp_instr levenshtein format translate md5_digest s_h_a1_digest "
        "s_h_a2_digest byte_length soundex",
        "compute": "cbrt ieee_divide safe_divide safe_add safe_subtract safe_multiply safe_negate is_nan is_inf "
        "range_bucket bitwise_count cosh sinh tanh cot csc sec rand",
        "take dates apart": "last_day unix_date unix_seconds unix_millis",
        "make dates": "safe_func week_start "
        "ts_or_ds_to_date str_to_date parse_datetime str_to_time parse_time current_datetime "
        "unix_to_time date_from_unix_date",
        "move and compare dates": "date_add date_sub datediff date_trunc datetime_add datetime_sub datetime_diff "
        "datetime_trunc timestamp_add timestamp_sub timestampdiff timestamp_trunc time_add time_sub time_diff "
        "time_trunc time_to_str",
        "look into lists": "array array_size array_to_string array_reverse",
    },
    "clickhouse": {
        "describe": "count_if countif sumif avgif minif maxif approx_distinct uniqexact uniqcombined uniqhll12 "
        "anylast arg_max arg_min quantile quantiles quantileexact quantiletdigest grouparray groupuniqarray "
        "bitwise_and_agg bitwise_or_agg bitwise_xor_agg stddevpop stddevsamp varpop varsamp covarpop covarsamp corr "
        "covar_pop covar_samp "
        "skewpop skewsamp kurtpop kurtsamp topk grouping uniqif uniqexactif",
        "choose": "multiif isnull isnotnull assumenotnull tonullable",
        "shape text": "empty notempty lengthutf8 lowerutf8 upperutf8 reverse reverseutf8 positioncaseinsensitive "
        "starts_with ends_with regexp_like "
        "splitbychar split concatwithseparator format hex substringutf8 initcap translate md5_digest sha sha2 "
        "city_hash64 levenshtein countsubstrings hastoken tostring soundex",
        "compute": "cbrt exp2 exp10 intdiv intdivorzero modulo positivemodulo negate gcd lcm is_nan is_inf isfinite "
        "roundbankers bitand bitor bitxor bitnot bitcount divide multiply plus minus toint8 toint16 toint32 toint64 "
        "touint8 touint16 touint32 touint64 tofloat32 tofloat64 todecimal32 todecimal64 todecimal128 toint64ornull "
        "tofloat64ornull toint32ornull equals notequals less greater lessorequals greaterorequals",
        "take dates apart": "toyear toquarter tomonth todayofmonth dayofweek_iso todayofweek todayofyear tohour "
        "tominute tosecond week_of_year toisoweek year_of_week_iso toisoyear toweek toyearweek toyyyymm toyyyymmdd "
        "tounixtimestamp datename monthname",
        "make dates": "makedate32 todate32ornull "
        "todate todate32 todatetime todatetime64 todateornull todatetimeornull parse_datetime "
        "parsedatetimebesteffort parsedatetimebesteffortornull makedate makedatetime now today yesterday "
        "fromunixtimestamp",
        "move and compare dates": "timestamp_trunc tostartofweek tolastdayofmonth datediff age date_add date_sub "
        "adddays addweeks addmonths addquarters addyears addhours addminutes addseconds subtractdays subtractweeks "
        "subtractmonths subtractquarters subtractyears date_trunc time_to_str",
        "look into lists": "array array_contains arraysort array_distinct array_sum arrayavg array_min array_max "
        "arraycount indexof arraystringconcat",
    },
}
