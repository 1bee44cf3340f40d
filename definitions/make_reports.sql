-- Makes functions, views and comments of the lists of report_columns.sql, report_families.sql and reports.sql.

-- How a column is written in SQL, of rows that are summed by `grouped_by`, as they are, or not at all.
CREATE OR REPLACE FUNCTION attribution.catalog_value(name text, value text, grouped_by text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN value = '' OR grouped_by = '' OR value = 'every' AND grouped_by IS NULL THEN quote_ident(name)
                ELSE replace(CASE value WHEN 'sum' THEN format('total(%I)', name)
                                        WHEN 'money' THEN format('attribution.money(total(%I))', name)
                                        WHEN 'every' THEN format('bool_and(%I)', name)
                                        ELSE value END,
                             'total(', CASE WHEN grouped_by IS NULL THEN '(' ELSE 'attribution.total(' END)
                     || ' AS ' || quote_ident(name) END
$$;
COMMENT ON FUNCTION attribution.catalog_value IS 'How a column of a report is written in SQL';

CREATE OR REPLACE FUNCTION attribution.catalog_grouping(keys text, grouped_by text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(' GROUP BY ' || CASE grouped_by WHEN '*' THEN keys ELSE nullif(grouped_by, '') END, '')
$$;
COMMENT ON FUNCTION attribution.catalog_grouping IS 'The grouping of a family or a report; empty if it has none';

-- The columns of each report, in their order. Servers read this list.
CREATE OR REPLACE VIEW attribution.catalog AS
SELECT report.name AS report,
       report.meaning || CASE WHEN NOT (has_function AND has_views) THEN ''
                              WHEN family = 'digits' OR family ~ '^(answers_by|app_store|apple_ads)' THEN ', over a range of days'
                              ELSE ', over a range of install days' END AS report_meaning,
       CASE WHEN has_function THEN 'range'
            WHEN bool_or(member.name = 'day') OVER (PARTITION BY report.name) THEN 'daily'
            ELSE 'all' END AS form,
       options, row_number() OVER (PARTITION BY report.name ORDER BY number) AS number, member.name, type, kind, value,
       member.meaning
  FROM attribution.catalog_report AS report
  JOIN attribution.catalog_family AS family USING (family)
 CROSS JOIN LATERAL attribution.catalog_columns(family.columns, report.scopes || family.scopes) AS member
 WHERE member.name <> ALL (left_out);

COMMENT ON VIEW attribution.catalog IS 'The columns of each report, in their order';
COMMENT ON COLUMN attribution.catalog.report IS 'The report';
COMMENT ON COLUMN attribution.catalog.report_meaning IS 'What its rows are';
COMMENT ON COLUMN attribution.catalog.form IS
    'range: a function of a range of days; daily: views with each day; all: views of all days';
COMMENT ON COLUMN attribution.catalog.options IS 'What the function takes beside the days';
COMMENT ON COLUMN attribution.catalog.number IS 'The place of the column';
COMMENT ON COLUMN attribution.catalog.name IS 'The column';
COMMENT ON COLUMN attribution.catalog.type IS 'Its type';
COMMENT ON COLUMN attribution.catalog.kind IS 'key or figure';
COMMENT ON COLUMN attribution.catalog.value IS 'How it follows from the rows of a source';
COMMENT ON COLUMN attribution.catalog.meaning IS 'What it means, and its unit';

DO $make$
DECLARE
    made   record;
    member record;
BEGIN
    FOR made IN
        SELECT family, family.meaning, parameters, source, grouped_by,
               string_agg(quote_ident(name), ', ' ORDER BY number) FILTER (WHERE kind = 'key') AS keys,
               string_agg(attribution.catalog_value(name, value, grouped_by), ', ' ORDER BY number) AS cells
          FROM attribution.catalog_family AS family, attribution.catalog_columns(columns, scopes)
         WHERE source IS NOT NULL
         GROUP BY family, family.meaning, parameters, source, grouped_by LOOP
        CALL attribution.make_family(
            made.family, made.meaning, made.parameters,
            replace(CASE WHEN made.source LIKE '%{columns}%' THEN made.source
                         ELSE 'SELECT {columns} FROM ' || made.source END, '{columns}', made.cells)
            || attribution.catalog_grouping(made.keys, made.grouped_by));
    END LOOP;
    FOR made IN
        SELECT report.*, 'report_' || name AS view, 'report_' || name || '_all' AS whole, listed.*,
               (SELECT string_agg(concat(', ', option, ' ', declaration), '' ORDER BY place)
                  FROM unnest(options) WITH ORDINALITY AS of_report (option, place)
                  JOIN attribution.catalog_option USING (option)) AS parameters
          FROM attribution.catalog_report AS report
         CROSS JOIN LATERAL (
               SELECT min(report_meaning) AS report_meaning,
                      string_agg(format('%I %s', name, type), ', ' ORDER BY number) AS types,
                      string_agg(quote_ident(name), ', ' ORDER BY number) FILTER (WHERE kind = 'key') AS keys,
                      string_agg(attribution.catalog_value(name, value, grouped_by), ', ' ORDER BY number) AS cells,
                      string_agg(quote_ident(name), ', ' ORDER BY number)
                          FILTER (WHERE name NOT IN ('environment', 'developer_copy')) AS usual_shown,
                      bool_or(name = 'developer_copy') AS has_copies
                 FROM attribution.catalog
                WHERE catalog.report = report.name) AS listed LOOP
        made.cells := format('SELECT %s FROM %s%s', made.cells, made.source,
                             attribution.catalog_grouping(made.keys, made.grouped_by));
        IF made.has_function THEN
            EXECUTE format(
                'CREATE OR REPLACE FUNCTION attribution.%1$I(
                     first_day date, last_day date%2$s, an_environment text DEFAULT ''production''%6$s)
                 RETURNS TABLE (%3$s) LANGUAGE sql STABLE PARALLEL SAFE
                 AS $body$SELECT * FROM (%4$s) AS report
                           WHERE ($%5$s IS NULL OR environment = $%5$s)%7$s$body$',
                made.view, made.parameters, made.types, made.cells, cardinality(made.options) + 3,
                CASE WHEN made.has_copies THEN ', copies boolean DEFAULT false' END,
                CASE WHEN made.has_copies
                     THEN format(' AND ($%1$s IS NULL OR developer_copy = $%1$s)', cardinality(made.options) + 4) END);
            EXECUTE format('COMMENT ON FUNCTION attribution.%I IS %L', made.view, made.report_meaning);
            made.cells := format('SELECT * FROM attribution.%I(''-infinity'', ''infinity'', an_environment => NULL%s)',
                                 made.view, CASE WHEN made.has_copies THEN ', copies => NULL' END);
        END IF;
        CONTINUE WHEN NOT made.has_views;
        EXECUTE format('CREATE OR REPLACE VIEW attribution.%I AS %s', made.whole, made.cells);
        EXECUTE format('CREATE OR REPLACE VIEW attribution.%I AS SELECT %s FROM attribution.%I WHERE %s',
                       made.view, made.usual_shown, made.whole, made.usual);
        EXECUTE format('COMMENT ON VIEW attribution.%I IS %L', made.whole, made.meaning || '; all environments');
        EXECUTE format('COMMENT ON VIEW attribution.%I IS %L', made.view, made.meaning || '; production');
        FOR member IN
            SELECT relname, attname, meaning
              FROM pg_class
              JOIN pg_attribute ON attrelid = pg_class.oid
              JOIN attribution.catalog ON report = made.name AND catalog.name = attname
             WHERE relnamespace = 'attribution'::regnamespace AND relname IN (made.view, made.whole) LOOP
            EXECUTE format('COMMENT ON COLUMN attribution.%I.%I IS %L', member.relname, member.attname, member.meaning);
        END LOOP;
    END LOOP;
END $make$;
