SELECT
  full_name AS name,
  segment
FROM customers
WHERE
  LOWER(full_name) LIKE '%!%!_off!!%' ESCAPE '!' AND NOT LOWER(full_name) LIKE 'a%'
ORDER BY
  customer_id

-- rows:
-- 50%_Off! Ltd | Corporate
