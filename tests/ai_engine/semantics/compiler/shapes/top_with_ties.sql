WITH ranked AS (
  SELECT
    customers.full_name AS name,
    customers.customer_id AS customer_number,
    SUM(accounts.balance) AS total_balance,
    RANK() OVER (ORDER BY SUM(accounts.balance) DESC) AS position
  FROM accounts
  JOIN customers
    ON customers.customer_id = accounts.customer_id
  GROUP BY
    customers.full_name,
    customers.customer_id
)
SELECT
  name,
  total_balance
FROM ranked
WHERE
  position <= 3
ORDER BY
  total_balance DESC,
  name,
  customer_number

-- rows:
-- Chetan Iyer | 599999.99
-- Asha Rao | 3500.3
-- Bina Shah | 1000.1
