SELECT
  customers.segment,
  COUNT(
    CASE
      WHEN customers.income < (
        SELECT
          AVG(income) AS average_income
        FROM customers
      )
      THEN 1
    END
  ) AS customers,
  COUNT(*) AS customers_2
FROM customers
GROUP BY
  customers.segment
HAVING
  COUNT(
    CASE
      WHEN EXISTS(
        SELECT
          1
        FROM loans
        WHERE
          loans.customer_id = customers.customer_id
      )
      THEN 1
    END
  ) >= 1
ORDER BY
  customers DESC,
  customers.segment

-- rows:
-- Premium | 2 | 2
-- Retail | 2 | 2
-- NULL | 0 | 1
