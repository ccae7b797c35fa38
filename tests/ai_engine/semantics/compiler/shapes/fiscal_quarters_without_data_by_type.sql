WITH calendar AS (
  SELECT
    fiscal_quarter
  FROM (VALUES
    ('FY2026-Q1'),
    ('FY2026-Q2'),
    ('FY2026-Q3'),
    ('FY2026-Q4'),
    ('FY2027-Q1'),
    ('FY2027-Q2'),
    ('FY2027-Q3')) AS steps(fiscal_quarter)
), transactions_by_fiscal_quarter_account_type AS (
  SELECT
    'FY' || EXTRACT(YEAR FROM transactions.posted_at + INTERVAL '9' MONTH) || '-Q' || EXTRACT(QUARTER FROM transactions.posted_at + INTERVAL '9' MONTH) AS fiscal_quarter,
    accounts.type AS account_type,
    SUM(transactions.amount) AS total_amount
  FROM transactions
  JOIN accounts
    ON accounts.account_id = transactions.account_id
  WHERE
    transactions.posted_at >= '2025-04-01' AND transactions.posted_at < '2026-11-01'
  GROUP BY
    fiscal_quarter,
    accounts.type
), series AS (
  SELECT DISTINCT
    account_type
  FROM transactions_by_fiscal_quarter_account_type
)
SELECT
  calendar.fiscal_quarter,
  series.account_type,
  COALESCE(transactions_by_fiscal_quarter_account_type.total_amount, 0) AS total_amount
FROM calendar
CROSS JOIN series
LEFT JOIN transactions_by_fiscal_quarter_account_type
  ON transactions_by_fiscal_quarter_account_type.fiscal_quarter IS NOT DISTINCT FROM calendar.fiscal_quarter
  AND transactions_by_fiscal_quarter_account_type.account_type IS NOT DISTINCT FROM series.account_type
ORDER BY
  calendar.fiscal_quarter,
  series.account_type

-- rows:
-- FY2026-Q1 | Current | 0
-- FY2026-Q1 | Fixed | 0
-- FY2026-Q1 | Savings | 0
-- FY2026-Q2 | Current | 0
-- FY2026-Q2 | Fixed | 0
-- FY2026-Q2 | Savings | 0
-- FY2026-Q3 | Current | 0
-- FY2026-Q3 | Fixed | 5000
-- FY2026-Q3 | Savings | 640
-- FY2026-Q4 | Current | 0
-- FY2026-Q4 | Fixed | 0
-- FY2026-Q4 | Savings | 0
-- FY2027-Q1 | Current | 0
-- FY2027-Q1 | Fixed | 0
-- FY2027-Q1 | Savings | 0
-- FY2027-Q2 | Current | 0
-- FY2027-Q2 | Fixed | 0
-- FY2027-Q2 | Savings | 350.5
-- FY2027-Q3 | Current | 1200
-- FY2027-Q3 | Fixed | 5000
-- FY2027-Q3 | Savings | 85.25
