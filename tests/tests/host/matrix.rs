//! One test a kind for each matrix, so that a failure names its kind.

/// Makes a test for each kind of a function that takes a scene and a kind.
macro_rules! for_each_kind {
    ($matrix:ident) => {
        for_each_kind! { $matrix:
            team, escalation_rule, deadman_switch, alert_source, user, service_account,
            service_account_key
        }
    };
    ($matrix:ident: $($kind:ident),+) => {
        mod $matrix {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $kind() {
                    let scene = crate::scene::Scene::start().await;
                    let kind = scene.kind(concat!("terdut_", stringify!($kind)));
                    super::$matrix(scene, kind).await;
                }
            )+
        }
    };
}
