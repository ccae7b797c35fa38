WITH accounts_by_segment AS (
  SELECT
    customers.segment,
    SUM(accounts.balance) AS total_balance
  FROM accounts
  JOIN customers
    ON customers.customer_id = accounts.customer_id
  GROUP BY
    customers.segment
), loans_by_segment AS (
  SELECT
    customers.segment,
    SUM(loans.outstanding) AS total_outstanding
  FROM loans
  JOIN customers
    ON customers.customer_id = loans.customer_id
  GROUP BY
    customers.segment
)
SELECT
  segment,
  COALESCE(MAX(accounts_by_segment.total_balance), 0) - COALESCE(MAX(loans_by_segment.total_outstanding), 0) AS total_balance_minus_total_outstanding
FROM accounts_by_segment
FULL JOIN loans_by_segment
  USING (segment)
GROUP BY
  segment
ORDER BY
  total_balance_minus_total_outstanding DESC,
  segment

-- rows:
-- Premium | 274999.99
-- NULL | 0
-- Corporate | -750.75
-- Retail | -10499.6
