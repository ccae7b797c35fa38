SELECT
  transactions.channel,
  SUM(transactions.amount) AS total_amount
FROM transactions
JOIN accounts
  ON accounts.account_id = transactions.account_id
WHERE
  accounts.type = 'Savings'
  AND transactions.posted_at >= '2026-06-01'
  AND transactions.posted_at < '2026-11-01'
GROUP BY
  transactions.channel
ORDER BY
  total_amount DESC,
  transactions.channel
LIMIT 2

-- rows:
-- UPI | 360.5
-- ATM | 75.25
