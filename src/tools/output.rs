//! The schema of a tool's response: each field name with its type, and each only once.
//!
//! The records of a response share most of their field names, so one schema describes them all, and every record
//! within the response is `{"$ref": "#"}`. A response without records lists its fields under `properties`. One with
//! records lists them under `patternProperties`, those of one type together: this is a quarter of the size of one
//! schema for each record, and clients receive it on every start.
//!
//! Nothing is required: an error is a response of another shape, and some clients check it against this schema too.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The schema of what `T` is serialized to.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.meta_schema = None;
    let root = settings.into_generator().into_root_schema_for::<T>().to_value();
    let mut response = Response { root: &root, fields: Map::new(), has_records: false };
    response.collect(&root);
    for definition in root["$defs"].as_object().into_iter().flat_map(Map::values) {
        response.collect(definition);
    }
    let Response { fields, has_records, .. } = response;
    match has_records {
        true => json!({ "type": "object", "patternProperties": by_type(fields) }),
        false => json!({ "type": "object", "properties": fields }),
    }
}

/// One pattern for each type, with the names that have it, in the order in which the types appear.
fn by_type(fields: Map<String, Value>) -> Map<String, Value> {
    let mut types: Vec<(Value, Vec<String>)> = Vec::new();
    for (name, field) in fields {
        match types.iter_mut().find(|(known, _)| *known == field) {
            Some((_, names)) => names.push(name),
            None => types.push((field, vec![name])),
        }
    }
    types.into_iter().map(|(field, names)| (pattern(names), field)).collect()
}

/// What is `omitted` is counted for each list, so these names are many: they are matched by their ending.
fn pattern(mut names: Vec<String>) -> String {
    const COUNTED: &str = "mitted";
    if names.iter().any(|name| name.ends_with(COUNTED)) {
        names.retain(|name| !name.ends_with(COUNTED));
        names.push(format!(".*{COUNTED}"));
    }
    match names.as_slice() {
        [only] => format!("^{only}$"),
        names => format!("^({})$", names.join("|")),
    }
}

/// A response whose field names are being collected.
struct Response<'a> {
    root: &'a Value,
    fields: Map<String, Value>,
    has_records: bool,
}

impl<'a> Response<'a> {
    /// Adds the fields of a record, and those of the records that are written out within it.
    fn collect(&mut self, record: &Value) {
        for variant in VARIANTS.iter().flat_map(|key| list(record, key)) {
            if self.is_record(variant) && variant.get("$ref").is_none() {
                self.collect(variant);
            }
        }
        let required = list(record, "required");
        for (name, schema) in record["properties"].as_object().into_iter().flatten() {
            let is_always_present = required.iter().any(|required| required == name);
            let field = self.field(schema, is_always_present);
            let field = match self.fields.get(name) {
                Some(known) => either(known.clone(), field),
                None => field,
            };
            self.fields.insert(name.clone(), field);
        }
    }

    /// The type of a field. One that is left out when it is empty is never null.
    fn field(&mut self, schema: &Value, may_be_null: bool) -> Value {
        if let Some(definition) = self.definition(schema)
            && !self.is_record(definition)
        {
            return self.field(definition, may_be_null);
        }
        if self.is_record(schema) {
            if schema.get("$ref").is_none() {
                self.collect(schema);
            }
            self.has_records = true;
            return json!({ "$ref": "#" });
        }
        let variants: Vec<&Value> = VARIANTS.iter().flat_map(|key| list(schema, key)).collect();
        if !variants.is_empty() {
            let types = variants.into_iter().filter(|it| may_be_null || it["type"] != "null");
            let types: Vec<Value> = types.map(|it| self.field(it, may_be_null)).collect();
            return types.into_iter().reduce(either).unwrap_or_default();
        }
        let mut field = Map::new();
        if let Some(kind) = schema.get("type") {
            field.insert("type".to_owned(), without_null(kind, may_be_null));
        }
        if let Some(value) = schema.get("const") {
            field.insert("enum".to_owned(), json!([value]));
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
            let allowed = allowed.iter().filter(|value| may_be_null || !value.is_null());
            field.insert("enum".to_owned(), allowed.cloned().collect());
        }
        for nested in ["items", "additionalProperties"] {
            if let Some(schema @ Value::Object(_)) = schema.get(nested) {
                field.insert(nested.to_owned(), self.field(schema, true));
            }
        }
        Value::Object(field)
    }

    fn definition(&self, schema: &Value) -> Option<&'a Value> {
        let reference = schema.get("$ref")?.as_str()?;
        self.root.pointer(reference.strip_prefix('#')?)
    }

    /// Whether a value of this schema is an object with named fields.
    fn is_record(&self, schema: &Value) -> bool {
        let schema = self.definition(schema).unwrap_or(schema);
        let is_variant_record = |variant| self.is_record(variant);
        schema.get("properties").is_some()
            || ["oneOf", "allOf"].iter().flat_map(|key| list(schema, key)).any(is_variant_record)
    }
}

const VARIANTS: &[&str] = &["anyOf", "oneOf", "allOf"];

/// The type of a value of one type or another; texts of which all are named stay one list of names.
fn either(one: Value, other: Value) -> Value {
    let names = |schema: &Value| schema.get("enum").and_then(Value::as_array).cloned();
    let mut types = match one.get("anyOf") {
        Some(Value::Array(types)) => types.clone(),
        _ => vec![one],
    };
    if let [only] = types.as_mut_slice()
        && only["type"] == other["type"]
        && let (Some(mut named), Some(more)) = (names(only), names(&other))
    {
        let more = more.into_iter().filter(|name| !named.contains(name)).collect::<Vec<_>>();
        named.extend(more);
        only["enum"] = Value::Array(named);
    } else if !types.contains(&other) {
        types.push(other);
    }
    match types.len() {
        1 => types.remove(0),
        _ => json!({ "anyOf": types }),
    }
}

fn without_null(kind: &Value, may_be_null: bool) -> Value {
    match kind {
        Value::Array(kinds) if !may_be_null => {
            let mut kinds = kinds.iter().filter(|kind| *kind != "null");
            match (kinds.next(), kinds.next()) {
                (Some(only), None) => only.clone(),
                _ => kind.clone(),
            }
        }
        kind => kind.clone(),
    }
}

fn list<'a>(schema: &'a Value, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;

    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code)]
    enum State {
        /// Described for people who read the code.
        Fresh,
        Changed,
    }

    #[derive(Serialize, JsonSchema)]
    struct Flat {
        id: i64,
        owner: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        evidence: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        state: Option<State>,
        tags: Vec<String>,
        any: Value,
    }

    #[derive(Serialize, JsonSchema)]
    struct Tree {
        id: i64,
        summary: String,
        count: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        leaf: Option<Leaf>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        children: Vec<Tree>,
        children_omitted: u32,
        notes_omitted: u32,
    }

    #[derive(Serialize, JsonSchema)]
    struct Leaf {
        id: String,
        note: String,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code)]
    enum Either {
        One { id: String },
        Other { total: u32, leaf: Leaf },
    }

    #[test]
    fn a_response_without_records_lists_its_fields() {
        let expected = json!({
            "type": "object",
            "properties": {
                "id": { "type": "integer" },
                "owner": { "type": ["string", "null"] },
                "evidence": { "type": "string" },
                "state": { "type": "string", "enum": ["changed", "fresh"] },
                "tags": { "type": "array", "items": { "type": "string" } },
                "any": {},
            },
        });
        assert_eq!(schema::<Flat>(), expected);
    }

    #[test]
    fn a_response_with_records_lists_the_names_of_each_type() {
        let expected = json!({
            "type": "object",
            "patternProperties": {
                "^id$": { "anyOf": [{ "type": "integer" }, { "type": "string" }] },
                "^(summary|note)$": { "type": "string" },
                "^(count|.*mitted)$": { "type": "integer" },
                "^leaf$": { "$ref": "#" },
                "^children$": { "type": "array", "items": { "$ref": "#" } },
            },
        });
        assert_eq!(schema::<Tree>(), expected);
    }

    #[test]
    fn a_response_of_several_shapes_has_the_fields_of_all() {
        let expected = json!({
            "type": "object",
            "patternProperties": {
                "^(id|note)$": { "type": "string" },
                "^total$": { "type": "integer" },
                "^leaf$": { "$ref": "#" },
            },
        });
        assert_eq!(schema::<Either>(), expected);
    }
}
