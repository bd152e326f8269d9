//! The schema of a status's conditions: Kubernetes' own, bounded, one for each type.

use serde_json::{Value, json};

/// In place of the list that the type names; its description is kept.
pub(super) fn schema(list: &Value) -> Value {
    json!({
        "description": list["description"],
        "type": "array",
        "maxItems": 16,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["type", "status", "reason", "message", "lastTransitionTime"],
            "properties": {
                "type": {
                    "description": "What the condition is about.",
                    "type": "string",
                    "maxLength": 316,
                },
                "status": {
                    "description": "Whether it is so.",
                    "type": "string",
                    "enum": ["True", "False", "Unknown"],
                },
                "reason": {
                    "description": "Why, in one word.",
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 1024,
                    "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
                },
                "message": {
                    "description": "Why, and what to do about it.",
                    "type": "string",
                    "maxLength": 32768,
                },
                "observedGeneration": {
                    "description": "The generation of the object that it speaks of.",
                    "type": "integer",
                    "format": "int64",
                    "minimum": 0,
                },
                "lastTransitionTime": {
                    "description": "Since when the status is what it is.",
                    "type": "string",
                    "format": "date-time",
                },
            },
        },
    })
}
