SELECT
  COUNT(*) AS customers
FROM customers
WHERE
  customers.income > 0.5 * (
    SELECT
      AVG(income) AS average_income
    FROM customers
  )

-- rows:
-- 3
