SELECT
  branches.branch_name,
  SUM(accounts.balance) AS savings_balance
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
WHERE
  accounts.type = 'Savings'
GROUP BY
  branches.branch_name
ORDER BY
  savings_balance DESC,
  branches.branch_name

-- rows:
-- Andheri | 99999.99
-- Fort | 1000.1
-- Pune Main | 1000.1
