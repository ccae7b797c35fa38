SELECT
  COUNT(*) AS accounts
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
JOIN customers
  ON customers.customer_id = accounts.customer_id
JOIN branches AS home_branches
  ON home_branches.branch_id = customers.branch_id
WHERE
  branches.branch_id <> home_branches.branch_id

-- rows:
-- 4
