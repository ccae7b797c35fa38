SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
LEFT JOIN branches
  ON branches.branch_id = customers.branch_id
WHERE
  branches.city IS NULL
ORDER BY
  customers.customer_id

-- rows:
-- 50%_Off! Ltd | Corporate
-- Esha Jain | Premium
