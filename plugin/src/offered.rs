//! What everything that a provider offers is to the engine, whatever its model: a name, a schema and
//! a check of its configuration.
//!
//! Each kind's entry gets it from [`offered!`]; what else a kind can do, its own trait adds beside
//! it. It converts values to models and back, and decides nothing.

use std::future::Future;
use std::pin::Pin;

use crate::diagnostics::Diagnostics;
use crate::model::FromValue;
use crate::schema::Schema;
use crate::ty::Type;
use crate::value::Value;

/// An answer that is waited for, of whatever the author wrote.
pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Something with a name and a configuration.
pub(crate) trait Offered: Send + Sync {
    fn name(&self) -> &'static str;
    fn schema(&self) -> &Schema;
    fn ty(&self) -> &Type;
    fn validate(&self, config: Value) -> Diagnostics;
}

/// What is said of a value as its model; a value that does not fit says so itself.
pub(crate) fn told<M: FromValue>(
    value: Value,
    tell: impl FnOnce(M, &mut Diagnostics),
) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    if let Some(model) = diagnostics.take(M::from_value(value)) {
        tell(model, &mut diagnostics);
    }
    diagnostics
}

/// Makes an entry [`Offered`]: its type and the author's trait, the field that holds what the author
/// wrote, and the author's name for the model of the configuration.
macro_rules! offered {
    ($entry:ident<$author:ident: $kind:ident>, $field:ident, $model:ident) => {
        impl<$author: $kind> $crate::offered::Offered for $entry<$author> {
            fn name(&self) -> &'static str {
                self.$field.type_name()
            }

            fn schema(&self) -> &$crate::schema::Schema {
                &self.schema
            }

            fn ty(&self) -> &$crate::ty::Type {
                &self.ty
            }

            fn validate(&self, config: $crate::value::Value) -> $crate::diagnostics::Diagnostics {
                $crate::offered::told(config, |config: $author::$model, diagnostics| {
                    self.$field.validate(&config, diagnostics);
                })
            }
        }
    };
}

pub(crate) use offered;
