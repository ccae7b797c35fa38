SELECT
  COUNT(*) AS customers
FROM customers
WHERE
  EXISTS(
    SELECT
      1
    FROM accounts
    WHERE
      accounts.customer_id = customers.customer_id AND accounts.type = 'Savings'
  )
  AND EXISTS(
    SELECT
      1
    FROM accounts
    WHERE
      accounts.customer_id = customers.customer_id AND accounts.type = 'Fixed'
  )

-- rows:
-- 1
