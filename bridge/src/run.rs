//! `terdut-bridge run`: wires the parts together and lives until it is asked to end.
//!
//! The order at the end matters: no new pass starts, the running ones finish, and only then is the
//! lease given back.

use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::context::Context;
use crate::controllers::{
    AlertSourceController, DeadmanSwitchController, EscalationRuleController, ServerController,
    TeamController,
};
use crate::engine::Engine;
use crate::events::Events;
use crate::fence::Fence;
use crate::health::{Health, ListenError};
use crate::kube::config::{self, ConfigError};
use crate::kube::{Kube, KubeError};
use crate::lease::Election;
use crate::metrics::Metrics;
use crate::secrets::SecretStore;
use crate::servers::Servers;
use crate::settings::Settings;

/// Enough for passes that wait for others most of the time; more cost memory.
const THREADS: usize = 4;

/// The bridge cannot start.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The runtime or the signals cannot be had.
    #[error("the process cannot be set up")]
    Process(#[source] std::io::Error),
    /// There is no way to the Kubernetes API.
    #[error("the Kubernetes API cannot be reached")]
    Config(#[source] ConfigError),
    /// The clients cannot be made of it.
    #[error("the Kubernetes client cannot be made")]
    Client(#[source] KubeError),
    /// Health and metrics cannot be served.
    #[error("health and metrics cannot be served")]
    Listen(#[source] ListenError),
    /// Deadlines cannot be kept without it.
    #[error("this machine has no clock that runs since boot")]
    Clock,
}

/// Runs until SIGTERM or SIGINT.
pub fn run(settings: Settings) -> Result<(), RunError> {
    // The one that every TLS client here uses. Fails only if one was chosen already.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let threads = std::thread::available_parallelism().map_or(2, usize::from).clamp(2, THREADS);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .map_err(RunError::Process)?;
    runtime.block_on(live(Arc::new(settings)))
}

async fn live(settings: Arc<Settings>) -> Result<(), RunError> {
    let stop = stop_on_signals().map_err(RunError::Process)?;
    let clock = Clock::boot();
    if clock.now() == crate::clock::Moment::default() {
        return Err(RunError::Clock);
    }
    let (fence, metrics) = (Fence::new(clock.clone()), Metrics::new());
    let config = config::load(settings.kubeconfig.as_deref()).await.map_err(RunError::Config)?;
    let kube = Kube::new(&config, &fence, &metrics).map_err(RunError::Client)?;
    let mut engine = Engine::new(
        kube.clone(),
        &settings,
        fence.clone(),
        clock.clone(),
        metrics.clone(),
        stop.clone(),
    );

    let health = Health::new(clock.clone(), engine.stores(), metrics.clone());
    let address = health.clone().serve(settings.listen).map_err(RunError::Listen)?;
    tracing::info!(%address, "listening");
    let heartbeat = tokio::spawn(health.keep_beating());

    let secrets = SecretStore::new(kube.clone(), &settings.namespace);
    let servers =
        Servers::new(&settings, fence.gate(), metrics.observer(), clock.clone(), engine.wake());
    let following = tokio::spawn(secrets.clone().follow(engine.wake()));
    let context = Arc::new(Context {
        secrets,
        servers,
        events: Events::new(kube.clone(), clock.clone(), &settings.identity),
        stores: engine.stores(),
        wake: engine.wake(),
        kube: kube.clone(),
        metrics: metrics.clone(),
        settings: Arc::clone(&settings),
        fence: fence.clone(),
        clock: clock.clone(),
    });
    engine.watch();
    start_controllers(&mut engine, &context);

    let election = Election::new(&kube, &settings, rand::random(), fence, clock, metrics);
    election.run(stop, engine.drained()).await;
    following.abort();
    heartbeat.abort();
    tracing::info!("ended");
    Ok(())
}

/// One controller a kind.
fn start_controllers(engine: &mut Engine, context: &Arc<Context>) {
    engine.control(ServerController::new(Arc::clone(context)));
    engine.control(TeamController::new(Arc::clone(context)));
    engine.control(EscalationRuleController::new(Arc::clone(context)));
    engine.control(DeadmanSwitchController::new(Arc::clone(context)));
    engine.control(AlertSourceController::new(Arc::clone(context)));
}

/// Cancelled by the first signal.
fn stop_on_signals() -> std::io::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let stopper = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tracing::info!("asked to end");
        stopper.cancel();
    });
    Ok(stop)
}
