SELECT
  account_type,
  AVG(income) AS average_income
FROM (
  SELECT DISTINCT
    customers.customer_id AS key_1,
    accounts.type AS account_type,
    customers.income AS income
  FROM customers
  JOIN accounts
    ON accounts.customer_id = customers.customer_id
) AS each_customers
GROUP BY
  account_type
ORDER BY
  average_income DESC,
  account_type

-- rows:
-- NULL | 900000.25
-- Fixed | 250000
-- Savings | 124000.167
-- Current | 50000.5
