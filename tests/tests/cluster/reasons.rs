//! Every reason that a condition of a team or of a child may have, and how it ends.
//!
//! The table below is complete: a reason that the bridge knows and that no test shows fails
//! [`every_reason_is_shown`]. Servers' own reasons are shown where servers are.

mod children;
mod refusals;
mod silence;
mod teams;

use terdut_bridge::status::Reason;
use terdut_tests::cluster::Cluster;

/// Makes a test of each function, and the list of the reasons that they show.
macro_rules! shown {
    ($($reason:ident: $module:ident::$test:ident;)*) => {
        const SHOWN: &[&str] = &[$(stringify!($reason)),*];
        $(
            #[tokio::test]
            async fn $test() {
                if let Some(cluster) = Cluster::shared() {
                    $module::$test(cluster).await;
                }
            }
        )*
    };
}

shown! {
    Applied: teams::what_is_applied_says_so;
    Available: children::what_is_there_says_so;
    WaitingForServer: teams::a_team_waits_for_its_server_and_for_its_key;
    RefNotPermitted: teams::a_reference_is_followed_once_it_is_permitted;
    ServerDeleting: teams::below_a_server_that_is_being_deleted_nothing_is_done;
    NameClaimed: teams::a_second_object_for_a_team_changes_nothing_until_the_first_goes;
    NameTaken: teams::a_rename_to_a_name_that_is_taken_waits_for_it;
    NameTaken: children::a_source_of_a_name_that_is_taken_is_never_taken_over;
    AdoptionNotPermitted: teams::a_team_that_is_there_is_adopted_once_that_is_allowed;
    WaitingForTeam: children::a_child_waits_for_its_team;
    TeamAlreadyHasRule: children::the_older_rule_rules_until_it_goes;
    UnknownUser: children::a_person_who_is_unknown_is_waited_for;
    WebhookSecretLost: children::a_lost_webhook_secret_is_not_healed_and_a_lost_label_is;
    ForeignObject: children::a_foreign_secret_of_the_webhooks_name_is_left_alone;
    NamespaceNotGranted: refusals::a_namespace_without_rights_keeps_nobody_else_from_going_on;
    DeletionBlocked: silence::a_blocked_deletion_ends_when_the_server_answers_or_is_given_up;
    Unreachable: silence::a_dead_server_costs_one_probe_and_its_objects_heal;
    Denied: refusals::a_team_key_that_is_refused_is_minted_again;
    Denied: refusals::an_instance_key_that_is_refused_waits_for_another;
    ServerTooOld: refusals::a_server_without_the_route_is_too_old_until_it_has_it;
    Invalid: refusals::what_the_server_refuses_is_invalid_until_it_is_changed;
    Paused: teams::a_paused_object_is_left_alone_and_can_be_deleted;
}

/// What only a `TerdutServer` says.
const OF_SERVERS: &[&str] = &[
    "WaitingForCredential",
    "CredentialNotPermitted",
    "BootstrapStateLost",
    "RotationDenied",
    "RotationNotPossible",
    "DatabaseMissing",
    "PasswordChangedSinceStart",
    "DeploymentUnavailable",
    "RouteKindMissing",
];

#[test]
fn every_reason_is_shown() {
    let known: Vec<_> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    let shown: Vec<_> = SHOWN.iter().chain(OF_SERVERS).copied().collect();
    let missing: Vec<_> = known.iter().filter(|reason| !shown.contains(reason)).collect();
    assert!(missing.is_empty(), "no test shows {missing:?}");
    let unknown: Vec<_> = shown.iter().filter(|reason| !known.contains(reason)).collect();
    assert!(unknown.is_empty(), "the bridge has no {unknown:?}");
}
