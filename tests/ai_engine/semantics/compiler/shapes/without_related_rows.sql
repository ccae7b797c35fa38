SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
WHERE
  NOT EXISTS(
    SELECT
      1
    FROM loans
    WHERE
      loans.customer_id = customers.customer_id
  )
ORDER BY
  customers.customer_id

-- rows:
-- 50%_Off! Ltd | Corporate
-- Bina Shah | Retail
