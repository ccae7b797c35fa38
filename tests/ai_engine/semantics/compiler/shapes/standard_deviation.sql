SELECT
  channel,
  STDDEV_SAMP(amount) AS stddev_amount
FROM transactions
GROUP BY
  channel
ORDER BY
  stddev_amount DESC,
  channel

-- rows:
-- NEFT | 2193.931
-- UPI | 548.957
-- ATM | NULL
-- NULL | NULL
