SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
WHERE
  (
    SELECT
      COUNT(*)
    FROM accounts
    WHERE
      accounts.customer_id = customers.customer_id
  ) >= 2

-- rows:
-- Asha Rao | Retail
-- Chetan Iyer | Premium
