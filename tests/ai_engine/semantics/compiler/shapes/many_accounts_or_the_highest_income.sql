SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
WHERE
  (
    (
      SELECT
        COUNT(*)
      FROM accounts
      WHERE
        accounts.customer_id = customers.customer_id
    ) >= 2
    OR customers.income = (
      SELECT
        MAX(income) AS highest_income
      FROM customers
    )
  )
ORDER BY
  customers.customer_id

-- rows:
-- 50%_Off! Ltd | Corporate
-- Asha Rao | Retail
-- Chetan Iyer | Premium
