WITH accounts_by_customer AS (
  SELECT
    customer_id,
    SUM(balance) AS total_balance
  FROM accounts
  GROUP BY
    customer_id
)
SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
LEFT JOIN accounts_by_customer
  ON accounts_by_customer.customer_id = customers.customer_id
WHERE
  COALESCE(accounts_by_customer.total_balance, 0) > 2000
ORDER BY
  customers.customer_id

-- rows:
-- Asha Rao | Retail
-- Chetan Iyer | Premium
