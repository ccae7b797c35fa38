SELECT
  accounts.account_id AS account_number,
  customers.full_name AS name,
  branches.city,
  accounts.balance
FROM accounts
LEFT JOIN customers
  ON customers.customer_id = accounts.customer_id
LEFT JOIN branches
  ON branches.branch_id = accounts.branch_id
ORDER BY
  accounts.balance DESC,
  accounts.account_id

-- rows:
-- 5 | Chetan Iyer | Mumbai | 500000
-- 4 | Chetan Iyer | Mumbai | 99999.99
-- 2 | Asha Rao | Mumbai | 2500.2
-- 1 | Asha Rao | Pune | 1000.1
-- 3 | Bina Shah | Mumbai | 1000.1
-- 7 | 50%_Off! Ltd | NULL | -750.75
-- 6 | Deepa Nair | Pune | NULL
