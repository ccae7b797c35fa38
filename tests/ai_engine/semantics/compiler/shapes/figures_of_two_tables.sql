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
), customers_by_segment AS (
  SELECT
    segment,
    COUNT(*) AS customers
  FROM customers
  GROUP BY
    segment
)
SELECT
  segment,
  COALESCE(MAX(accounts_by_segment.total_balance), 0) AS total_balance,
  COALESCE(MAX(loans_by_segment.total_outstanding), 0) AS total_outstanding,
  COALESCE(MAX(customers_by_segment.customers), 0) AS customers
FROM accounts_by_segment
FULL JOIN loans_by_segment
  USING (segment)
FULL JOIN customers_by_segment
  USING (segment)
GROUP BY
  segment
ORDER BY
  total_balance DESC,
  segment

-- rows:
-- Premium | 599999.99 | 325000 | 2
-- Retail | 4500.4 | 15000 | 2
-- NULL | 0 | 0 | 1
-- Corporate | -750.75 | 0 | 1
