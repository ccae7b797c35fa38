SELECT
  branches.city,
  AVG(accounts.balance) AS average_balance
FROM accounts
JOIN branches
  ON branches.branch_id = accounts.branch_id
WHERE
  accounts.type = 'Savings'
GROUP BY
  branches.city
HAVING
  AVG(accounts.balance) > (
    SELECT
      AVG(balance) AS average_balance
    FROM accounts
    WHERE
      type = 'Savings'
  )
ORDER BY
  average_balance DESC,
  branches.city

-- rows:
-- Mumbai | 50500.045
