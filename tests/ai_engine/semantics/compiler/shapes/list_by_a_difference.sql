SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
ORDER BY
  (
    SELECT
      COALESCE(SUM(accounts.balance), 0)
    FROM accounts
    WHERE
      accounts.customer_id = customers.customer_id
  ) - (
    SELECT
      COALESCE(SUM(loans.outstanding), 0)
    FROM loans
    WHERE
      loans.customer_id = customers.customer_id
  ) DESC,
  customers.customer_id
LIMIT 3

-- rows:
-- Chetan Iyer | Premium
-- Bina Shah | Retail
-- Deepa Nair | NULL
