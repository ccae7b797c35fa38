SELECT
  COUNT(*) AS customers
FROM customers
WHERE
  (
    SELECT
      COUNT(*)
    FROM accounts
    WHERE
      accounts.customer_id = customers.customer_id
  ) <= 1

-- rows:
-- 4
