extension EventName {
    /// The revenue of an event for which a file of another company says no amount.
    ///
    /// It is unknown, since such a condition fits the event with any revenue. It is none (nil) if the vendors document
    /// the event without a value.
    var revenueWithoutAmount: RevenueRange? {
        Self.withoutValue.contains(text) ? nil : .unknown
    }

    /// Standard events that bring no revenue, as their vendors document them: launches, registrations, levels and such.
    ///
    /// Ads, trials, ratings, subscriptions, carts and checkouts are not among them: they may bring some, or have a value of
    /// another kind. Sources: Google, "Automatically collected events" and "Recommended events"; Meta, "App Events
    /// Reference" (events without `valueToSum`); tiktok-business-ios-sdk, TikTokConstants.m; Branch, "Track Branch
    /// Events" (content and lifecycle events). `AppInstall` and `MOBILE_APP_INSTALL` stand in the published examples.
    private static let withoutValue: Set<String> = [
        // Google Analytics and Google Ads.
        "app_open", "app_update", "first_open", "join_group", "level_end", "level_start", "level_up", "login",
        "notification_open", "os_update", "post_score", "screen_view", "search", "select_content", "session_start",
        "share", "sign_up", "tutorial_begin", "tutorial_complete", "unlock_achievement", "user_engagement",
        "view_search_results",
        // Meta.
        "fb_mobile_achievement_unlocked", "fb_mobile_activate_app", "fb_mobile_add_payment_info",
        "fb_mobile_complete_registration", "fb_mobile_level_achieved", "fb_mobile_search",
        "fb_mobile_tutorial_completion",
        // TikTok.
        "AchieveLevel", "AddPaymentInfo", "AppInstall", "CompleteTutorial", "CreateGroup", "CreateRole", "InstallApp",
        "JoinGroup", "LaunchAPP", "Login", "Registration", "Search", "UnlockAchievement",
        // Branch.
        "ACHIEVE_LEVEL", "COMPLETE_REGISTRATION", "COMPLETE_TUTORIAL", "INSTALL", "INVITE", "LOGIN",
        "MOBILE_APP_INSTALL",
        "OPEN", "SEARCH", "SHARE", "UNLOCK_ACHIEVEMENT",
    ]
}
