import PostgresClient

/// The statements that look at a Citus cluster and distribute the tables.
enum ClusterStatements {
    /// Whether the extension is in this database.
    static let hasExtension = PostgresStatement(
        "cluster_extension", "SELECT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus')")

    /// Whether this node is the coordinator, and whether the other nodes know it.
    static let coordinator = PostgresStatement(
        "cluster_coordinator",
        """
        SELECT (SELECT groupid FROM pg_dist_local_group) = 0, EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0)
        """)

    /// The nodes that can have shards.
    static let workers = PostgresStatement(
        "cluster_workers",
        """
        SELECT nodename || ':' || nodeport
          FROM pg_dist_node
         WHERE isactive AND noderole = 'primary' AND shouldhaveshards AND metadatasynced
         ORDER BY nodeid
        """)

    /// A setting of each node; NULL if the node can't be reached.
    ///
    /// Parameter: the name of the setting.
    static let setting = PostgresStatement(
        "cluster_setting",
        """
        SELECT nodename || ':' || nodeport, CASE WHEN success THEN result END
          FROM run_command_on_all_nodes(format('SELECT current_setting(%L)', $1::text))
          JOIN pg_dist_node USING (nodeid)
         ORDER BY nodeid
        """)

    /// How many other sessions of servers and commands this database has.
    static let sessions = PostgresStatement(
        "cluster_sessions",
        """
        SELECT count(*)
          FROM pg_catalog.pg_stat_activity
         WHERE datname = current_database() AND application_name = current_setting('application_name')
           AND pid <> pg_backend_pid()
        """)

    /// Whether each of so many shards has exactly one of the lanes.
    static let lanesFit = PostgresStatement(
        "cluster_lanes_fit",
        """
        SELECT count(*) = $1 AND count(DISTINCT least((worker_hash(lane)::bigint + 2147483648) / (4294967296 / $1), $1 - 1))
                                 = $1
          FROM attribution.lane
         WHERE NOT is_closed
        """)

    /// The number of postbacks, from the daily figures: each postback is in one row.
    static let postbacks = PostgresStatement(
        "cluster_postbacks",
        "SELECT coalesce(sum(postbacks), 0)::bigint FROM attribution.conversion_value_figure")

    static let undistribute = PostgresStatement("cluster_undistribute", "SELECT attribution.undistribute()")

    /// Parameter: the number of lanes.
    static let changeLanes = PostgresStatement(
        "cluster_change_lanes", "SELECT attribution.change_lanes(attribution.lanes_of_shards($1::integer))")

    /// Parameter: the number of shards.
    static let distribute = PostgresStatement("cluster_distribute", "SELECT attribution.distribute($1::integer)")

    /// Removes the rows that stayed on the coordinator when the tables were distributed.
    static let truncate = PostgresStatement(
        "cluster_truncate",
        """
        SELECT truncate_local_data_after_distributing_table(('attribution.' || name)::regclass)
          FROM attribution.distributed_tables() AS distributed (name)
        """)

    /// How many rows of figures differ from the postbacks, and a digest of these rows.
    static let recount = PostgresStatement(
        "cluster_recount",
        """
        SELECT count(*), coalesce(md5(string_agg(difference, ' ' ORDER BY difference)), '')
          FROM (SELECT concat_ws(' ', table_name, key, stored::text, recounted::text) AS difference
                  FROM attribution.recount) AS found
        """)
}
