SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
WHERE
  EXISTS(
    SELECT
      1
    FROM accounts
    WHERE
      accounts.customer_id = customers.customer_id AND accounts.type = 'Savings'
  )
  AND NOT EXISTS(
    SELECT
      1
    FROM accounts
    WHERE
      accounts.customer_id = customers.customer_id AND accounts.type = 'Fixed'
  )
ORDER BY
  customers.customer_id

-- rows:
-- Asha Rao | Retail
-- Bina Shah | Retail
-- Deepa Nair | NULL
