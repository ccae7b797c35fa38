SELECT
  CASE
    WHEN EXTRACT(YEAR FROM AGE(CAST('2026-11-21' AS DATE), born_on)) < 30
    THEN 'Below 30'
    WHEN EXTRACT(YEAR FROM AGE(CAST('2026-11-21' AS DATE), born_on)) < 45
    THEN '30 to 44'
    WHEN EXTRACT(YEAR FROM AGE(CAST('2026-11-21' AS DATE), born_on)) >= 45
    THEN '45 and over'
  END AS age_band,
  COUNT(*) AS customers
FROM customers
GROUP BY
  age_band
ORDER BY
  MIN(EXTRACT(YEAR FROM AGE(CAST('2026-11-21' AS DATE), born_on)))

-- rows:
-- Below 30 | 1
-- 30 to 44 | 2
-- 45 and over | 1
-- NULL | 2
