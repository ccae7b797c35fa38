SELECT
  full_name AS name,
  segment
FROM customers
ORDER BY
  born_on,
  customer_id
LIMIT 1

-- rows:
-- Chetan Iyer | Premium
