//! The gRPC service: one line a call. RPCs that are not here answer UNIMPLEMENTED.

use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::provider_server::Provider as Service;
use tonic::{Request, Response, Status};

use super::Engine;
use crate::provider::Provider;

macro_rules! calls {
    ($($rpc:ident => $module:ident::$method:ident;)+) => {
        #[tonic::async_trait]
        impl<P: Provider> Service for Engine<P> {$(
            async fn $rpc(
                &self,
                request: Request<proto::$module::Request>,
            ) -> Result<Response<proto::$module::Response>, Status> {
                Ok(Response::new(self.$method(request.into_inner()).await))
            }
        )+}
    };
}

calls! {
    get_metadata => get_metadata::metadata;
    get_provider_schema => get_provider_schema::provider_schema;
    get_resource_identity_schemas => get_resource_identity_schemas::identity_schemas;
    validate_provider_config => validate_provider_config::validate_provider;
    validate_resource_config => validate_resource_config::validate_resource;
    validate_data_resource_config => validate_data_resource_config::validate_data_source;
    upgrade_resource_state => upgrade_resource_state::upgrade_state;
    upgrade_resource_identity => upgrade_resource_identity::upgrade_identity;
    configure_provider => configure_provider::configure;
    read_resource => read_resource::read;
    plan_resource_change => plan_resource_change::plan;
    apply_resource_change => apply_resource_change::apply;
    import_resource_state => import_resource_state::import;
    move_resource_state => move_resource_state::move_state;
    read_data_source => read_data_source::read_data_source;
    get_functions => get_functions::all_functions;
    call_function => call_function::call_function;
    stop_provider => stop_provider::stop;
}
