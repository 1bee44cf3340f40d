import AdAttribution
import PostbackStore
import PostgresClient

/// The statements that read the log.
///
/// They name the partition of one day, so that no other partition is locked or opened. Everything else is bound.
enum LogStatements {
    /// The lanes, their days of writing, whether they are closed, and the last places that were dropped.
    static let lanes = PostgresStatement(
        "log_lanes",
        """
        SELECT lane.lane, lane_day.day, lane.is_closed, dropped.position, dropped.ordinal
          FROM attribution.lane
          JOIN attribution.lane_day ON lane_day.lane = lane.lane
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
    static let planning = planning("log_planning", "force_generic_plan")

    /// The same, but each plan is made for the values of its parameters.
    ///
    /// Citus can't plan a statement that reads several lanes in another way.
    static let planningOnce = planning("log_planning_once", "force_custom_plan")

    private static func planning(_ name: StaticString, _ mode: String) -> PostgresStatement {
        PostgresStatement(
            name,
            """
            SELECT set_config('plan_cache_mode', '\(mode)', true), set_config('jit', 'off', true),
                   set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
                   set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true),
                   set_config('enable_mergejoin', 'off', true)
            """)
    }

    /// The next events of a lane in one day.
    ///
    /// Parameters: the lane, position and ordinal, the greatest number of events.
    static func events(_ day: PostgresDate) -> PostgresStatement {
        PostgresStatement(
            "log_events",
            """
            SELECT \(LogRow.columns)
              FROM attribution.\(WritingDay.logPartition(day)) AS log
             WHERE \(behindPlace)
             ORDER BY log.position, log.ordinal
             LIMIT $4::bigint
            """)
    }

    /// The last event of a lane in one day.
    ///
    /// The parameters are those of `events`.
    static func last(_ day: PostgresDate) -> PostgresStatement {
        PostgresStatement(
            "log_last",
            """
            SELECT log.lane, log.position, log.ordinal
              FROM attribution.\(WritingDay.logPartition(day)) AS log
             WHERE \(behindPlace)
             ORDER BY log.position DESC, log.ordinal DESC
             LIMIT least($4::bigint, 1)
            """)
    }

    /// The lane, if it has an event at its place.
    ///
    /// The parameters are those of `events`.
    static func present(_ day: PostgresDate) -> PostgresStatement {
        PostgresStatement(
            "log_present",
            """
            SELECT log.lane
              FROM attribution.\(WritingDay.logPartition(day)) AS log
             WHERE log.lane = $1::smallint AND log.position = $2::bigint AND log.ordinal = $3::smallint
             LIMIT least($4::bigint, 1)
            """)
    }

    /// The bodies of runs of places in one day.
    ///
    /// Parameters: lanes, then positions and ordinals of the first and of the last places of the runs.
    ///
    /// - Parameter withOrigin: Whether source addresses and User-Agents are read too.
    static func bodies(_ day: PostgresDate, withOrigin: Bool) -> PostgresStatement {
        PostgresStatement(
            "log_bodies",
            """
            SELECT body.transaction_id, body.position, body.ordinal, body.payload\(
                withOrigin ? ", host(body.source_address), body.user_agent" : "")
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

    /// The domains of sources.
    static let domains = PostgresStatement(
        "log_domains", "SELECT source, source_domain FROM attribution.source WHERE source = ANY ($1::bigint[])")

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

    /// The lane and the age of its next event, in seconds; no row without more events in this day.
    ///
    /// All events of a position were written at the same time.
    static func ages(_ day: PostgresDate) -> PostgresStatement {
        PostgresStatement(
            "log_ages",
            """
            SELECT log.lane, extract(epoch FROM clock_timestamp() - log.written_at)::float8
              FROM attribution.\(WritingDay.logPartition(day)) AS log
             WHERE \(behindPlace)
             ORDER BY log.position
             LIMIT least($4::bigint, 1)
            """)
    }

    /// The condition on the position alone follows from the last one.
    ///
    /// It is needed because the index does not contain the ordinal.
    private static let behindPlace = """
        log.lane = $1::smallint AND log.position >= $2::bigint
        AND (log.position, log.ordinal) > ($2::bigint, $3::smallint)
        """
}
