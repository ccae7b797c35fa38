SELECT
  branches.city,
  COUNT(CASE WHEN accounts.type = 'Savings' THEN 1 END) - COUNT(CASE WHEN accounts.type = 'Current' THEN 1 END) AS accounts_savings_minus_current
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
GROUP BY
  branches.city
ORDER BY
  accounts_savings_minus_current DESC,
  branches.city

-- rows:
-- Pune | 2
-- Mumbai | 1
-- NULL | 0
