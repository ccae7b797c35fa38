SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
WHERE
  (
    SELECT
      COALESCE(SUM(accounts.balance), 0)
    FROM accounts
    WHERE
      accounts.customer_id = customers.customer_id
  ) > 2000

-- rows:
-- Asha Rao | Retail
-- Chetan Iyer | Premium
