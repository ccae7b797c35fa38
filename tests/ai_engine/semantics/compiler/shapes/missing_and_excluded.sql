SELECT
  COUNT(*) AS customers
FROM customers
WHERE
  income IS NOT NULL AND NOT segment IN ('Retail', 'Corporate')

-- rows:
-- 2
