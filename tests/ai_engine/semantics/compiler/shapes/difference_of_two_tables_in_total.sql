WITH accounts_total AS (
  SELECT
    SUM(accounts.balance) AS total_balance
  FROM accounts
  JOIN customers
    ON customers.customer_id = accounts.customer_id
  WHERE
    customers.segment = 'Retail'
), loans_total AS (
  SELECT
    SUM(loans.outstanding) AS total_outstanding
  FROM loans
  JOIN customers
    ON customers.customer_id = loans.customer_id
  WHERE
    customers.segment = 'Retail'
)
SELECT
  COALESCE(accounts_total.total_balance, 0) - COALESCE(loans_total.total_outstanding, 0) AS total_balance_minus_total_outstanding
FROM accounts_total
CROSS JOIN loans_total

-- rows:
-- -10499.6
