import AdAttribution
import PostgresClient

/// The statements that read the log.
///
/// They name the partition of one day, so that no other partition is locked or opened. Everything else is bound.
enum LogStatements {
    /// The lanes and their days of writing.
    static let lanes = PostgresStatement("log_lanes", "SELECT lane, day FROM attribution.lane ORDER BY lane")

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
    /// Parameters: lanes, positions, ordinals, the greatest number of events of each lane. If a dimension's row is
    /// missing, the event is not left out: it can't be decoded, which is an error.
    static func events(_ day: PostgresDate, _ facts: [TraitColumn]) -> PostgresStatement {
        PostgresStatement(
            "log_events",
            """
            SELECT \(LogEvent.columns(facts))
              FROM unnest($1::smallint[], $2::bigint[], $3::smallint[], $4::bigint[])
                   AS place (lane, position, ordinal, share)
             CROSS JOIN LATERAL (
                   SELECT *
                     FROM attribution.\(WritingDay.logPartition(day)) AS event
                    WHERE \(behindPlace)
                    ORDER BY event.position, event.ordinal
                    LIMIT place.share) AS log
              LEFT JOIN attribution.line ON line.line = log.line
              LEFT JOIN attribution.network ON network.network = line.network
              LEFT JOIN attribution.source ON source.source = log.source
              LEFT JOIN attribution.traits ON traits.traits = log.traits
              LEFT JOIN attribution.signing_key ON signing_key.signing_key = traits.signing_key
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
