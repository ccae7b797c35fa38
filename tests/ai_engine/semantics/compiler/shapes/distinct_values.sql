SELECT DISTINCT
  city
FROM branches
ORDER BY
  city

-- rows:
-- Mumbai
-- NULL
-- Pune
