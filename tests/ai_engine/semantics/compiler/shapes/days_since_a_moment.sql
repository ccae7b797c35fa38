SELECT
  MIN(
    DATE_DIFF('DAY', CAST(accounts.opened_on AS DATE), CAST(transactions.posted_at AS DATE))
  ) AS lowest_days_from_opening_date_to_posting_time
FROM transactions
LEFT JOIN accounts
  ON accounts.account_id = transactions.account_id
-- rows:
-- -351
