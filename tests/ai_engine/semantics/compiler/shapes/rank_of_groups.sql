SELECT
  branches.branch_name,
  SUM(accounts.balance) AS total_balance,
  RANK() OVER (ORDER BY SUM(accounts.balance) DESC) AS total_balance_rank
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
GROUP BY
  branches.branch_name
ORDER BY
  total_balance DESC,
  branches.branch_name

-- rows:
-- Andheri | 599999.99 | 1
-- Fort | 3500.3 | 2
-- Pune Main | 1000.1 | 3
-- Lake | -750.75 | 4
