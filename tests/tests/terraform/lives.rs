//! The kinds' lives, and a test for each kind with each program.

use terdut_tests::harness::Program;

use crate::case::Case;
use crate::life::live;

macro_rules! lives {
    ($($kind:ident),+) => {$(
        mod $kind {
            use super::*;

            #[tokio::test(flavor = "multi_thread")]
            async fn lives_with_terraform() {
                if let Some(program) = Program::terraform() {
                    live(&program, &super::$kind()).await;
                }
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn lives_with_opentofu() {
                if let Some(program) = Program::opentofu() {
                    live(&program, &super::$kind()).await;
                }
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn lives_with_the_oldest_terraform() {
                if let Some(program) = Program::oldest() {
                    live(&program, &super::$kind()).await;
                }
            }
        }
    )+};
}

lives!(
    team,
    escalation_rule,
    deadman_switch,
    alert_source,
    user,
    service_account,
    service_account_key
);

const TEAMS: &str = r#"
resource "terdut_team" "one" { name = "One / 100%" }
resource "terdut_team" "two" { name = "Two" }
"#;

const TEAM_IMPORTS: &[(&str, &str)] =
    &[("terdut_team.one", "name=One %2F 100%25"), ("terdut_team.two", "{id}")];

const RULE_IMPORTS: &[(&str, &str)] =
    &[TEAM_IMPORTS[0], TEAM_IMPORTS[1], ("terdut_user.a", "name=alice")];

fn team() -> Case {
    let config = |body: &str| format!("resource \"terdut_team\" \"it\" {{\n{body}\n}}\n");
    let groups = "oidc = {\n  member_group = \"m\"\n  owner_group = \"o\"\n}";
    Case::new("terdut_team.it", config(&format!("name = \"Platform\"\n{groups}")))
        .updates("name", config(&format!("name = \"Core\"\n{groups}")))
        .updates(
            "oidc.member_group",
            config("name = \"Core\"\noidc = {\n  member_group = \"n\"\n  owner_group = \"o\"\n}"),
        )
        .updates(
            "oidc.owner_group",
            config("name = \"Core\"\noidc = {\n  member_group = \"n\"\n  owner_group = \"\"\n}"),
        )
        .updates("oidc", config("name = \"Core\""))
        .updates("oidc of nothing", config("name = \"Core\"\noidc = {}"))
        .updates("timeouts", config("name = \"Core\"\ntimeouts = {\n  create = \"1m\"\n}"))
        .updates("adopt_existing", config("name = \"Core\"\nadopt_existing = true"))
        .imported(&["{id}", "name=Platform"], &[])
}

fn escalation_rule() -> Case {
    let config = |team: &str, repeat: &str, topic: &str, levels: &str| {
        format!(
            "{TEAMS}\nresource \"terdut_user\" \"a\" {{\n  username = \"alice\"\n  email = \
             \"alice@example.com\"\n}}\nresource \"terdut_escalation_rule\" \"it\" {{\n  team_id = \
             terdut_team.{team}.id\n{repeat}\n{topic}\n  levels = [{levels}]\n}}\n"
        )
    };
    let level = |timeout: &str, targets: &str| {
        format!("{{ timeout = \"{timeout}\", targets = [{targets}] }},")
    };
    let user = "{ kind = \"user\", username = terdut_user.a.username }";
    let oncall = "{ kind = \"oncall\" }";
    let (repeat, topic) = ("repeat_count = 2", "fallback_topic = \"t\"");
    let levels = level("60m", oncall);
    Case::new("terdut_escalation_rule.it", config("one", repeat, topic, &levels))
        .updates("repeat_count", config("one", "repeat_count = 3", topic, &levels))
        .updates("repeat_count's default", config("one", "", topic, &levels))
        .updates("fallback_topic", config("one", "", "fallback_topic = \"u\"", &levels))
        .updates("no fallback_topic", config("one", "", "", &levels))
        .updates("levels.timeout", config("one", "", "", &level("2h", oncall)))
        .updates("levels.targets", config("one", "", "", &level("2h", user)))
        .updates(
            "another level",
            config("one", "", "", &format!("{}{}", level("2h", user), level("5m", oncall))),
        )
        .replaces("team_id", config("two", repeat, topic, &levels), &["team_id"], "")
        .imported(&["{team_id}", "name=One %2F 100%25"], RULE_IMPORTS)
}

fn deadman_switch() -> Case {
    let config = |team: &str, name: &str, matcher: &str, timeout: &str, severity: &str| {
        format!(
            "{TEAMS}\nresource \"terdut_deadman_switch\" \"it\" {{\n  team_id = \
             terdut_team.{team}.id\n  name = \"{name}\"\n  matcher = \"{matcher}\"\n  timeout = \
             \"{timeout}\"\n{severity}\n}}\n"
        )
    };
    let (first, second) = ("alertname=Watchdog, cluster=prod", "alertname=Watchdog");
    let low = "severity = \"warning\"";
    let says = "Not watched";
    Case::new("terdut_deadman_switch.it", config("one", "w", first, "60m", ""))
        .replaces("name", config("one", "v", first, "60m", ""), &["name"], says)
        .replaces("matcher", config("one", "v", second, "60m", ""), &["matcher"], says)
        .replaces("timeout", config("one", "v", second, "30m", ""), &["timeout"], says)
        .replaces("severity", config("one", "v", second, "30m", low), &["severity"], says)
        .replaces("team_id", config("two", "v", second, "30m", low), &["team_id"], says)
        .imported(&["{team_id}/{id}", "name=One %2F 100%25/name=w"], TEAM_IMPORTS)
}

fn alert_source() -> Case {
    let config = |team: &str, name: &str, rotate: &str| {
        format!(
            "{TEAMS}\nresource \"terdut_alert_source\" \"it\" {{\n  team_id = \
             terdut_team.{team}.id\n  name = \"{name}\"\n{rotate}\n}}\n"
        )
    };
    let (one, two) = ("rotate_when_changed = { n = \"1\" }", "rotate_when_changed = { n = \"2\" }");
    let lost = "sends to the old URL is refused until it is given the new one";
    Case::new("terdut_alert_source.it", config("one", "prod", ""))
        .updates("name", config("one", "production", ""))
        .updates("rotate_when_changed from nothing", config("one", "production", one))
        .replaces(
            "rotate_when_changed",
            config("one", "production", two),
            &["rotate_when_changed"],
            lost,
        )
        .replaces("team_id", config("two", "production", two), &["team_id"], lost)
        .imported(&["{team_id}/{id}", "name=One %2F 100%25/name=prod"], TEAM_IMPORTS)
}

fn user() -> Case {
    let config = |name: &str, email: &str, topic: &str| {
        format!(
            "resource \"terdut_user\" \"it\" {{\n  username = \"{name}\"\n  email = \
             \"{email}\"\n{topic}\n}}\n"
        )
    };
    Case::new("terdut_user.it", config("bob", "Bob@example.com", ""))
        .updates("ntfy_topic", config("bob", "Bob@example.com", "ntfy_topic = \"t\""))
        .updates("no ntfy_topic", config("bob", "Bob@example.com", "ntfy_topic = \"\""))
        .replaces("email", config("bob", "b@example.com", ""), &["email"], "schedule")
        .replaces("username", config("rob", "b@example.com", ""), &["username"], "schedule")
        .imported(&["{id}", "name=bob"], &[])
}

fn service_account() -> Case {
    let config = |name: &str, scope: &str, team: &str| {
        format!(
            "{TEAMS}\nresource \"terdut_service_account\" \"it\" {{\n  name = \"{name}\"\n  scope \
             = \"{scope}\"\n{team}\n}}\n"
        )
    };
    let (one, two) = ("team_id = terdut_team.one.id", "team_id = terdut_team.two.id");
    Case::new("terdut_service_account.it", config("ci", "team", one))
        .replaces("name", config("cd", "team", one), &["name"], "")
        .replaces("team_id", config("cd", "team", two), &["team_id"], "")
        .replaces("scope", config("cd", "instance", ""), &["scope", "team_id"], "")
        .imported(&["{id}", "name=ci"], TEAM_IMPORTS)
}

fn service_account_key() -> Case {
    let config = |account: &str, name: &str, rotate: &str| {
        format!(
            "resource \"terdut_service_account\" \"a\" {{\n  name = \"a\"\n  scope = \
             \"instance\"\n}}\nresource \"terdut_service_account\" \"b\" {{\n  name = \"b\"\n  \
             scope = \"instance\"\n}}\nresource \"terdut_service_account_key\" \"it\" {{\n  \
             service_account_id = terdut_service_account.{account}.id\n{name}\n{rotate}\n}}\n"
        )
    };
    let (one, two) = ("rotate_when_changed = { n = \"1\" }", "rotate_when_changed = { n = \"2\" }");
    let named = "name = \"ci\"";
    Case::new("terdut_service_account_key.it", config("a", "", ""))
        .replaces("name", config("a", named, ""), &["name"], "")
        .updates("rotate_when_changed from nothing", config("a", named, one))
        .replaces("rotate_when_changed", config("a", named, two), &["rotate_when_changed"], "")
        .replaces("service_account_id", config("b", named, two), &["service_account_id"], "")
        .imported(
            &["{service_account_id}/{id}", "name=a/name=terraform"],
            &[("terdut_service_account.a", "name=a"), ("terdut_service_account.b", "{id}")],
        )
}
