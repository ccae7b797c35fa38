WITH transactions_by_channel_now AS (
  SELECT
    channel,
    SUM(amount) AS total_amount
  FROM transactions
  WHERE
    posted_at >= '2026-10-01' AND posted_at < '2026-11-01'
  GROUP BY
    channel
), transactions_by_channel_before AS (
  SELECT
    channel,
    SUM(amount) AS total_amount
  FROM transactions
  WHERE
    posted_at >= '2026-09-01' AND posted_at < '2026-10-01'
  GROUP BY
    channel
)
SELECT
  channel,
  COALESCE(MAX(transactions_by_channel_now.total_amount), 0) AS total_amount,
  COALESCE(MAX(transactions_by_channel_before.total_amount), 0) AS total_amount_before,
  COALESCE(MAX(transactions_by_channel_now.total_amount), 0) - COALESCE(MAX(transactions_by_channel_before.total_amount), 0) AS total_amount_change,
  100.0 * (
    COALESCE(MAX(transactions_by_channel_now.total_amount), 0) - COALESCE(MAX(transactions_by_channel_before.total_amount), 0)
  ) / NULLIF(COALESCE(MAX(transactions_by_channel_before.total_amount), 0), 0) AS total_amount_change_percent
FROM transactions_by_channel_now
FULL JOIN transactions_by_channel_before
  USING (channel)
GROUP BY
  channel
ORDER BY
  total_amount DESC,
  channel

-- rows:
-- NEFT | 6200 | 0 | 6200 | NULL
-- ATM | 75.25 | 0 | 75.25 | NULL
-- UPI | 10 | 250.5 | -240.5 | -96.008
