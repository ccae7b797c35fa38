WITH accounts_by_customer AS (
  SELECT
    customer_id,
    MEDIAN(balance) AS median_balance
  FROM accounts
  GROUP BY
    customer_id
)
SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
LEFT JOIN accounts_by_customer
  ON accounts_by_customer.customer_id = customers.customer_id
ORDER BY
  accounts_by_customer.median_balance DESC,
  customers.customer_id

-- rows:
-- Chetan Iyer | Premium
-- Asha Rao | Retail
-- Bina Shah | Retail
-- 50%_Off! Ltd | Corporate
-- Deepa Nair | NULL
-- Esha Jain | Premium
