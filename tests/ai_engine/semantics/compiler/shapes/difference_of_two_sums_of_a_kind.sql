SELECT
  branches.city,
  COALESCE(SUM(CASE WHEN accounts.type = 'Savings' THEN accounts.balance END), 0) - COALESCE(SUM(CASE WHEN accounts.type = 'Current' THEN accounts.balance END), 0) AS total_balance_savings_minus_current
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
GROUP BY
  branches.city
ORDER BY
  total_balance_savings_minus_current DESC,
  branches.city

-- rows:
-- Mumbai | 98499.89
-- Pune | 1000.1
-- NULL | 0
