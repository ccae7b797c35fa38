SELECT
  SUM(accounts.balance) AS total_balance
FROM accounts
WHERE
  EXISTS(
    SELECT
      1
    FROM loans
    WHERE
      loans.customer_id = accounts.customer_id
  )

-- rows:
-- 603500.29
