//! Schemas as the host reads them.

use terdut_proto::tfplugin6 as proto;

use super::{Attribute, Kind, Mode, Schema};

impl Schema {
    pub(crate) fn to_proto(&self) -> proto::Schema {
        let block = proto::schema::Block {
            version: self.version,
            attributes: self.attributes.iter().map(Attribute::to_proto).collect(),
            description: self.description.clone(),
            description_kind: proto::StringKind::Markdown.into(),
            ..proto::schema::Block::default()
        };
        proto::Schema { version: self.version, block: Some(block) }
    }
}

impl Attribute {
    fn to_proto(&self) -> proto::schema::Attribute {
        let deprecation = self.deprecation.clone();
        let mut wire = proto::schema::Attribute {
            name: self.name.clone(),
            description: self.description.clone(),
            description_kind: proto::StringKind::Markdown.into(),
            required: self.mode == Mode::Required,
            optional: matches!(self.mode, Mode::Optional | Mode::OptionalComputed),
            computed: self.is_computed(),
            sensitive: self.sensitive,
            write_only: self.write_only,
            deprecated: deprecation.is_some(),
            deprecation_message: deprecation.unwrap_or_default(),
            ..proto::schema::Attribute::default()
        };
        match &self.kind {
            Kind::Value(ty) => wire.r#type = ty.to_json_bytes().into(),
            Kind::Single(nested) => wire.nested_type = Some(object(nested, Nesting::Single)),
            Kind::List(nested) => wire.nested_type = Some(object(nested, Nesting::List)),
            Kind::Map(nested) => wire.nested_type = Some(object(nested, Nesting::Map)),
        }
        wire
    }
}

type Nesting = proto::schema::object::NestingMode;

fn object(nested: &[Attribute], nesting: Nesting) -> proto::schema::Object {
    proto::schema::Object {
        attributes: nested.iter().map(Attribute::to_proto).collect(),
        nesting: nesting.into(),
        ..proto::schema::Object::default()
    }
}
