SELECT
  COUNT(*) AS customers
FROM customers
WHERE
  EXISTS(
    SELECT
      1
    FROM accounts
    WHERE
      accounts.customer_id = customers.customer_id
      AND accounts.type = 'Savings'
      AND accounts.balance > 1000
  )

-- rows:
-- 3
