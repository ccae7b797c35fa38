WITH ranked AS (
  SELECT
    full_name AS name,
    segment,
    RANK() OVER (ORDER BY income DESC) AS position
  FROM customers
)
SELECT
  name,
  segment
FROM ranked
WHERE
  position <= 2
ORDER BY
  position,
  name,
  segment

-- rows:
-- 50%_Off! Ltd | Corporate
-- Chetan Iyer | Premium
-- Esha Jain | Premium
