SELECT
  accounts.type AS account_type,
  COUNT(DISTINCT customers.customer_id) AS customers
FROM customers
JOIN accounts
  ON accounts.customer_id = customers.customer_id
GROUP BY
  accounts.type
ORDER BY
  customers DESC,
  accounts.type

-- rows:
-- Savings | 4
-- Current | 1
-- Fixed | 1
-- NULL | 1
