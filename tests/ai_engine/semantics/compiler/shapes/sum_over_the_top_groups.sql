SELECT
  SUM(total_balance) AS sum_of_total_balance
FROM (
  SELECT
    customers.customer_id AS customer_number,
    SUM(accounts.balance) AS total_balance
  FROM accounts
  JOIN customers
    ON customers.customer_id = accounts.customer_id
  GROUP BY
    customers.customer_id
  ORDER BY
    total_balance DESC,
    customers.customer_id
  LIMIT 2
) AS each_customer

-- rows:
-- 603500.29
