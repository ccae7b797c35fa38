SELECT
  branches.city,
  COUNT(*) AS accounts,
  COUNT(CASE WHEN accounts.type = 'Savings' THEN 1 END) AS accounts_savings
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
GROUP BY
  branches.city
ORDER BY
  accounts DESC,
  branches.city

-- rows:
-- Mumbai | 4 | 2
-- Pune | 2 | 2
-- NULL | 1 | 0
