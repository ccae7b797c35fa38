SELECT
  branches.city,
  1.0 * (
    100 * SUM(CASE WHEN accounts.type = 'Savings' THEN accounts.balance ELSE 0 END)
  ) / NULLIF(SUM(accounts.balance), 0) AS savings_ratio
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
GROUP BY
  branches.city
ORDER BY
  savings_ratio DESC,
  branches.city

-- rows:
-- Pune | 100
-- Mumbai | 16.736
-- NULL | 0
