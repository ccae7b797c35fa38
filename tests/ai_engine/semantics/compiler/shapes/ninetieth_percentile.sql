SELECT
  QUANTILE_CONT(amount, 0.9) AS p90_amount
FROM transactions

-- rows:
-- 5000
