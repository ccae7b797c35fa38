SELECT
  branches.city,
  COUNT(
    CASE
      WHEN NOT EXISTS(
        SELECT
          1
        FROM loans
        WHERE
          loans.customer_id = customers.customer_id
      )
      THEN 1
    END
  ) AS customers,
  COUNT(
    CASE
      WHEN (
        SELECT
          COUNT(*)
        FROM accounts
        WHERE
          accounts.customer_id = customers.customer_id
      ) >= 2
      THEN 1
    END
  ) AS customers_2,
  COUNT(
    CASE
      WHEN (
        SELECT
          COUNT(*)
        FROM loans
        WHERE
          loans.customer_id = customers.customer_id AND loans.outstanding > 5000
      ) <= 1
      THEN 1
    END
  ) AS customers_3,
  COUNT(*) AS customers_4
FROM customers
JOIN branches
  ON branches.branch_id = customers.branch_id
GROUP BY
  branches.city
ORDER BY
  customers DESC,
  branches.city

-- rows:
-- Mumbai | 1 | 1 | 3 | 3
-- NULL | 1 | 0 | 1 | 1
-- Pune | 0 | 1 | 1 | 1
