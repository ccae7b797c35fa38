SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
WHERE
  customers.income > (
    SELECT
      AVG(income) AS average_income
    FROM customers
  )
ORDER BY
  customers.customer_id

-- rows:
-- 50%_Off! Ltd | Corporate
