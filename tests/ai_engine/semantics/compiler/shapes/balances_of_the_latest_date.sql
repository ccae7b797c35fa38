SELECT
  accounts.type AS account_type,
  SUM(balances.closing) AS total_closing_balance
FROM balances
JOIN accounts
  ON accounts.account_id = balances.account_id
WHERE
  balances.date_key = (
    SELECT
      MAX(balances.date_key)
    FROM balances
  )
GROUP BY
  accounts.type
ORDER BY
  total_closing_balance DESC,
  accounts.type

-- rows:
-- Savings | 1000.1
-- Current | 0
