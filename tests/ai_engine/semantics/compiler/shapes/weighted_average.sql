SELECT
  branches.city,
  1.0 * SUM(accounts.rate * accounts.balance) / NULLIF(SUM(CASE WHEN accounts.rate IS NOT NULL THEN accounts.balance END), 0) AS weighted_average_interest_rate
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
GROUP BY
  branches.city
ORDER BY
  weighted_average_interest_rate DESC,
  branches.city

-- rows:
-- Mumbai | 7.082
-- Pune | 3.5
-- NULL | 0
