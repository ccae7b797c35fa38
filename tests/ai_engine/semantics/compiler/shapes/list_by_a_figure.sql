WITH accounts_by_customer AS (
  SELECT
    customer_id,
    COUNT(*) AS accounts
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
ORDER BY
  COALESCE(accounts_by_customer.accounts, 0) DESC,
  customers.customer_id
LIMIT 2

-- rows:
-- Asha Rao | Retail
-- Chetan Iyer | Premium
