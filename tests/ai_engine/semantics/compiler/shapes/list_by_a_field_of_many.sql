WITH loans_by_customer AS (
  SELECT
    customer_id,
    MIN(outstanding) AS lowest_outstanding
  FROM loans
  WHERE
    disbursed_on >= '2026-09-01'
  GROUP BY
    customer_id
)
SELECT
  customers.full_name AS name,
  customers.segment
FROM customers
JOIN loans_by_customer
  ON loans_by_customer.customer_id = customers.customer_id
WHERE
  EXISTS(
    SELECT
      1
    FROM loans
    WHERE
      loans.customer_id = customers.customer_id AND loans.disbursed_on >= '2026-09-01'
  )
ORDER BY
  loans_by_customer.lowest_outstanding,
  customers.customer_id
LIMIT 2

-- rows:
-- Asha Rao | Retail
-- Esha Jain | Premium
