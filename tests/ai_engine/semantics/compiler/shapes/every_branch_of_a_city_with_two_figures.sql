WITH accounts_by_branch_name AS (
  SELECT
    branches.branch_name,
    COUNT(CASE WHEN accounts.type = 'Savings' THEN 1 END) AS accounts_savings
  FROM accounts
  JOIN customers
    ON customers.customer_id = accounts.customer_id
  JOIN branches
    ON branches.branch_id = customers.branch_id
  WHERE
    branches.city = 'Mumbai'
  GROUP BY
    branches.branch_name
), loans_by_branch_name AS (
  SELECT
    branches.branch_name,
    SUM(loans.outstanding) AS total_outstanding
  FROM loans
  JOIN customers
    ON customers.customer_id = loans.customer_id
  JOIN branches
    ON branches.branch_id = customers.branch_id
  WHERE
    branches.city = 'Mumbai'
  GROUP BY
    branches.branch_name
), every_branch_name AS (
  SELECT
    branch_name
  FROM branches
  WHERE
    city = 'Mumbai'
  GROUP BY
    branch_name
)
SELECT
  every_branch_name.branch_name,
  COALESCE(accounts_by_branch_name.accounts_savings, 0) AS accounts_savings,
  COALESCE(loans_by_branch_name.total_outstanding, 0) AS total_outstanding
FROM every_branch_name
LEFT JOIN accounts_by_branch_name
  ON accounts_by_branch_name.branch_name IS NOT DISTINCT FROM every_branch_name.branch_name
LEFT JOIN loans_by_branch_name
  ON loans_by_branch_name.branch_name IS NOT DISTINCT FROM every_branch_name.branch_name
ORDER BY
  accounts_savings DESC,
  every_branch_name.branch_name

-- rows:
-- Fort | 2 | 250000
-- Andheri | 1 | 0
