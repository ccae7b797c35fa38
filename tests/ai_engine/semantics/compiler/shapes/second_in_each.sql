WITH ranked AS (
  SELECT
    branches.city,
    customers.full_name AS name,
    customers.customer_id AS customer_number,
    SUM(accounts.balance) AS total_balance,
    ROW_NUMBER() OVER (
      PARTITION BY branches.city
      ORDER BY SUM(accounts.balance) DESC, branches.city, customers.full_name, customers.customer_id
    ) AS position
  FROM accounts
  JOIN branches
    ON branches.branch_id = accounts.branch_id
  JOIN customers
    ON customers.customer_id = accounts.customer_id
  GROUP BY
    branches.city,
    customers.full_name,
    customers.customer_id
)
SELECT
  city,
  name,
  total_balance
FROM ranked
WHERE
  position > 1 AND position <= 2
ORDER BY
  city,
  total_balance DESC,
  name,
  customer_number

-- rows:
-- Mumbai | Asha Rao | 2500.2
-- Pune | Deepa Nair | NULL
