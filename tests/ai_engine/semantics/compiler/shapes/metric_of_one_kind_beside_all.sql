SELECT
  branches.branch_name,
  SUM(CASE WHEN accounts.type = 'Savings' THEN accounts.balance ELSE 0 END) AS savings_balance,
  SUM(accounts.balance) AS total_balance
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
GROUP BY
  branches.branch_name
ORDER BY
  savings_balance DESC,
  branches.branch_name

-- rows:
-- Andheri | 99999.99 | 599999.99
-- Fort | 1000.1 | 3500.3
-- Pune Main | 1000.1 | 1000.1
-- Lake | 0 | -750.75
