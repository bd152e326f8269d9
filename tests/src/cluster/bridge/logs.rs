//! What a bridge says of itself: lines of its log, and its metrics.

use serde_json::Value as Json;

/// A line of the log.
#[derive(Debug, Clone)]
pub struct LogLine(Json);

impl LogLine {
    /// Reads a line; `None` if it is no JSON object.
    pub(super) fn parse(line: &str) -> Option<Self> {
        serde_json::from_str::<Json>(line).ok().filter(Json::is_object).map(Self)
    }

    /// The message.
    pub fn message(&self) -> &str {
        self.text("message").unwrap_or_default()
    }

    /// The level: `ERROR`, `WARN`, `INFO`, `DEBUG`.
    pub fn level(&self) -> &str {
        self.0["level"].as_str().unwrap_or_default()
    }

    /// A field's text.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.field(field)?.as_str()
    }

    /// A field, whether fields stand below `fields` or not.
    pub fn field(&self, field: &str) -> Option<&Json> {
        self.0["fields"].get(field).or_else(|| self.0.get(field))
    }
}

/// The sum of a metric in the text that `/metrics` answers.
pub(super) fn sum_of(text: &str, name: &str) -> f64 {
    let values = text.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        let value = match rest.split_once('}') {
            Some((labels, value)) if labels.starts_with('{') => value,
            _ => rest.strip_prefix(' ')?,
        };
        value.split_whitespace().next()?.parse::<f64>().ok()
    });
    values.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_summed_over_its_labels_and_not_over_longer_names() {
        let text = "# TYPE a counter\na{kind=\"x}\"} 2\na_total{kind=\"y\"} 3\na_total{kind=\"z\"} 4\nb 1\n";
        assert!((sum_of(text, "a_total") - 7.0).abs() < f64::EPSILON);
        assert!((sum_of(text, "b") - 1.0).abs() < f64::EPSILON);
        assert!(sum_of(text, "c").abs() < f64::EPSILON);
    }

    #[test]
    fn fields_are_found_on_both_levels() {
        let nested = r#"{"level":"INFO","fields":{"message":"listening","address":"x:1"}}"#;
        let flat = r#"{"level":"INFO","message":"listening","address":"x:1"}"#;
        for line in [nested, flat] {
            let line = LogLine::parse(line).unwrap();
            assert_eq!((line.message(), line.text("address")), ("listening", Some("x:1")));
        }
        assert!(LogLine::parse("not json").is_none());
    }
}
