SELECT
  branches.city,
  AVG(CASE WHEN customers.segment = 'Premium' THEN customers.income END) - AVG(CASE WHEN customers.segment = 'Retail' THEN customers.income END) AS average_income_premium_minus_retail
FROM customers
JOIN branches
  ON branches.branch_id = customers.branch_id
GROUP BY
  branches.city
ORDER BY
  average_income_premium_minus_retail DESC,
  branches.city

-- rows:
-- Mumbai | 178000
-- Pune | NULL
-- NULL | NULL
