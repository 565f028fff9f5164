//! One server, from an open store to a drained end.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use divelog_proto::v1::admin_service_server::AdminServiceServer;
use divelog_proto::v1::audit_service_server::AuditServiceServer;
use divelog_proto::v1::game_service_server::GameServiceServer;
use divelog_proto::v1::transparency_service_server::TransparencyServiceServer;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_stream::Stream;
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower_layer::Layer;

use crate::address::Address;
use crate::api::{AdminHandlers, AuditHandlers, DoorLayer, GameHandlers, TransparencyHandlers};
use crate::config::Settings;
use crate::first_start::{self, NoStore};
use crate::permissions;
use crate::recovery::RecoveryError;
use crate::recovery::repair::{self, Repair};
use crate::scheduler::Scheduler;
use crate::session::{self, Games};
use crate::store::{self, StoreError};
use crate::transparency::{self, KeyError, Transparency};
use crate::transport::{self, Budgets, Socket};

/// How large a request may be.
pub(crate) const MAX_REQUEST_BYTES: usize = 256 * 1024;
/// The names by which the server's health can be asked for; the empty one is the whole server's.
const HEALTH_SERVICES: [&str; 5] = [
    "",
    GameServiceServer::<GameHandlers>::NAME,
    AuditServiceServer::<AuditHandlers>::NAME,
    TransparencyServiceServer::<TransparencyHandlers>::NAME,
    AdminServiceServer::<AdminHandlers>::NAME,
];

/// Why a server ended otherwise than it should.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no store where there should be one.
    #[error(transparent)]
    NoStore(#[from] NoStore),
    /// The damaged store could not be repaired.
    #[error(transparent)]
    Repair(#[from] RecoveryError),
    /// The store has failed while the server ran.
    #[error("the store in {dir} has failed: {source}", dir = .dir.display())]
    Failed {
        /// The data folder.
        dir: PathBuf,
        /// What has failed.
        source: Arc<StoreError>,
    },
    /// There is no key to sign checkpoints with.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The address is taken, or not ours.
    #[error(
        "cannot listen on {address}: {source}. Nothing was changed. Stop what listens there, or choose another address with \
         --listen"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The system does not let the server accept connections.
    #[error("cannot accept connections: {0}")]
    Accept(io::Error),
    /// Calls are not worked on any more.
    #[error("the scheduler has ended, which is a bug of the server")]
    Scheduler,
    /// There are too few descriptors.
    #[error(transparent)]
    Descriptors(#[from] transport::TooFew),
    /// Reflection could not be set up from our own descriptors.
    #[error("reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// Opens the store and serves until `shutdown` is done; then drains.
///
/// `listening` is called with the bound address once calls can come.
pub async fn run(
    settings: &Settings,
    listening: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    // What can be refused is refused before anything is made.
    let max_connections = transport::max_connections(settings.max_connections)?;
    let listen_error = |source| ServeError::Listen { address: settings.listen, source };
    let address = Address::take(settings.listen).await.map_err(listen_error)?;
    first_start::check_folders(&settings.data, &settings.publish)?;
    permissions::report(&settings.data, &settings.publish, settings.signing_key.as_deref());
    let games = open(settings)?;
    let transparency = Transparency::start(&transparency_settings(settings), games.store().clone())?;
    let listener = address.open().map_err(ServeError::Accept)?;
    let address = listener.local_addr().map_err(ServeError::Accept)?;
    listening(address);
    tracing::info!(%address, max_connections, data = %settings.data.display(), "serving");
    let incoming = transport::incoming(listener, max_connections, Budgets::new());
    let shutdown = asked_or_failed(shutdown, settings.serve_after_failure, games.clone());
    let result = serve(settings, incoming, games.clone(), transparency.clone(), shutdown).await;
    // Blocks for one more pass over what is durable, before the store goes.
    transparency.stop();
    let store = games.store().clone();
    // Blocks for the last group, the index and the watermark; nothing else runs any more.
    let stats = games.close();
    if let Some(error) = store.failure() {
        tracing::error!(%error, "the store has failed and is not closed in good order");
        return Err(ServeError::Failed { dir: settings.data.clone(), source: error });
    }
    tracing::info!(
        new_records = stats.records,
        new_blocks = stats.blocks,
        newest_block = stats.last_durable_block,
        "the store is synced and closed"
    );
    result
}

/// Opens the store; repairs it first if that is needed and wanted.
fn open(settings: &Settings) -> Result<Games, ServeError> {
    let accept_loss = settings.accept_loss && !settings.repair;
    let open = || {
        if !accept_loss {
            first_start::check(&settings.data, &settings.publish, settings.existing)?;
        }
        // After that: where a whole store is gone its key is not what is missing.
        Transparency::check(&transparency_settings(settings))?;
        let opened = Games::open(session::GamesOptions {
            store: store::Options {
                dir: settings.data.clone(),
                describe: session::describe,
                queue: settings.queue,
                cache_bytes: settings.store_cache_bytes,
                journal_bytes: store::JOURNAL_BYTES,
                accept_loss,
            },
            cache_games: settings.cache_games,
        });
        Ok(opened?)
    };
    let games = match open() {
        Err(error) if settings.repair && is_damage(&error) => {
            tracing::error!(%error, "the store is damaged");
            // Held until the repaired store is open.
            let repair = Repair::begin(&settings.data)?;
            match open() {
                Err(error) if is_damage(&error) => {
                    repair.run(repair::Options { publish: &settings.publish, accept_loss: settings.accept_loss })?;
                    open()?
                }
                // Somebody else has repaired it meanwhile.
                opened => opened?,
            }
        }
        opened => opened?,
    };
    first_start::note(&settings.data);
    Ok(games)
}

/// Whether a start was refused for what a repair may fix.
fn is_damage(error: &ServeError) -> bool {
    match error {
        ServeError::Store(error) => error.is_damage(),
        ServeError::NoStore(error) => matches!(error, NoStore::Leftover { .. }),
        _ => false,
    }
}

/// Done when the server is asked to end, or when its store has failed and nothing speaks for staying up.
async fn asked_or_failed(asked: impl Future<Output = ()>, serve_after_failure: bool, games: Games) {
    let mut failed = games.failed();
    let failure = async {
        // The sender goes with the store only.
        let has_failed = failed.wait_for(|failed| *failed).await.is_ok();
        let only_copy = games.store().failure().is_some_and(|error| error.is_only_copy());
        if !has_failed || serve_after_failure || only_copy {
            std::future::pending::<()>().await;
        }
        tracing::error!("the server ends because its store has failed, so that it can be started again");
    };
    tokio::select! {
        () = asked => {}
        () = failure => {}
    }
}

fn transparency_settings(settings: &Settings) -> transparency::TransparencyOptions {
    transparency::TransparencyOptions {
        data: settings.data.clone(),
        publish: settings.publish.clone(),
        games: settings.publish_games,
        signing_key: settings.signing_key.clone(),
        origin: settings.origin.clone(),
        interval: settings.seal_interval,
    }
}

async fn serve(
    settings: &Settings,
    incoming: impl Stream<Item = Socket<TcpStream>>,
    games: Games,
    transparency: Transparency,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let (drain, draining) = watch::channel(false);
    let (health, health_service) = tonic_health::server::health_reporter();
    set_health(&health, ServingStatus::Serving).await;
    tokio::spawn(report_failure(health.clone(), games.failed()));
    let play = GameHandlers::new(games.clone(), draining.clone(), settings.max_watchers);
    let audit = AuditHandlers::new(games.clone(), transparency.clone());
    let admin = AdminHandlers::new(games.clone(), transparency.clone(), draining.clone());
    let publish = TransparencyHandlers::new(games, transparency);
    let services = Routes::new(GameServiceServer::new(play).max_decoding_message_size(MAX_REQUEST_BYTES))
        .add_service(AuditServiceServer::new(audit).max_decoding_message_size(MAX_REQUEST_BYTES))
        .add_service(TransparencyServiceServer::new(publish).max_decoding_message_size(MAX_REQUEST_BYTES))
        .add_service(AdminServiceServer::new(admin).max_decoding_message_size(MAX_REQUEST_BYTES))
        .add_service(health_service)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?);
    let services = DoorLayer.layer(services.prepare());
    let (scheduler, scheduler_ended) = Scheduler::start(settings.threads);
    tokio::pin!(scheduler_ended);
    let serving = transport::serve(incoming, services, &scheduler, draining);
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => return Ok(()),
        () = &mut scheduler_ended => return Err(ServeError::Scheduler),
        () = shutdown => {}
    }
    tracing::info!(seconds = settings.drain.as_secs(), "draining: running calls finish, new ones are turned away");
    set_health(&health, ServingStatus::NotServing).await;
    drain.send_replace(true);
    end_health_watches(health).await;
    if tokio::time::timeout(settings.drain, serving).await.is_err() {
        tracing::warn!("calls were still running at the deadline and were cut off; no record is lost by that");
    }
    Ok(())
}

/// Takes the server out of rotation when its store fails; reads go on.
async fn report_failure(health: HealthReporter, mut failed: watch::Receiver<bool>) {
    if failed.wait_for(|failed| *failed).await.is_ok() {
        set_health(&health, ServingStatus::NotServing).await;
    }
}

async fn set_health(health: &HealthReporter, status: ServingStatus) {
    for service in HEALTH_SERVICES {
        health.set_service_status(service, status).await;
    }
}

/// Ends the watches of the server's health, which have been told that it goes down: they have no other end, and would
/// hold up the drain until its deadline. Checks are still answered.
async fn end_health_watches(mut health: HealthReporter) {
    for service in HEALTH_SERVICES {
        health.clear_service_status(service).await;
    }
    set_health(&health, ServingStatus::NotServing).await;
}

fn reflection<'a>() -> tonic_reflection::server::Builder<'a> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(divelog_proto::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}
