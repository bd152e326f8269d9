//! One running simulator. Tests and the program start it; dropping it must never leave a thread or
//! a socket.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::admin;
use crate::fault::{Fault, FaultState};
use crate::log::Logged;
use crate::options::{Assumptions, Options};
use crate::server;
use crate::shared::{Restart, Shared, World, lock};
use crate::state::State;
use crate::store::{Store, Tables};

/// A server of its own: own port, own store, own thread. It works from tests with and without a
/// runtime, and ends when it is dropped.
#[derive(Debug)]
pub struct Simulator {
    shared: Arc<Shared>,
    url: String,
    admin_url: Option<String>,
    thread: Option<JoinHandle<()>>,
}

/// The sockets that a simulator listens on.
struct Sockets {
    api: TcpListener,
    address: SocketAddr,
    admin: Option<TcpListener>,
    restarts: UnboundedReceiver<Restart>,
}

impl Simulator {
    /// Starts one.
    ///
    /// # Panics
    /// If it cannot listen or the state file cannot be read; [`Simulator::try_start`] says why.
    pub fn start(options: Options) -> Self {
        match Self::try_start(options) {
            Ok(simulator) => simulator,
            Err(error) => panic!("the simulator does not start: {error}"),
        }
    }

    /// Starts one.
    pub fn try_start(options: Options) -> io::Result<Self> {
        let api = bind(options.listen)?;
        let address = api.local_addr()?;
        let admin = options.admin.map(bind).transpose()?;
        let admin_url = admin.as_ref().map(url_of).transpose()?;
        let url = format!("http://{address}");
        let (sender, restarts) = unbounded_channel();
        let shared = Arc::new(share(options, &url, sender)?);
        let sockets = Sockets { api, address, admin, restarts };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let running = Arc::clone(&shared);
        let run = move || serve(&runtime, running, sockets);
        let thread = thread::Builder::new().name("terdut-simulator".to_owned()).spawn(run)?;
        Ok(Self { shared, url, admin_url, thread: Some(thread) })
    }

    /// The address of the API, as `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address of the admin port.
    pub fn admin_url(&self) -> Option<&str> {
        self.admin_url.as_deref()
    }

    /// Looks at the store and changes it past the API.
    pub fn state(&self) -> State<'_> {
        State::new(&self.shared)
    }

    /// Makes a person with an admin key, past the bootstrap; the key.
    pub fn seed_admin(&self) -> String {
        self.shared.seed_admin()
    }

    /// Adds a rule to the script.
    pub fn fault(&self, fault: Fault) {
        lock(&self.shared.faults).add(fault);
    }

    /// The rules with how often they were met.
    pub fn faults(&self) -> Vec<FaultState> {
        lock(&self.shared.faults).rules().to_vec()
    }

    /// Removes all rules.
    pub fn clear_faults(&self) {
        lock(&self.shared.faults).clear();
    }

    /// All requests since the start or the last clearing.
    pub fn requests(&self) -> Vec<Logged> {
        lock(&self.shared.log).rows().to_vec()
    }

    /// How many requests of a method and route there were; `*` is any.
    pub fn count(&self, method: &str, route: &str) -> usize {
        let log = lock(&self.shared.log);
        log.rows().iter().filter(|request| request.is(method, route)).count()
    }

    /// Forgets the requests.
    pub fn clear_requests(&self) {
        lock(&self.shared.log).clear();
    }

    /// Changes the assumed behaviours from now on.
    pub fn assume(&self, change: impl FnOnce(&mut Assumptions)) {
        change(&mut self.shared.world().assumptions);
    }

    /// Drops every connection; the store stays.
    pub fn restart(&self) {
        self.restart_after(Duration::ZERO);
    }

    /// Drops every connection, and refuses new ones for a while; the store stays. Returns when the
    /// downtime has begun.
    pub fn restart_after(&self, downtime: Duration) {
        let begun = self.shared.restart(downtime);
        let _ = begun.recv_timeout(Duration::from_secs(5));
    }

    /// Ends a downtime, be it one of [`crate::Action::Leave`]. Returns when it listens again.
    pub fn come_back(&self) {
        self.shared.come_back();
        let limit = Instant::now() + Duration::from_secs(5);
        while !self.shared.listening.load(Ordering::Acquire) && Instant::now() < limit {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.shared.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn url_of(listener: &TcpListener) -> io::Result<String> {
    Ok(format!("http://{}", listener.local_addr()?))
}

fn share(
    options: Options,
    url: &str,
    restarts: tokio::sync::mpsc::UnboundedSender<Restart>,
) -> io::Result<Shared> {
    let loaded = options.state_file.as_deref().map(Tables::load).transpose()?;
    let tables = loaded.unwrap_or_default();
    let store = Store::new(tables, options.clock, options.seed, options.first_id);
    let stop = CancellationToken::new();
    let public = options.public_url.as_deref().unwrap_or(url);
    Ok(Shared {
        world: Mutex::new(World { store, assumptions: options.assumptions }),
        faults: Mutex::default(),
        log: Mutex::default(),
        base: public.trim_end_matches('/').to_owned(),
        latency: options.latency,
        state_file: options.state_file,
        generation: Mutex::new(stop.child_token()),
        stop,
        restarts,
        listening: AtomicBool::new(true),
        back: Notify::new(),
        recent: Mutex::default(),
        started: Instant::now(),
    })
}

/// Runs on the simulator's thread until it is stopped.
fn serve(runtime: &Runtime, shared: Arc<Shared>, sockets: Sockets) {
    runtime.block_on(async move {
        if let Some(listener) = sockets.admin {
            tokio::spawn(admin::serve(Arc::clone(&shared), listener));
        }
        match tokio::net::TcpListener::from_std(sockets.api) {
            Ok(listener) => {
                let router = server::router(Arc::clone(&shared));
                server::accept::run(shared, router, listener, sockets.address, sockets.restarts)
                    .await;
            }
            Err(error) => tracing::error!(%error, "the simulator cannot listen"),
        }
    });
}
