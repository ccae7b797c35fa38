SELECT
  branches.city,
  SUM(accounts.balance) AS total_balance
FROM accounts
JOIN customers
  ON customers.customer_id = accounts.customer_id
JOIN branches
  ON branches.branch_id = customers.branch_id
GROUP BY
  branches.city
ORDER BY
  total_balance DESC,
  branches.city

-- rows:
-- Mumbai | 601000.09
-- Pune | 3500.3
-- NULL | -750.75
