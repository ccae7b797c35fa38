SELECT
  accounts.account_id AS account_number,
  DATE_DIFF('DAY', CAST(customers.joined_on AS DATE), CAST(accounts.opened_on AS DATE)) AS days_from_joining_date_to_opening_date
FROM accounts
JOIN customers
  ON customers.customer_id = accounts.customer_id
WHERE
  DATE_DIFF('DAY', CAST(customers.joined_on AS DATE), CAST(accounts.opened_on AS DATE)) <= 90
ORDER BY
  days_from_joining_date_to_opening_date DESC,
  accounts.account_id
-- rows:
-- 1 | 5
-- 3 | 2
-- 6 | -355
