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
ORDER BY
  customers.customer_id

-- rows:
-- Asha Rao | Retail
-- Chetan Iyer | Premium
