SELECT
  AVG(accounts) AS average_accounts,
  AVG(total_balance) AS average_total_balance
FROM (
  SELECT
    customers.customer_id AS customer_number,
    COUNT(*) AS accounts,
    SUM(accounts.balance) AS total_balance
  FROM accounts
  JOIN customers
    ON customers.customer_id = accounts.customer_id
  GROUP BY
    customers.customer_id
  HAVING
    COUNT(*) > 1
) AS each_customer

-- rows:
-- 2 | 301750.145
