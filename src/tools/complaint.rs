//! How a refused argument is explained: its path, what was received, what is allowed.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::base::{Error, Fault, text};

/// Bounds of what a message quotes; together they keep it well under an error's 2,000 characters.
const PATH_CHARS: usize = 200;
const RECEIVED_CHARS: usize = 80;
const ALLOWED_CHARS: usize = 600;

/// The path of a value, written out only for an error.
pub(super) enum Path<'a> {
    /// The arguments as a whole.
    Root,
    /// A field of an object.
    Field(&'a Path<'a>, &'a str),
    /// An item of a list.
    Item(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => f.write_str("arguments"),
            Path::Field(Path::Root, name) => f.write_str(name),
            Path::Field(parent, name) => write!(f, "{parent}.{name}"),
            Path::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

impl Path<'_> {
    /// The path as `nodes[3].summary`, cut where it is very long.
    pub fn name(&self) -> String {
        text::shorten(&self.to_string(), PATH_CHARS)
    }

    /// A fault whose message begins with this path.
    pub fn fault(&self, problem: impl fmt::Display) -> Fault {
        Fault::invalid(&self.name(), problem)
    }
}

/// The value is of the wrong kind.
pub(super) fn mistyped(path: &Path<'_>, schema: &Value, received: &Value) -> Error {
    let problem = format!("is {}; it needs {}", quote(received), expectation(schema));
    path.fault(problem).into()
}

/// A required field is not there.
pub(super) fn missing(path: &Path<'_>, schema: &Value) -> Error {
    match schema.get("enum").and_then(Value::as_array) {
        Some(allowed) => {
            let names = list(allowed.iter().filter_map(Value::as_str));
            path.fault(format!("is missing; allowed: {names}"))
                .details(json!({ "allowed": allowed }))
                .into()
        }
        None => path.fault(format!("is missing: {} is required", expectation(schema))).into(),
    }
}

/// No field goes by that name.
pub(super) fn unknown_field(path: &Path<'_>, name: &str, known: &Map<String, Value>) -> Error {
    let names = || known.keys().map(String::as_str);
    let nearest = nearest(name, names());
    let problem =
        format!("is not a known field{} (allowed: {})", text::did_you_mean(nearest), list(names()));
    let fault = Path::Field(path, name).fault(problem);
    match nearest {
        Some(nearest) => fault.details(json!({ "did_you_mean": nearest })).into(),
        None => fault.into(),
    }
}

/// The text is none of those that are allowed.
pub(super) fn not_allowed(path: &Path<'_>, received: String, allowed: &[Value]) -> Error {
    let names = || allowed.iter().filter_map(Value::as_str);
    let problem = format!(
        "is {}{}; allowed: {}",
        quote(&Value::String(received.clone())),
        text::did_you_mean(nearest(&received, names())),
        list(names())
    );
    path.fault(problem).details(json!({ "allowed": allowed })).into()
}

/// The number, the length or the count is out of its bounds.
pub(super) fn out_of_range<N: fmt::Display>(
    path: &Path<'_>,
    received: impl fmt::Display,
    least: Option<N>,
    most: Option<N>,
) -> Error {
    let allowed = match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("{least} or more"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "anything".to_owned(),
    };
    path.fault(format!("{received}; allowed: {allowed}")).into()
}

/// The type that a schema requires, for a message.
fn expectation(schema: &Value) -> &'static str {
    match schema.get("type").and_then(main_type) {
        Some("object") => "an object",
        Some("array") => "a list",
        Some("string") => "text",
        Some("integer") => "a whole number",
        Some("number") => "a number",
        Some("boolean") => "true or false",
        _ => "a value",
    }
}

/// The one type besides null; where a schema has several, the tool itself decides.
pub(super) fn main_type(declared: &Value) -> Option<&str> {
    match declared {
        Value::String(name) => Some(name),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            let mut names = names.filter(|name| *name != "null");
            let first = names.next();
            first.filter(|_| names.next().is_none())
        }
        _ => None,
    }
}

/// The known name that is the same but for case and separators, else the most alike.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let plain = |name: &str| name.replace(['_', '-', '.', ' '], "").to_lowercase();
    let wanted = plain(name);
    let same = known.clone().find(|candidate| plain(candidate) == wanted);
    same.or_else(|| text::closest(name, known))
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => text::shorten(&names.join(", "), ALLOWED_CHARS),
    }
}

fn quote(value: &Value) -> String {
    match value {
        // Only its first characters would be shown.
        Value::Array(items) if items.len() > RECEIVED_CHARS => "a long list".to_owned(),
        Value::Object(fields) if fields.len() > RECEIVED_CHARS => "a large object".to_owned(),
        value => text::shorten(&value.to_string(), RECEIVED_CHARS),
    }
}
