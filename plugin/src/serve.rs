//! The process side of a plugin: from the host's environment to an orderly end.
//!
//! A provider's `main` calls [`serve`] with the engine's [`Provider`] service and returns the exit
//! code it gets. [`run`] is the same without the process around it (no real environment, standard
//! output or signals), for tests and for hosts in the same process.
//!
//! Standard output belongs to the host: exactly one line is ever written to it, by [`run`]. This
//! module knows no value, schema or resource, and never ends the process by itself.

mod accept;
mod announce;
mod broker;
mod controller;
mod end;
mod error;
mod host;
mod listen;
pub mod log;
mod pin;
mod services;
mod signals;
mod stdio;
mod tls;

use std::future::Future;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use terdut_proto::tfplugin6::provider_server::Provider;

use end::Ending;
use listen::Listener;

pub use announce::reattach_variable;
pub use error::ServeError;
pub use host::{Host, MAGIC_COOKIE, MAGIC_COOKIE_KEY};
pub use log::Mask;

/// Threads that answer calls. Providers wait for servers most of the time, and each thread costs
/// start-up time in a process which may live for a tenth of a second.
const WORKERS: usize = 2;

/// What a provider says about itself to the process side.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The provider's short name, such as `terdut`; also names its own log level variable.
    pub name: &'static str,
    /// The source addresses under which hosts know the provider, for `debug`.
    pub addresses: Vec<String>,
    /// The crates (by the first segment of a log target) whose events are worth logging below
    /// warnings. The framework's own is always among them.
    pub log_targets: Vec<&'static str>,
    /// Secrets that no log line may show. The provider keeps a clone and adds to it.
    pub mask: Mask,
    /// Wait for a debugger's host instead of being started by one: no handshake, no encryption,
    /// and Ctrl-C ends it.
    pub debug: bool,
}

impl ServeOptions {
    /// A provider of this short name, known to both public registries by its namespace and type.
    pub fn new(name: &'static str, source: &str) -> Self {
        Self {
            name,
            addresses: crate::registries::addresses(source).to_vec(),
            log_targets: Vec::new(),
            mask: Mask::new(),
            debug: false,
        }
    }
}

/// Serves `provider` to the host which started this process, until that host (or a signal) ends it.
///
/// Answers the exit code for `main` to return: 0 after an orderly end, 1 when there is nobody to
/// serve or serving is impossible, explained on standard error.
pub fn serve<P: Provider>(provider: P, options: &ServeOptions) -> ExitCode {
    let host = match Host::from_vars(|name| std::env::var_os(name)) {
        Ok(host) => host,
        Err(error) => return fail(&error),
    };
    if !options.debug && !host.knows_plugins() {
        return explain(options.name);
    }
    log::start(options, |name| std::env::var(name).ok());
    match serve_host(provider, &host, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn serve_host<P: Provider>(
    provider: P,
    host: &Host,
    options: &ServeOptions,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()
        .map_err(ServeError::Runtime)?;
    let result = runtime.block_on(async {
        let stop = signals::stop(options.debug)?;
        run(Arc::new(provider), host, options, &mut io::stdout(), stop).await
    });
    // Work that ignored its cancellation must not keep the process from ending.
    runtime.shutdown_background();
    result
}

/// Serves `provider` as `host` asks for it, writes the one line for the host to `output`, and
/// returns after the host's `Shutdown` call or when `stop` is ready.
pub async fn run<P: Provider>(
    provider: Arc<P>,
    host: &Host,
    options: &ServeOptions,
    output: &mut (dyn Write + Send),
    stop: impl Future<Output = ()> + Send,
) -> Result<(), ServeError> {
    let tls = if options.debug { None } else { tls::for_host(host)? };
    let listener = Listener::bind(host)?;
    let text = if options.debug {
        announce::reattach(&options.addresses, listener.address())
    } else {
        announce::handshake(host, listener.address(), tls.as_ref().map(|tls| &tls.certificate))
    };
    let ending = Ending::default();
    let connections = accept::connections(listener, tls.map(|tls| tls.acceptor));
    let server = services::serve(Arc::clone(&provider), connections, &ending);
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(ServeError::Output)?;
    ending.supervise(server, &*provider, stop).await
}

fn explain(name: &str) -> ExitCode {
    report(&format!(
        "This program is the {name} provider, a plugin of Terraform and OpenTofu. It is started by \
         them and does nothing useful when started by hand.\n\
         To use it, name the provider in a configuration and run `terraform init` and \
         `terraform apply` (or `tofu`) there. With --help it lists what else it can do, with \
         --debug it waits for a host to attach to it.\n"
    ))
}

fn fail(error: &ServeError) -> ExitCode {
    report(&format!("Error: the provider cannot be served: {}\n", error::chain(error)))
}

fn report(text: &str) -> ExitCode {
    // Without a standard error there is nobody left to tell.
    let _ = io::stderr().write_all(text.as_bytes());
    ExitCode::FAILURE
}
