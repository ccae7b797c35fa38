SELECT
  full_name AS name,
  segment
FROM customers
ORDER BY
  born_on,
  customer_id
LIMIT 1
OFFSET 1

-- rows:
-- Bina Shah | Retail
