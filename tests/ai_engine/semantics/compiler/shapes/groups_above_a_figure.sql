SELECT
  branches.city,
  SUM(accounts.balance) AS total_balance
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
GROUP BY
  branches.city
HAVING
  COUNT(*) >= 2
ORDER BY
  total_balance DESC,
  branches.city

-- rows:
-- Mumbai | 603500.29
-- Pune | 1000.1
