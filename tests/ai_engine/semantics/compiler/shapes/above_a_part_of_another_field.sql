SELECT
  COUNT(*) AS accounts
FROM accounts
JOIN customers
  ON customers.customer_id = accounts.customer_id
WHERE
  accounts.balance > 0.25 * customers.income

-- rows:
-- 2
