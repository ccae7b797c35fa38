SELECT
  balances.account_id AS account_number,
  balances.closing AS closing_balance
FROM balances
WHERE
  balances.date_key = (
    SELECT
      MAX(balances.date_key)
    FROM balances
  )
ORDER BY
  balances.date_key,
  balances.account_id

-- rows:
-- 1 | 1000.1
-- 2 | 0
