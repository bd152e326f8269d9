//! The gRPC service: one line a call. RPCs that are not here answer UNIMPLEMENTED.

use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::provider_server::Provider as Service;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use super::Engine;
use super::guard::{guarded, guarded_now};
use crate::diagnostics::Diagnostic;
use crate::provider::Provider;

/// `async` for a method that waits and takes the request, `now` for one that only looks at it,
/// `bare` where the request holds nothing.
macro_rules! answer {
    (async $engine:ident.$method:ident($request:expr)) => {
        $engine.$method($request).await
    };
    (bare $engine:ident.$method:ident($request:expr)) => {{
        let _ = $request;
        $engine.$method()
    }};
    (now $engine:ident.$method:ident($request:expr)) => {
        $engine.$method(&$request)
    };
}

/// `one` answer a call, or a stream of `many` events.
macro_rules! calls {
    (
        one { $($when:tt $rpc:ident => $module:ident::$method:ident;)+ }
        many { $($events:ident => $of:ident::$begin:ident;)+ }
    ) => {
        #[tonic::async_trait]
        impl<P: Provider> Service for Engine<P> {$(
            async fn $rpc(
                &self,
                request: Request<proto::$module::Request>,
            ) -> Result<Response<proto::$module::Response>, Status> {
                let answer = async { answer!($when self.$method(request.into_inner())) };
                guarded(stringify!($rpc), answer).await.map(Response::new).map_err(refused)
            }
        )+ $(
            async fn $events(
                &self,
                request: Request<proto::$of::Request>,
            ) -> Result<Response<BoxStream<proto::$of::Event>>, Status> {
                let begin = || self.$begin(&request.into_inner());
                guarded_now(stringify!($events), begin).map(Response::new).map_err(refused)
            }
        )+}
    };
}

calls! {
    one {
        bare get_metadata => get_metadata::metadata;
        bare get_provider_schema => get_provider_schema::provider_schema;
        bare get_resource_identity_schemas => get_resource_identity_schemas::identity_schemas;
        now validate_provider_config => validate_provider_config::validate_provider;
        now validate_resource_config => validate_resource_config::validate_resource;
        now validate_data_resource_config => validate_data_resource_config::validate_data_source;
        now upgrade_resource_state => upgrade_resource_state::upgrade_state;
        now upgrade_resource_identity => upgrade_resource_identity::upgrade_identity;
        async configure_provider => configure_provider::configure;
        async read_resource => read_resource::read;
        async plan_resource_change => plan_resource_change::plan;
        async apply_resource_change => apply_resource_change::apply;
        async import_resource_state => import_resource_state::import;
        now move_resource_state => move_resource_state::move_state;
        async read_data_source => read_data_source::read_data_source;
        now validate_ephemeral_resource_config => validate_ephemeral_resource_config::validate_ephemeral;
        async open_ephemeral_resource => open_ephemeral_resource::open_ephemeral;
        async close_ephemeral_resource => close_ephemeral_resource::close_ephemeral;
        now validate_list_resource_config => validate_list_resource_config::validate_list;
        now validate_action_config => validate_action_config::validate_action;
        now plan_action => plan_action::action_plan;
        bare get_functions => get_functions::all_functions;
        now call_function => call_function::call_function;
        bare stop_provider => stop_provider::stop;
    }
    many {
        list_resource => list_resource::list_events;
        invoke_action => invoke_action::action_events;
    }
}

/// A panic that no call could tell as a diagnostic: the process and its other calls live on.
fn refused(panic: Diagnostic) -> Status {
    Status::internal(panic.detail)
}
