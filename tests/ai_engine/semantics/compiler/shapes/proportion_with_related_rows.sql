SELECT
  100.0 * COUNT(
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
  ) / NULLIF(COUNT(*), 0) AS customers_percent
FROM customers

-- rows:
-- 66.667
