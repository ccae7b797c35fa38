WITH accounts_by_city AS (
  SELECT
    branches.city,
    COUNT(*) AS accounts
  FROM accounts
  JOIN customers
    ON customers.customer_id = accounts.customer_id
  JOIN branches
    ON branches.branch_id = customers.branch_id
  GROUP BY
    branches.city
), loans_by_city AS (
  SELECT
    branches.city,
    SUM(loans.outstanding) AS total_outstanding
  FROM loans
  JOIN customers
    ON customers.customer_id = loans.customer_id
  JOIN branches
    ON branches.branch_id = customers.branch_id
  GROUP BY
    branches.city
)
SELECT
  city,
  COALESCE(MAX(accounts_by_city.accounts), 0) AS accounts,
  COALESCE(MAX(loans_by_city.total_outstanding), 0) AS total_outstanding
FROM accounts_by_city
FULL JOIN loans_by_city
  USING (city)
GROUP BY
  city
ORDER BY
  accounts DESC,
  city

-- rows:
-- Mumbai | 4 | 250000
-- Pune | 2 | 15000
-- NULL | 1 | 0
