import AdAttribution
import PostgresClient

/// The statements that read the log.
///
/// They name the partition of one day, so that no other partition is locked or opened. Everything else is bound.
enum LogStatements {
    /// The lanes, their days of writing, and the last places that were dropped.
    static let lanes = PostgresStatement(
        "log_lanes",
        """
        SELECT lane.lane, lane.day, dropped.position, dropped.ordinal
          FROM attribution.lane
          LEFT JOIN attribution.dropped_place AS dropped ON dropped.lane = lane.lane
         ORDER BY lane.lane
        """)

    /// The names of the log's partitions between two names.
    static let partitions = PostgresStatement(
        "log_partitions",
        """
        SELECT partition.relname::text
          FROM pg_catalog.pg_inherits AS part
          JOIN pg_catalog.pg_class AS partition ON partition.oid = part.inhrelid
         WHERE part.inhparent = 'attribution.postback_log'::regclass
           AND partition.relname BETWEEN $1 AND $2
         ORDER BY partition.relname
        """)

    /// Makes the next statement of the transaction use indexes, with one plan that is kept, whatever the statistics
    /// say.
    ///
    /// A new partition has no useful statistics. A plan that sorts the rest of a day, or reads a whole dimension, would
    /// do so for each page.
    static let planning = PostgresStatement(
        "log_planning",
        """
        SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),
               set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
               set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true),
               set_config('enable_mergejoin', 'off', true)
        """)

    /// The next events of some lanes in one day.
    ///
    /// Parameters: lanes, positions, ordinals, the greatest number of events of each lane.
    static func events(_ day: PostgresDate) -> PostgresStatement {
        PostgresStatement(
            "log_events",
            """
            SELECT \(LogRow.columns)
              FROM unnest($1::smallint[], $2::bigint[], $3::smallint[], $4::bigint[])
                   AS place (lane, position, ordinal, share)
             CROSS JOIN LATERAL (
                   SELECT *
                     FROM attribution.\(WritingDay.logPartition(day)) AS event
                    WHERE \(behindPlace)
                    ORDER BY event.position, event.ordinal
                    LIMIT place.share) AS log
            """)
    }

    /// The lanes that have an event at their place.
    ///
    /// The parameters are those of `events`; the last one is not used.
    static func present(_ day: PostgresDate) -> PostgresStatement {
        PostgresStatement(
            "log_present",
            """
            SELECT place.lane
              FROM unnest($1::smallint[], $2::bigint[], $3::smallint[], $4::bigint[])
                   AS place (lane, position, ordinal, share)
             WHERE EXISTS (
                   SELECT
                     FROM attribution.\(WritingDay.logPartition(day)) AS event
                    WHERE event.lane = place.lane AND event.position = place.position
                      AND event.ordinal = place.ordinal)
            """)
    }

    /// The bodies of runs of places in one day.
    ///
    /// Parameters: lanes, then positions and ordinals of the first and of the last places of the runs.
    static func bodies(_ day: PostgresDate) -> PostgresStatement {
        PostgresStatement(
            "log_bodies",
            """
            SELECT body.lane, body.position, body.ordinal, body.payload
              FROM unnest($1::smallint[], $2::bigint[], $3::smallint[], $4::bigint[], $5::smallint[])
                   AS run (lane, first_position, first_ordinal, last_position, last_ordinal)
              JOIN attribution.\(WritingDay.bodyPartition(day)) AS body
                ON body.lane = run.lane AND body.position BETWEEN run.first_position AND run.last_position
             WHERE (body.position, body.ordinal) >= (run.first_position, run.first_ordinal)
               AND (body.position, body.ordinal) <= (run.last_position, run.last_ordinal)
            """)
    }

    /// The rows of lines.
    static let lines = PostgresStatement(
        "log_lines",
        """
        SELECT line, environment, protocol, ad_network_id, developer_copy, campaign_type, campaign, advertised_app_id
          FROM attribution.line
         WHERE line = ANY ($1::integer[])
        """)

    /// The rows of sources.
    static let sources = PostgresStatement(
        "log_sources",
        "SELECT source, source_app_id, source_domain FROM attribution.source WHERE source = ANY ($1::integer[])")

    /// The rows of traits, with the names of their keys.
    static func traits(_ facts: [TraitColumn]) -> PostgresStatement {
        PostgresStatement(
            "log_traits",
            """
            SELECT traits.traits, signing_key.name, traits.version, traits.relay_normalised\(
                facts.map { ", traits.\($0.name)::\($0.type)" }.joined())
              FROM attribution.traits
              JOIN attribution.signing_key ON signing_key.signing_key = traits.signing_key
             WHERE traits.traits = ANY ($1::integer[])
            """)
    }

    /// The age of the next event of each lane, in seconds.
    ///
    /// A lane without more events in this day has no row.
    ///
    /// All events of a position were written at the same time.
    static func ages(_ day: PostgresDate) -> PostgresStatement {
        PostgresStatement(
            "log_ages",
            """
            SELECT place.lane, extract(epoch FROM clock_timestamp() - next.written_at)::float8
              FROM unnest($1::smallint[], $2::bigint[], $3::smallint[], $4::bigint[])
                   AS place (lane, position, ordinal, share)
             CROSS JOIN LATERAL (
                   SELECT event.written_at
                     FROM attribution.\(WritingDay.logPartition(day)) AS event
                    WHERE \(behindPlace)
                    ORDER BY event.position
                    LIMIT least(place.share, 1)) AS next
            """)
    }

    /// The condition on the position alone follows from the last one.
    ///
    /// It is needed because the index does not contain the ordinal.
    private static let behindPlace = """
        event.lane = place.lane AND event.position >= place.position
        AND (event.position, event.ordinal) > (place.position, place.ordinal)
        """
}
