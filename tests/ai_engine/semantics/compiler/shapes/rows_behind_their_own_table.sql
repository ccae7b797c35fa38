SELECT
  COUNT(transactions.transaction_id) AS number_of_transaction_numbers
FROM transactions
LEFT JOIN accounts
  ON accounts.account_id = transactions.account_id
WHERE
  EXISTS(
    SELECT
      1
    FROM accounts AS accounts_2
    WHERE
      accounts_2.customer_id = accounts.customer_id AND accounts_2.type = 'Fixed'
  )

-- rows:
-- 4
