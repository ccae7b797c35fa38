SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
ORDER BY
  (
    SELECT
      COUNT(*)
    FROM accounts
    WHERE
      accounts.customer_id = customers.customer_id
  ) DESC,
  customers.customer_id
LIMIT 2

-- rows:
-- Asha Rao | Retail
-- Chetan Iyer | Premium
