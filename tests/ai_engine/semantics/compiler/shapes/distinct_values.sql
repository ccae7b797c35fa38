SELECT DISTINCT
  city
FROM branches

-- rows:
-- Mumbai
-- NULL
-- Pune
