WITH balances_by_customer AS (
  SELECT
    accounts.customer_id,
    SUM(balances.closing) AS total_closing_balance
  FROM accounts
  JOIN balances
    ON balances.account_id = accounts.account_id
  WHERE
    balances.date_key = (
      SELECT
        MAX(balances.date_key)
      FROM balances
    )
  GROUP BY
    accounts.customer_id
)
SELECT
  customers.full_name AS name
FROM customers
LEFT JOIN balances_by_customer
  ON balances_by_customer.customer_id = customers.customer_id
ORDER BY
  COALESCE(balances_by_customer.total_closing_balance, 0) DESC,
  customers.customer_id
LIMIT 2

-- rows:
-- Asha Rao
-- Bina Shah
