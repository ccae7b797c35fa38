SELECT
  branches.branch_name,
  COUNT(*) AS accounts_savings,
  SUM(accounts.balance) AS total_balance_savings
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
WHERE
  accounts.type = 'Savings'
GROUP BY
  branches.branch_name
ORDER BY
  accounts_savings DESC,
  branches.branch_name

-- rows:
-- Pune Main | 2 | 1000.1
-- Andheri | 1 | 99999.99
-- Fort | 1 | 1000.1
