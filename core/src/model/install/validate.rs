//! What a spec may hold.
//!
//! All faults are found in one run. Each part has its own function here or in [`access`].

mod access;
mod variables;

use super::check::{Checked, Checker, Noted, given};
use super::validated::{
    DatabaseChoice, Deadman, Image, Install, Networking, Notify, PostgresCluster, Sweeper,
};
use super::{
    DatabaseSpec, DeadmanSpec, ImageSpec, InstallSpec, NetworkingSpec, NotifySpec,
    PostgresClusterRef, SweeperSpec,
};
use crate::consent::AllowedTeams;
use crate::problem::{Findings, Path};
use crate::value::{Matcher, SEVERITIES, Severity};

const REPOSITORY: &str = "git.ryuvia.com/niklas/terdut-server";
const SERVICE_PORT: i32 = 8080;
/// The most servers that one resource runs.
const REPLICAS: std::ops::RangeInclusive<i32> = 0..=10;

impl InstallSpec {
    /// The spec with all defaults, or all that is wrong with it.
    pub fn validate(&self, findings: &mut Findings) -> Option<Install> {
        self.check(findings).ok()
    }

    /// Who may use the server, whatever else of the spec is wrong: a typo elsewhere takes nobody's
    /// leave away. One that cannot be read itself allows nobody.
    pub fn consent(&self) -> AllowedTeams {
        let findings = &mut Findings::default();
        let mut part = Checker::new(findings, Path::of("allowed_teams"));
        access::allowed_teams(&mut part, self.allowed_teams.as_ref()).unwrap_or_default()
    }

    fn check(&self, findings: &mut Findings) -> Checked<Install> {
        let root = &mut Checker::new(findings, Path::root());
        let image = image(&mut root.below("image"), &self.image);
        let networking = networking(&mut root.below("networking"), self.networking.as_ref());
        let database = database(&mut root.below("database"), &self.database);
        let sweeper = sweeper(&mut root.below("sweeper"), self.sweeper.as_ref());
        let deadman = deadman(&mut root.below("deadman"), self.deadman.as_ref());
        let notify = notify(&mut root.below("notify"), self.notify.as_ref());
        let oidc = access::oidc(&mut root.below("oidc"), self.oidc.as_ref());
        let bootstrap = access::bootstrap(&mut root.below("bootstrap"), self.bootstrap.as_ref());
        let teams = self.allowed_teams.as_ref();
        let allowed_teams = access::allowed_teams(&mut root.below("allowed_teams"), teams);
        let replicas = replicas(root, self.replicas);
        let reference = self.credentials_secret_ref.as_ref();
        let credentials = root.secret("credentials_secret_ref", reference, "token");
        let password_login = password_login(root, self);
        let env = variables::check(root, self.env.as_deref().unwrap_or_default());
        Ok(Install {
            image: image?,
            replicas: replicas?,
            networking: networking?,
            database: database?,
            sweeper: sweeper?,
            deadman: deadman?,
            notify: notify?,
            oidc: oidc?,
            password_login: password_login?,
            credentials: credentials?,
            bootstrap: bootstrap?,
            allowed_teams: allowed_teams?,
            env: env?,
        })
    }
}

fn replicas(root: &mut Checker<'_>, replicas: Option<i32>) -> Checked<Option<i32>> {
    match replicas {
        Some(count) if !REPLICAS.contains(&count) => {
            Err(root.fault("replicas", format!("{count} is outside 0 to 10.")))
        }
        _ => Ok(replicas),
    }
}

fn password_login(root: &mut Checker<'_>, spec: &InstallSpec) -> Checked<bool> {
    let wanted = spec.password_login.unwrap_or(true);
    let oidc = spec.oidc.as_ref().and_then(|oidc| oidc.enabled).unwrap_or(false);
    if wanted || oidc {
        Ok(wanted)
    } else {
        Err(root.fault("password_login", "Nobody could log in: enable it or OIDC."))
    }
}

fn image(part: &mut Checker<'_>, spec: &ImageSpec) -> Checked<Image> {
    let repository = part.defaulted("repository", spec.repository.as_deref(), REPOSITORY);
    let tag = part.required("tag", Some(&spec.tag));
    Ok(Image { repository: repository?, tag: tag? })
}

fn networking(part: &mut Checker<'_>, spec: Option<&NetworkingSpec>) -> Checked<Networking> {
    let spec = spec.cloned().unwrap_or_default();
    let hostname = part.optional("hostname", spec.hostname.as_deref());
    let listener = part.optional("gateway_listener", spec.gateway_listener.as_deref());
    let number = spec.service_port.unwrap_or(SERVICE_PORT);
    let service_port = u16::try_from(number).ok().filter(|number| *number > 0);
    let service_port = service_port
        .ok_or_else(|| part.fault("service_port", format!("{number} is outside 1 to 65535.")));
    if matches!((&hostname, &listener), (Ok(None), Ok(Some(_)))) {
        let detail = "A listener without a host name makes no route.";
        part.warn("gateway_listener", "No route", detail);
    }
    Ok(Networking { hostname: hostname?, service_port: service_port?, listener: listener? })
}

fn database(part: &mut Checker<'_>, spec: &DatabaseSpec) -> Checked<DatabaseChoice> {
    let dsn = given(spec.dsn.as_deref());
    let cluster = spec.postgres_cluster_ref.as_ref().filter(|cluster| !cluster.name.is_empty());
    match (dsn, cluster) {
        (Some(dsn), None) => by_dsn(part, dsn, spec),
        (None, Some(cluster)) => by_cluster(part, cluster, spec),
        _ => {
            let detail = "Exactly one of a DSN and a Postgres cluster has to be given.";
            Err(part.fault("dsn", detail))
        }
    }
}

fn by_dsn(part: &mut Checker<'_>, dsn: &str, spec: &DatabaseSpec) -> Checked<DatabaseChoice> {
    let dsn = part.required("dsn", Some(dsn));
    let reference = spec.password_secret_ref.as_ref();
    let password = part.secret("password_secret_ref", reference, "password").and_then(|found| {
        found.ok_or_else(|| part.fault("password_secret_ref", "It is required beside a DSN."))
    });
    Ok(DatabaseChoice::Dsn { dsn: dsn?, password: password? })
}

fn by_cluster(
    part: &mut Checker<'_>,
    cluster: &PostgresClusterRef,
    spec: &DatabaseSpec,
) -> Checked<DatabaseChoice> {
    let unused = spec.password_secret_ref.as_ref().is_some_and(|secret| !secret.name.is_empty());
    let cluster = postgres_cluster(part, cluster);
    if unused {
        let detail = "It belongs to a DSN; a Postgres cluster has a Secret of its own.";
        return Err(part.fault("password_secret_ref", detail));
    }
    cluster.map(DatabaseChoice::Cluster)
}

fn postgres_cluster(
    part: &mut Checker<'_>,
    cluster: &PostgresClusterRef,
) -> Checked<PostgresCluster> {
    let mut below = part.below("postgres_cluster_ref");
    let name = below.required("name", Some(&cluster.name));
    let database = below.text("database", cluster.database.as_deref());
    let user = below.text("user", cluster.user.as_deref());
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    Ok(PostgresCluster { name: name?, database: some(database?), user: some(user?) })
}

fn sweeper(part: &mut Checker<'_>, spec: Option<&SweeperSpec>) -> Checked<Sweeper> {
    let spec = spec.cloned().unwrap_or_default();
    let stale_after = part.duration("stale_after", spec.stale_after.as_deref(), "6h");
    let archive_after = part.duration("archive_after", spec.archive_after.as_deref(), "168h");
    let (stale_after, archive_after) = (stale_after?, archive_after?);
    if archive_after <= stale_after {
        let detail = format!(
            "{} is not longer than the {} after which an alert is stale.",
            archive_after.short(),
            stale_after.short()
        );
        return Err(part.fault("archive_after", detail));
    }
    Ok(Sweeper { stale_after, archive_after })
}

fn deadman(part: &mut Checker<'_>, spec: Option<&DeadmanSpec>) -> Checked<Option<Deadman>> {
    let spec = spec.cloned().unwrap_or_default();
    let matchers: Checked<Option<Matcher>> = part.optional("matchers", spec.matchers.as_deref());
    let timeout = part.duration("timeout", spec.timeout.as_deref(), "15m");
    let severity = severity(part, spec.severity.as_deref());
    let (timeout, severity) = (timeout?, severity?);
    Ok(matchers?.map(|matchers| Deadman { matchers, timeout, severity }))
}

fn severity(part: &mut Checker<'_>, text: Option<&str>) -> Result<Severity, Noted> {
    let severity: Severity = part.defaulted("severity", text, "critical")?;
    if !severity.is_known() {
        let known = SEVERITIES.join(", ");
        let detail = format!("{:?} is none of {known}; it is handed on.", severity.as_str());
        part.warn("severity", "Unknown severity", detail);
    }
    Ok(severity)
}

fn notify(part: &mut Checker<'_>, spec: Option<&NotifySpec>) -> Checked<Notify> {
    let spec = spec.cloned().unwrap_or_default();
    let ntfy_url = part.optional("ntfy_url", spec.ntfy_url.as_deref());
    let fallback_topic = part.text("fallback_topic", spec.fallback_topic.as_deref());
    let repeat_every = part.duration("repeat_every", spec.repeat_every.as_deref(), "15m");
    let token = part.secret("token_secret_ref", spec.token_secret_ref.as_ref(), "token");
    Ok(Notify {
        ntfy_url: ntfy_url?,
        fallback_topic: fallback_topic?,
        repeat_every: repeat_every?,
        token: token?,
    })
}
