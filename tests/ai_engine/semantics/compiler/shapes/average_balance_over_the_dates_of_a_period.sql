SELECT
  AVG(closing) AS average_closing_balance
FROM balances
WHERE
  date_key BETWEEN 20260601 AND 20261031

-- rows:
-- 1058.483
