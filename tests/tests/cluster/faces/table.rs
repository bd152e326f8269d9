//! Which field of one face is which of another.

/// What a face does not have.
pub(super) const NONE: &str = "–";

/// One kind of object.
pub(super) struct Kind {
    pub(super) title: &'static str,
    /// The CRD's plural.
    pub(super) crd: &'static str,
    /// The resource's type.
    pub(super) terraform: &'static str,
    pub(super) rows: &'static [Row],
}

/// One field.
pub(super) struct Row {
    /// In core's `…Spec`.
    pub(super) core: &'static str,
    pub(super) crd: &'static str,
    pub(super) terraform: &'static str,
    /// In the bodies of the REST API.
    pub(super) rest: &'static str,
}

const fn row(
    core: &'static str,
    crd: &'static str,
    terraform: &'static str,
    rest: &'static str,
) -> Row {
    Row { core, crd, terraform, rest }
}

const DELETION: Row = row(NONE, "spec.deletionPolicy", NONE, NONE);
const CONDITIONS: Row = row(NONE, "status.conditions", NONE, NONE);
const GENERATION: Row = row(NONE, "status.observedGeneration", NONE, NONE);
const ADOPT: Row = row(NONE, NONE, "adopt_existing", NONE);
const TIMEOUTS: Row = row(NONE, NONE, "timeouts", NONE);
const ROTATE: Row = row(NONE, NONE, "rotate_when_changed", NONE);

pub(super) const TABLE: &[Kind] = &[
    Kind {
        title: "Team",
        crd: "terdutteams",
        terraform: "terdut_team",
        rows: &[
            row("name", "spec.displayName", "name", "`name` of Team"),
            row(
                "oidc.memberGroup",
                "spec.oidc.memberGroup",
                "oidc.member_group",
                "`member_group` put to `oidc-groups`, `oidc_member_group` of Team",
            ),
            row(
                "oidc.ownerGroup",
                "spec.oidc.ownerGroup",
                "oidc.owner_group",
                "`owner_group` put to `oidc-groups`, `oidc_owner_group` of Team",
            ),
            row(NONE, "status.teamID", "id", "`id` of Team"),
            row(NONE, "spec.serverRef.name", NONE, NONE),
            row(NONE, "spec.serverRef.namespace", NONE, NONE),
            row(NONE, "status.credentialsSecretRef.name", NONE, NONE),
            row(NONE, "status.credentialsSecretRef.key", NONE, NONE),
            DELETION,
            CONDITIONS,
            GENERATION,
            ADOPT,
            TIMEOUTS,
        ],
    },
    Kind {
        title: "Escalation rule",
        crd: "terdutescalationrules",
        terraform: "terdut_escalation_rule",
        rows: &[
            row("team", "spec.teamRef.name", "team_id", "the path"),
            row("repeatCount", "spec.repeatCount", "repeat_count", "`repeat_count` of Policy"),
            row(
                "fallbackTopic",
                "spec.fallbackTopic",
                "fallback_topic",
                "`fallback_topic` of Policy",
            ),
            row(
                "levels[].timeout",
                "spec.levels[].timeout",
                "levels[].timeout",
                "`levels[].timeout` of Policy",
            ),
            row(
                "levels[].targets[].kind",
                "spec.levels[].targets[].kind",
                "levels[].targets[].kind",
                "`levels[].targets[].kind` of Policy",
            ),
            row(
                "levels[].targets[].username",
                "spec.levels[].targets[].username",
                "levels[].targets[].username",
                "`levels[].targets[].user_id` of Policy",
            ),
            row(NONE, NONE, "id", "the team's `id`"),
            DELETION,
            CONDITIONS,
            GENERATION,
            ADOPT,
            TIMEOUTS,
        ],
    },
    Kind {
        title: "Dead man's switch",
        crd: "terdutdeadmanswitches",
        terraform: "terdut_deadman_switch",
        rows: &[
            row("team", "spec.teamRef.name", "team_id", "the path"),
            row("name", "spec.name", "name", "`name` of Switch"),
            row("matcher", "spec.matcher", "matcher", "`matcher` of Switch"),
            row("timeout", "spec.timeout", "timeout", "`timeout` of Switch"),
            row("severity", "spec.severity", "severity", "`severity` of Switch"),
            row(NONE, "status.switchID", "id", "`id` of Switch"),
            row(NONE, "status.applied.name", NONE, NONE),
            row(NONE, "status.applied.matcher", NONE, NONE),
            row(NONE, "status.applied.timeout", NONE, NONE),
            row(NONE, "status.applied.severity", NONE, NONE),
            DELETION,
            CONDITIONS,
            GENERATION,
            ADOPT,
            TIMEOUTS,
        ],
    },
    Kind {
        title: "Alert source",
        crd: "terdutalertsources",
        terraform: "terdut_alert_source",
        rows: &[
            row("team", "spec.teamRef.name", "team_id", "the path"),
            row("kind", "spec.kind", "kind", "`kind` of Integration"),
            row("name", "spec.name", "name", "`name` of Integration"),
            row(NONE, "status.integrationID", "id", "`id` of Integration"),
            row(
                NONE,
                "status.webhookURLSecretRef.name",
                "webhook_url",
                "`url` of the new Integration",
            ),
            row(NONE, NONE, "key", "`key` of the new Integration"),
            ROTATE,
            DELETION,
            CONDITIONS,
            GENERATION,
            ADOPT,
            TIMEOUTS,
        ],
    },
    Kind {
        title: "User",
        crd: NONE,
        terraform: "terdut_user",
        rows: &[
            row("username", NONE, "username", "`username` of User"),
            row("email", NONE, "email", "`email` of User"),
            row("ntfyTopic", NONE, "ntfy_topic", "`ntfy_topic` of User"),
            row(NONE, NONE, "id", "`id` of User"),
            ADOPT,
            TIMEOUTS,
        ],
    },
    Kind {
        title: "Service account",
        crd: NONE,
        terraform: "terdut_service_account",
        rows: &[
            row("name", NONE, "name", "`name` of ServiceAccount"),
            row("scope", NONE, "scope", "`scope` of ServiceAccount"),
            row("teamId", NONE, "team_id", "`team_id` of ServiceAccount"),
            row(NONE, NONE, "id", "`id` of ServiceAccount"),
            ADOPT,
            TIMEOUTS,
        ],
    },
    Kind {
        title: "Service account key",
        crd: NONE,
        terraform: "terdut_service_account_key",
        rows: &[
            row("serviceAccountId", NONE, "service_account_id", "the path"),
            row("name", NONE, "name", "`name` of ApiKey"),
            row(NONE, NONE, "id", "`id` of ApiKey"),
            row(NONE, NONE, "token", "`key` of the new ApiKey"),
            row(NONE, NONE, "created_at", "`created_at` of ApiKey"),
            ROTATE,
            TIMEOUTS,
        ],
    },
    Kind {
        title: "A server's own key",
        crd: NONE,
        terraform: "terdut_server",
        rows: &[
            row("url", NONE, "url", NONE),
            row("adminTokenWo", NONE, "admin_token_wo", "the Authorization header"),
            row("adminTokenWoVersion", NONE, "admin_token_wo_version", NONE),
            row("adminToken", NONE, "admin_token", "the Authorization header"),
            row("bootstrap.username", NONE, "bootstrap.username", "`username` of UserCreate"),
            row("bootstrap.email", NONE, "bootstrap.email", "`email` of UserCreate"),
            row("bootstrap.passwordWo", NONE, "bootstrap.password_wo", "`password`"),
            row("bootstrap.password", NONE, "bootstrap.password", "`password`"),
            row("keepBootstrapToken", NONE, "keep_bootstrap_token", NONE),
            row("serviceAccountName", NONE, "service_account_name", "`name` of ServiceAccount"),
            row("rotateWhenChanged", NONE, "rotate_when_changed", NONE),
            row("adoptExisting", NONE, "adopt_existing", NONE),
            row(NONE, NONE, "id", NONE),
            row(NONE, NONE, "service_account_id", "`id` of ServiceAccount"),
            row(
                NONE,
                NONE,
                "token",
                "`key.key` of the new ServiceAccount, `key` of the new ApiKey",
            ),
            row(NONE, NONE, "token_key_id", "`id` of ApiKey"),
            row(NONE, NONE, "previous_key_id", "`id` of ApiKey"),
            row(NONE, NONE, "bootstrap_token", "`api_key.key` of the bootstrap"),
            row(NONE, NONE, "bootstrapped", NONE),
            TIMEOUTS,
        ],
    },
];
