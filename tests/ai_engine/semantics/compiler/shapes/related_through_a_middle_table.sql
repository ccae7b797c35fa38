SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
WHERE
  (
    SELECT
      COUNT(DISTINCT branches.branch_id)
    FROM accounts
    JOIN branches
      ON branches.branch_id = accounts.branch_id
    WHERE
      accounts.customer_id = customers.customer_id
  ) >= 2
ORDER BY
  customers.customer_id

-- rows:
-- Asha Rao | Retail
