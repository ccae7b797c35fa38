SELECT
  SUM(balance) AS total_balance_savings
FROM accounts
WHERE
  type = 'Savings'

-- rows:
-- 102000.19
