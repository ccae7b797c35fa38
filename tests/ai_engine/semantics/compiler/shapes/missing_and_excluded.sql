SELECT
  COUNT(*) AS customers
FROM customers
WHERE
  NOT income IS NULL AND NOT segment IN ('Retail', 'Corporate')

-- rows:
-- 2
