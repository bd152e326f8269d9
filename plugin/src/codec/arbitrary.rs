//! Any type, and any value of it: what the round trips run over.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::number::Number;
use crate::ty::Type;
use crate::value::{Bound, Refinement, Value};

/// Any type, up to three levels deep.
pub(crate) fn ty() -> impl Strategy<Value = Type> {
    let leaf =
        prop_oneof![Just(Type::Bool), Just(Type::Number), Just(Type::String), Just(Type::Dynamic)];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            inner.clone().prop_map(Type::map),
            vec(inner.clone(), 0..4).prop_map(Type::Tuple),
            btree_map("[a-z_]{1,6}", inner, 0..4).prop_map(Type::Object),
        ]
    })
}

/// A type and a value of it, with unknown parts if asked for.
pub(crate) fn typed(unknowns: bool) -> impl Strategy<Value = (Type, Value)> {
    ty().prop_flat_map(move |ty| {
        let value = value(&ty, unknowns, 2);
        (Just(ty), value)
    })
}

fn value(ty: &Type, unknowns: bool, dynamics: u32) -> BoxedStrategy<Value> {
    let known = known(ty, unknowns, dynamics);
    let unknown = refinement().prop_map(Value::from).boxed();
    let weight = u32::from(unknowns);
    prop_oneof![6 => known, 1 => Just(Value::Null), weight => unknown].boxed()
}

fn known(ty: &Type, unknowns: bool, dynamics: u32) -> BoxedStrategy<Value> {
    let inner = |ty: &Type| value(ty, unknowns, dynamics);
    match ty {
        Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Number => number().prop_map(Value::Number).boxed(),
        Type::String => any::<String>().prop_map(Value::string).boxed(),
        Type::List(ty) => vec(inner(ty), 0..4).prop_map(Value::List).boxed(),
        Type::Set(ty) => vec(inner(ty), 0..4).prop_map(Value::set).boxed(),
        Type::Map(ty) => btree_map(any::<String>(), inner(ty), 0..4).prop_map(Value::map).boxed(),
        Type::Tuple(types) => {
            types.iter().map(inner).collect::<Vec<_>>().prop_map(Value::Tuple).boxed()
        }
        Type::Object(types) => {
            let names: Vec<String> = types.keys().cloned().collect();
            let values = types.values().map(inner).collect::<Vec<_>>();
            values
                .prop_map(move |values| Value::object(names.clone().into_iter().zip(values)))
                .boxed()
        }
        Type::Dynamic if dynamics == 0 => Just(Value::Null).boxed(),
        Type::Dynamic => self::ty()
            .prop_flat_map(move |ty| {
                let value = value(&ty, unknowns, dynamics - 1);
                (Just(ty), value)
            })
            .prop_map(|inner| Value::Dynamic(Box::new(inner)))
            .boxed(),
    }
}

/// Integers, floats, and decimals that are neither.
pub(crate) fn number() -> impl Strategy<Value = Number> {
    let parsed = |text: String| text.parse().expect("the pattern gives numbers");
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("not finite", |float| Number::from_f64(float).ok()),
        "-?[0-9]{1,60}(\\.[0-9]{1,60})?(e-?[0-9]{1,2})?".prop_map(parsed),
    ]
}

fn refinement() -> impl Strategy<Value = Refinement> {
    let bound = || {
        let end = (number(), any::<bool>());
        proptest::option::of(end.prop_map(|(value, inclusive)| Bound { value, inclusive }))
    };
    let prefix = proptest::option::of(any::<String>().prop_map(crate::value::normalize));
    let length = || proptest::option::of(0..1000_i64);
    let null = proptest::option::of(any::<bool>());
    (null, prefix, bound(), bound(), length(), length()).prop_map(
        |(null, prefix, number_min, number_max, length_min, length_max)| Refinement {
            null,
            prefix,
            number_min,
            number_max,
            length_min,
            length_max,
        },
    )
}
