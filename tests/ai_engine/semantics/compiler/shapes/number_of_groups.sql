SELECT
  COUNT(*) AS branches
FROM (
  SELECT
    branches.branch_id AS branch_number
  FROM accounts
  JOIN branches
    ON branches.branch_id = accounts.branch_id
  GROUP BY
    branches.branch_id
  HAVING
    SUM(accounts.balance) > 2000
) AS each_branch

-- rows:
-- 2
