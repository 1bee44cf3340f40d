-- How the function of a family of reports is made: its columns are those of the list in report_families.sql.

-- Writes each part of a text between {each} and {end} three times, with commas between: for the windows 0, 1 and 2. In
-- the part {n} stands for the window.
CREATE OR REPLACE FUNCTION attribution.each_window(template text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_agg(CASE place % 2 WHEN 1 THEN part ELSE windows END, '' ORDER BY place)
      FROM regexp_split_to_table($1, '\s*\{(each|end)\}') WITH ORDINALITY AS split (part, place)
     CROSS JOIN LATERAL (
           SELECT string_agg(replace(part, '{n}', n::text), ',' ORDER BY n) FROM generate_series(0, 2) AS n) AS made (windows)
$$;
COMMENT ON FUNCTION attribution.each_window IS 'A text with its parts for each window written out';

-- The sums of columns, written out: `fine coarse` is total(fine) AS fine, total(coarse) AS coarse.
CREATE OR REPLACE FUNCTION attribution.sums_of(names text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_agg(format('attribution.total(%1$I) AS %1$I', name), ', ' ORDER BY place)
      FROM regexp_split_to_table($1, '\s+') WITH ORDINALITY AS split (name, place)
$$;
COMMENT ON FUNCTION attribution.sums_of IS 'The sums of some columns under their own names, as SQL';

-- Makes the function of a family, which has the name of the family. PostgreSQL inlines it, as if it were written by hand.
-- `more` are columns behind those of the list, which reports do not show.
CREATE OR REPLACE PROCEDURE attribution.make_family(
    a_family text, meaning text, arguments text, body text, more text DEFAULT '')
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE (
        SELECT format('CREATE OR REPLACE FUNCTION attribution.%I(%s) RETURNS TABLE (%s%s)
                       LANGUAGE sql STABLE PARALLEL SAFE AS %L',
                      a_family, arguments, string_agg(format('%I %s', name, type), ', ' ORDER BY number), more,
                      attribution.each_window(body))
          FROM attribution.catalog_family, attribution.catalog_columns(columns, scopes)
         WHERE family = a_family);
    EXECUTE format('COMMENT ON FUNCTION attribution.%I IS %L', a_family, meaning || '; reports read it');
END $$;
COMMENT ON PROCEDURE attribution.make_family IS 'Makes the function of a family of reports, with its columns of the list';
