WITH loans_by_segment AS (
  SELECT
    customers.segment,
    SUM(loans.outstanding) AS total_outstanding
  FROM loans
  JOIN customers
    ON customers.customer_id = loans.customer_id
  GROUP BY
    customers.segment
), accounts_by_segment AS (
  SELECT
    customers.segment,
    SUM(accounts.balance) AS total_balance
  FROM accounts
  JOIN customers
    ON customers.customer_id = accounts.customer_id
  GROUP BY
    customers.segment
)
SELECT
  segment,
  1.0 * COALESCE(MAX(loans_by_segment.total_outstanding), 0) / NULLIF(COALESCE(MAX(accounts_by_segment.total_balance), 0), 0) AS loan_to_deposit
FROM loans_by_segment
FULL JOIN accounts_by_segment
  USING (segment)
GROUP BY
  segment
ORDER BY
  loan_to_deposit DESC,
  segment

-- rows:
-- Retail | 3.333
-- Premium | 0.542
-- Corporate | 0
-- NULL | NULL
