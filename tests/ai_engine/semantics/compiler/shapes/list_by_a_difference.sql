WITH accounts_by_customer AS (
  SELECT
    customer_id,
    SUM(balance) AS total_balance
  FROM accounts
  GROUP BY
    customer_id
), loans_by_customer AS (
  SELECT
    customer_id,
    SUM(outstanding) AS total_outstanding
  FROM loans
  GROUP BY
    customer_id
)
SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
LEFT JOIN accounts_by_customer
  ON accounts_by_customer.customer_id = customers.customer_id
LEFT JOIN loans_by_customer
  ON loans_by_customer.customer_id = customers.customer_id
ORDER BY
  COALESCE(accounts_by_customer.total_balance, 0) - COALESCE(loans_by_customer.total_outstanding, 0) DESC,
  customers.customer_id
LIMIT 3

-- rows:
-- Chetan Iyer | Premium
-- Bina Shah | Retail
-- Deepa Nair | NULL
