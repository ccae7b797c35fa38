SELECT
  EXTRACT(ISODOW FROM posted_at) AS weekday,
  EXTRACT(HOUR FROM posted_at) AS hour_of_day,
  CAST(DATE_TRUNC('WEEK', posted_at) AS DATE) AS week,
  CAST(DATE_TRUNC('QUARTER', posted_at) AS DATE) AS quarter,
  'FY' || EXTRACT(YEAR FROM posted_at + INTERVAL '9' MONTH) AS fiscal_year,
  COUNT(*) AS transactions
FROM transactions
WHERE
  EXTRACT(YEAR FROM posted_at) IN (2025, 2026)
GROUP BY
  weekday,
  hour_of_day,
  week,
  quarter,
  fiscal_year
ORDER BY
  weekday,
  hour_of_day,
  week,
  quarter,
  fiscal_year

-- rows:
-- 1 | 12 | 2026-06-15 | 2026-04-01 | FY2027 | 1
-- 1 | 23 | 2026-08-31 | 2026-07-01 | FY2027 | 1
-- 2 | 0 | 2026-08-31 | 2026-07-01 | FY2027 | 1
-- 3 | 8 | 2025-12-29 | 2025-10-01 | FY2026 | 1
-- 3 | 18 | 2025-10-13 | 2025-10-01 | FY2026 | 1
-- 4 | 9 | 2026-09-28 | 2026-10-01 | FY2027 | 1
-- 6 | 23 | 2026-10-26 | 2026-10-01 | FY2027 | 1
-- 7 | 0 | 2026-10-26 | 2026-10-01 | FY2027 | 1
-- 7 | 7 | 2026-10-12 | 2026-10-01 | FY2027 | 1
-- 7 | 18 | 2026-10-12 | 2026-10-01 | FY2027 | 1
