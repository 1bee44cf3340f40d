import PostgresClient

/// The statements about tokens of Apple Ads.
///
/// Times are those of the database's clock: servers compare them with each other's.
enum AppleAdsStatements {
    /// Stores tokens that are not known: neither as a row, nor as an attribution that outlived its row.
    ///
    /// Parameters: digests, tokens, apps.
    static let add = PostgresStatement(
        "apple_ads_add",
        """
        INSERT INTO attribution.apple_ads_token (digest, token, advertised_app_id, state, received_at, next_at)
        SELECT digest, token, app, 'waiting', now(), now()
          FROM (SELECT DISTINCT ON (digest) digest, token, app
                  FROM unnest($1::bytea[], $2::text[], $3::bigint[]) WITH ORDINALITY AS one (digest, token, app, place)
                 ORDER BY digest, place) AS offered
         WHERE NOT EXISTS (SELECT FROM attribution.apple_ads_attribution AS known
                            WHERE known.digest = offered.digest)
         ORDER BY digest
        ON CONFLICT (digest) DO NOTHING
        """)

    /// Gives up tokens that Apple does not take any more.
    static let expire = PostgresStatement(
        "apple_ads_expire",
        """
        UPDATE attribution.apple_ads_token SET state = 'dead', token = NULL, reason = 'expired'
         WHERE digest IN (SELECT digest FROM attribution.apple_ads_token
                           WHERE state = 'waiting' AND received_at < now() - interval '24 hours'
                             FOR UPDATE SKIP LOCKED)
        """)

    /// Takes tokens that are due for a minute, which is longer than a request can take.
    ///
    /// MATERIALIZED: so that rows are chosen once.
    static let claim = PostgresStatement(
        "apple_ads_claim",
        """
        WITH due AS MATERIALIZED (
            SELECT digest
              FROM attribution.apple_ads_token
             WHERE state = 'waiting' AND next_at <= now()
             ORDER BY next_at
             LIMIT $1::bigint
               FOR UPDATE SKIP LOCKED
        )
        UPDATE attribution.apple_ads_token AS claimed
           SET attempts = attempts + 1, next_at = now() + interval '60 s'
          FROM due
         WHERE claimed.digest = due.digest
        RETURNING claimed.digest, claimed.token, claimed.attempts, claimed.misses
        """)

    /// Stores what Apple said, if nobody else did meanwhile, and removes the token.
    ///
    /// Parameters: the digest, the members of the record, and whether another server than Apple's said it.
    static let record = PostgresStatement(
        "apple_ads_record",
        """
        WITH done AS (
            UPDATE attribution.apple_ads_token SET state = 'done', token = NULL, reason = NULL
             WHERE digest = $1 AND state = 'waiting'
            RETURNING digest, advertised_app_id, received_at
        )
        INSERT INTO attribution.apple_ads_attribution (
            digest, day, advertised_app_id, is_attributed, org_id, campaign_id, ad_group_id, keyword_id, ad_id,
            country_or_region, conversion_type, claim_type, supply_placement, ad_day, is_test)
        SELECT digest, attribution.day_of(received_at), advertised_app_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
               $13
          FROM done
        ON CONFLICT (digest) DO NOTHING
        """)

    /// Gives a token up.
    static let kill = PostgresStatement(
        "apple_ads_kill",
        """
        UPDATE attribution.apple_ads_token SET state = 'dead', token = NULL, reason = $2
         WHERE digest = $1 AND state = 'waiting'
        """)

    /// Lets a token wait for so many milliseconds.
    static let postpone = PostgresStatement(
        "apple_ads_postpone",
        """
        UPDATE attribution.apple_ads_token
           SET next_at = now() + $2::bigint * interval '1 ms', misses = misses + $3::smallint, reason = $4
         WHERE digest = $1 AND state = 'waiting'
        """)

    /// How many tokens wait, and for how many seconds the oldest does.
    static let backlog = PostgresStatement(
        "apple_ads_backlog",
        """
        SELECT count(*), coalesce(extract(epoch FROM now() - min(received_at)), 0)::double precision
          FROM attribution.apple_ads_token
         WHERE state = 'waiting'
        """)

    /// Removes rows of tokens that are exchanged or dead, a week after they came.
    static let drop = PostgresStatement(
        "apple_ads_drop",
        """
        DELETE FROM attribution.apple_ads_token
         WHERE digest IN (SELECT digest FROM attribution.apple_ads_token
                           WHERE state IN ('done', 'dead') AND received_at < now() - interval '7 days'
                           LIMIT $1::bigint
                             FOR UPDATE SKIP LOCKED)
        """)
}
