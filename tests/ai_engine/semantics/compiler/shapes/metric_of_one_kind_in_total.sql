SELECT
  SUM(CASE WHEN type = 'Savings' THEN balance ELSE 0 END) AS savings_balance
FROM accounts
WHERE
  type = 'Fixed'

-- rows:
-- 0
