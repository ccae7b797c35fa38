SELECT
  account_type,
  COUNT(*) AS customers,
  SUM(income) AS total_income
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
  customers DESC,
  account_type

-- rows:
-- Savings | 4 | 372000.5
-- Current | 1 | 50000.5
-- Fixed | 1 | 250000
-- NULL | 1 | 900000.25
