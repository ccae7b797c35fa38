SELECT
  transaction_id AS transaction_number
FROM transactions
WHERE
  (
    (
      posted_at >= '2026-10-31' AND posted_at < '2026-11-01'
    )
    OR posted_at < '2026-06-16'
  )
ORDER BY
  transaction_id

-- rows:
-- 4
-- 6
-- 7
-- 9
