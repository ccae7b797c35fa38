SELECT
  COUNT(*) AS accounts
FROM accounts
JOIN customers
  ON customers.customer_id = accounts.customer_id
WHERE
  accounts.opened_on > customers.joined_on

-- rows:
-- 6
