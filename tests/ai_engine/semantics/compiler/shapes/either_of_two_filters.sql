SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
LEFT JOIN branches
  ON branches.branch_id = customers.branch_id
WHERE
  (
    branches.city = 'Pune' OR customers.segment = 'Premium'
  )
ORDER BY
  customers.customer_id

-- rows:
-- Asha Rao | Retail
-- Chetan Iyer | Premium
-- Esha Jain | Premium
