SELECT
  customers.full_name AS name,
  SUM(accounts.balance) AS total_balance
FROM accounts
JOIN customers
  ON customers.customer_id = accounts.customer_id
GROUP BY
  customers.full_name,
  customers.customer_id
ORDER BY
  total_balance DESC,
  customers.full_name,
  customers.customer_id
LIMIT 1
OFFSET 2

-- rows:
-- Bina Shah | 1000.1
