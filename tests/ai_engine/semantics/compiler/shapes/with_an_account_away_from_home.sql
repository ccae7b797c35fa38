SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
WHERE
  EXISTS(
    SELECT
      1
    FROM accounts
    JOIN branches
      ON branches.branch_id = accounts.branch_id
    JOIN customers AS account_customer
      ON account_customer.customer_id = accounts.customer_id
    JOIN branches AS home_branches
      ON home_branches.branch_id = account_customer.branch_id
    WHERE
      accounts.customer_id = customers.customer_id
      AND branches.city <> home_branches.city
  )
ORDER BY
  customers.customer_id

-- rows:
-- Asha Rao | Retail
-- Deepa Nair | NULL
