SELECT
  branches.city,
  COUNT(DISTINCT accounts.customer_id) AS distinct_customer_numbers
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
GROUP BY
  branches.city
ORDER BY
  distinct_customer_numbers DESC,
  branches.city

-- rows:
-- Mumbai | 3
-- Pune | 2
-- NULL | 1
