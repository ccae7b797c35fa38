SELECT
  CASE
    WHEN balance < 0
    THEN 'Below 0'
    WHEN balance < 2000
    THEN '0 to below 2000'
    WHEN balance >= 2000
    THEN '2000 and over'
  END AS balance_band,
  SUM(balance) AS total_balance,
  MEDIAN(balance) AS median_balance
FROM accounts
GROUP BY
  balance_band
ORDER BY
  MIN(balance)

-- rows:
-- Below 0 | -750.75 | -750.75
-- 0 to below 2000 | 2000.2 | 1000.1
-- 2000 and over | 602500.19 | 99999.99
-- NULL | NULL | NULL
