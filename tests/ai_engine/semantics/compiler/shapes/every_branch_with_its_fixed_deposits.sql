WITH accounts_by_branch_name AS (
  SELECT
    branches.branch_name,
    COUNT(CASE WHEN accounts.type = 'Fixed' THEN 1 END) AS accounts_fixed
  FROM accounts
  JOIN branches
    ON branches.branch_id = accounts.branch_id
  GROUP BY
    branches.branch_name
), every_branch_name AS (
  SELECT
    branch_name
  FROM branches
  GROUP BY
    branch_name
)
SELECT
  every_branch_name.branch_name,
  COALESCE(accounts_by_branch_name.accounts_fixed, 0) AS accounts_fixed
FROM every_branch_name
LEFT JOIN accounts_by_branch_name
  ON accounts_by_branch_name.branch_name IS NOT DISTINCT FROM every_branch_name.branch_name
ORDER BY
  accounts_fixed DESC,
  every_branch_name.branch_name

-- rows:
-- Andheri | 1
-- Fort | 0
-- Lake | 0
-- Pune Main | 0
