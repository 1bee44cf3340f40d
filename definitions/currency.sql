-- Amounts in other currencies, by the operator's table of rates.

-- The greatest age of a rate that still counts, in days. The European Central Bank, for one, publishes none on weekends
-- and holidays; the longest such gap, over Easter or Christmas, is four days.
CREATE OR REPLACE FUNCTION attribution.greatest_rate_age() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 7 $$;

COMMENT ON FUNCTION attribution.greatest_rate_age() IS
    'The greatest age of a currency rate that still counts, in days, unless a query says another';

CREATE OR REPLACE FUNCTION attribution.units_per_usd(
    currency text, day date, greatest_age integer DEFAULT attribution.greatest_rate_age())
RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 = 'USD' THEN 1::numeric
                ELSE (SELECT rate.units_per_usd FROM attribution.currency_rate AS rate
                       WHERE rate.currency = $1 AND rate.day BETWEEN $2 - $3 AND $2
                       ORDER BY rate.day DESC LIMIT 1)
           END
$$;

COMMENT ON FUNCTION attribution.units_per_usd(text, date, integer) IS
    'The latest rate of a currency on or before a day; NULL if there is none, or if it is too old';

-- The amount is not rounded, so that sums are not.
CREATE OR REPLACE FUNCTION attribution.converted(
    amount numeric, currency text, to_currency text, day date,
    greatest_age integer DEFAULT attribution.greatest_rate_age())
RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $2 = $3 OR $1 = 0 THEN $1
                ELSE $1 * attribution.units_per_usd($3, $4, $5) / attribution.units_per_usd($2, $4, $5)
           END
$$;

COMMENT ON FUNCTION attribution.converted(numeric, text, text, date, integer) IS
    'An amount of a day in another currency, at the latest rates on or before that day; NULL without; 0 needs none';

-- For joins over many days: faster than a call of `converted` for each row.
CREATE OR REPLACE FUNCTION attribution.currency_rates(
    first_day date, last_day date, greatest_age integer DEFAULT attribution.greatest_rate_age())
RETURNS TABLE (day date, currency text, units_per_usd numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT each::date, 'USD', 1::numeric
      FROM generate_series($1::timestamp, $2, interval '1 day') AS each
    UNION ALL
    SELECT each::date, rate.currency, rate.units_per_usd
      FROM (SELECT stored.day, stored.currency, stored.units_per_usd,
                   least(stored.day + $3, lead(stored.day) OVER (PARTITION BY stored.currency ORDER BY stored.day) - 1, $2)
                   AS until
              FROM attribution.currency_rate AS stored
             WHERE stored.day BETWEEN $1 - $3 AND $2 AND stored.currency <> 'USD') AS rate,
           generate_series(greatest(rate.day, $1)::timestamp, rate.until, interval '1 day') AS each
$$;

COMMENT ON FUNCTION attribution.currency_rates(date, date, integer) IS
    'The rate of each currency that counts on each day of a range, the US dollar included; none for days without one';
