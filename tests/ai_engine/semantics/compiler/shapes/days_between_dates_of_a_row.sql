SELECT
  segment,
  AVG(DATE_DIFF('DAY', CAST(born_on AS DATE), CAST(joined_on AS DATE))) AS average_days_from_date_of_birth_to_joining_date,
  MAX(DATE_DIFF('DAY', CAST(born_on AS DATE), CAST(joined_on AS DATE))) AS highest_days_from_date_of_birth_to_joining_date
FROM customers
GROUP BY
  segment
ORDER BY
  average_days_from_date_of_birth_to_joining_date DESC,
  segment
-- rows:
-- Premium | 14925.5 | 20121
-- Retail | 13241 | 14374
-- Corporate | NULL | NULL
-- NULL | NULL | NULL
