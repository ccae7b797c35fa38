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
  COUNT(segment) AS segments
FROM (
  SELECT
    segment
  FROM accounts_by_segment
  FULL JOIN loans_by_segment
    USING (segment)
  GROUP BY
    segment
  HAVING
    COALESCE(MAX(accounts_by_segment.total_balance), 0) > 0
    AND COALESCE(MAX(loans_by_segment.total_outstanding), 0) > 0
) AS each_segment

-- rows:
-- 2
