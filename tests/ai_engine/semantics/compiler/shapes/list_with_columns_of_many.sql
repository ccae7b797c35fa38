SELECT
  customers.full_name AS name,
  loans.outstanding
FROM customers
JOIN loans
  ON loans.customer_id = customers.customer_id
ORDER BY
  customers.customer_id

-- rows:
-- Asha Rao | 10000
-- Asha Rao | 5000
-- Chetan Iyer | 250000
-- Deepa Nair | NULL
-- Esha Jain | 75000
