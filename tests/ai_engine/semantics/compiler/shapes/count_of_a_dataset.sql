SELECT
  COUNT(*) AS customers
FROM customers

-- rows:
-- 6
