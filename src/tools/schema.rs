//! Compact JSON schemas from types: what a model pays for on every start.
//!
//! Definitions are put in place, and only a field's own doc comment is kept: the doc of a type is
//! written for people who read the code. `Option` means a field that may be left out; one that
//! takes null as a value says so with `#[schemars(extend("nullable" = true))]`, and one where null is
//! refused (it would otherwise be ignored, next to fields that it clears) with `"nullable" = false`.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The format of a list that may come as one text with commas.
pub(super) const CSV: &str = "csv";
/// The format of a text that is never a number or any other JSON.
pub(super) const GLOB: &str = "glob";

/// The schema of a tool's arguments: closed, without null, required fields named.
pub(super) fn input<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut root = compact::<T>(settings, Side::Input);
    root.entry("properties").or_insert_with(|| json!({}));
    Value::Object(root)
}

/// The arguments' schema as it is listed: without what only the reader makes use of.
///
/// A model that goes past a bound is told so; most never do, and all would pay for it.
pub(super) fn listed(input: &Value) -> Value {
    let mut listed = input.clone();
    let mut open = vec![&mut listed];
    while let Some(schema) = open.pop() {
        match schema {
            Value::Object(fields) => {
                let is_schema = fields.get("type").is_some_and(|kind| !kind.is_object());
                for bound in ["minimum", "maximum", "format"].iter().filter(|_| is_schema) {
                    fields.shift_remove(*bound);
                }
                open.extend(fields.values_mut());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    listed
}

/// The schema of a tool's answer.
///
/// Nothing is required at its root: a fault is an answer of another shape, and there are clients
/// that check it against this schema and drop what does not fit.
pub(super) fn output<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut root = compact::<T>(settings, Side::Output);
    let mut properties = Map::new();
    let variants = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| root.shift_remove(key));
    for variant in variants.flat_map(items).collect::<Vec<_>>() {
        properties.extend(fields(variant));
    }
    properties.extend(root.shift_remove("properties").into_iter().flat_map(entries));
    root.insert("type".to_owned(), json!("object"));
    root.insert("properties".to_owned(), Value::Object(properties));
    root.shift_remove("required");
    Value::Object(root)
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Input,
    Output,
}

fn compact<T: JsonSchema>(mut settings: SchemaSettings, side: Side) -> Map<String, Value> {
    settings.meta_schema = None;
    let mut root = entries(settings.into_generator().into_root_schema_for::<T>().to_value());
    root.shift_remove("description");
    let mut definitions = root.shift_remove("$defs").map(entries).unwrap_or_default();
    // A root that contains itself calls itself `#`; here it is a definition like the others.
    let name = T::schema_name().into_owned();
    definitions.insert(name.clone(), Value::Object(root.clone()));
    let mut inliner =
        Inliner { definitions: &definitions, open: vec![name], recursive: Vec::new(), side };
    let mut root = entries(inliner.schema(Value::Object(root)));
    // A type that contains itself cannot be put in place; it stays a definition.
    let mut kept = Map::new();
    while let Some(name) = inliner.recursive.pop() {
        if let Some(definition) = definitions.get(&name)
            && !kept.contains_key(&name)
        {
            let mut definition = entries(definition.clone());
            definition.shift_remove("description");
            inliner.open.push(name.clone());
            let definition = inliner.schema(Value::Object(definition));
            inliner.open.truncate(1);
            kept.insert(name, definition);
        }
    }
    if !kept.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(kept));
    }
    root
}

struct Inliner<'a> {
    definitions: &'a Map<String, Value>,
    /// The definitions being put in place, outermost first.
    open: Vec<String>,
    /// Definitions that were met inside themselves.
    recursive: Vec<String>,
    side: Side,
}

impl Inliner<'_> {
    /// One schema, made compact; a boolean schema becomes the empty one, which more clients read.
    fn schema(&mut self, schema: Value) -> Value {
        let Value::Object(mut schema) = schema else {
            return json!({});
        };
        for noise in ["title", "default", "$schema", "writeOnly", "readOnly"] {
            schema.shift_remove(noise);
        }
        // Of formats only our own tell the reader something: `int64` is said by `integer`.
        if schema.get("format").is_some_and(|format| format != CSV && format != GLOB) {
            schema.shift_remove("format");
        }
        if let Some(Value::String(reference)) = schema.shift_remove("$ref") {
            let name = reference.strip_prefix("#/$defs/").or(self.open.first().map(String::as_str));
            let name = name.unwrap_or_default().to_owned();
            return self.reference(name, schema);
        }
        collapse_variants(&mut schema);
        self.drop_null(&mut schema);
        if let Some(Value::Array(variants)) = schema.get_mut("anyOf")
            && variants.len() == 1
            && let Some(only) = variants.pop()
        {
            schema.shift_remove("anyOf");
            let mut only = entries(self.schema(only));
            only.extend(schema.into_iter().filter_map(|entry| self.keyword(entry)));
            return Value::Object(only);
        }
        Value::Object(schema.into_iter().filter_map(|entry| self.keyword(entry)).collect())
    }

    fn keyword(&mut self, (key, value): (String, Value)) -> Option<(String, Value)> {
        let value = match (key.as_str(), value) {
            // A schema with `properties` is closed, one without is open; saying so costs tokens.
            ("additionalProperties", Value::Bool(_)) => return None,
            ("items" | "additionalProperties", value) => self.schema(value),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                list.into_iter().map(|each| self.schema(each)).collect()
            }
            ("properties", Value::Object(fields)) => Value::Object(
                fields.into_iter().map(|(name, field)| (name, self.schema(field))).collect(),
            ),
            ("required", Value::Array(names)) if names.is_empty() => return None,
            // An answer explains itself, and some clients pay for its schema as well.
            ("description", Value::String(_)) if self.side == Side::Output => return None,
            ("description", Value::String(text)) => {
                Value::String(text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            (_, value) => value,
        };
        Some((key, value))
    }

    /// The definition in place of its name; `beside` is what the field itself says.
    fn reference(&mut self, name: String, beside: Map<String, Value>) -> Value {
        if self.open.contains(&name) {
            let reference = json!({ "$ref": format!("#/$defs/{name}") });
            self.recursive.push(name);
            return reference;
        }
        let mut definition = self.definitions.get(&name).cloned().map(entries).unwrap_or_default();
        definition.shift_remove("description");
        definition.extend(beside);
        self.open.push(name);
        let schema = self.schema(Value::Object(definition));
        self.open.pop();
        schema
    }

    /// Takes null out of what a field may be, unless the field asks for it or may answer with it. `nullable: false`
    /// stays, for the argument reader.
    fn drop_null(&mut self, schema: &mut Map<String, Value>) {
        let nullable = schema.get("nullable") == Some(&Value::Bool(true));
        if nullable {
            schema.shift_remove("nullable");
        }
        if let Some(Value::Object(fields)) = schema.get("properties")
            && self.side == Side::Output
        {
            // An answer's field without `skip_serializing_if` is required, and null when empty.
            let required: Vec<_> = items(schema.get("required").cloned().unwrap_or_default());
            let kept = fields.clone().into_iter().map(|(name, mut field)| {
                if let Value::Object(field) = &mut field
                    && required.iter().any(|required| *required == name)
                {
                    field.insert("nullable".to_owned(), json!(true));
                }
                (name, field)
            });
            let kept = kept.collect();
            schema.insert("properties".to_owned(), Value::Object(kept));
        }
        if nullable {
            return;
        }
        if let Some(Value::Array(types)) = schema.get_mut("type") {
            types.retain(|name| name != "null");
            if types.len() == 1
                && let Some(only) = types.pop()
            {
                schema.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(variants)) = schema.get_mut("anyOf") {
            variants.retain(|variant| variant.get("type") != Some(&json!("null")));
        }
        if let Some(Value::Array(allowed)) = schema.get_mut("enum") {
            allowed.retain(|value| !value.is_null());
        }
    }
}

/// Named values, each with a doc comment of its own, become one plain `enum`.
fn collapse_variants(schema: &mut Map<String, Value>) {
    if let Some(only) = schema.shift_remove("const") {
        schema.insert("enum".to_owned(), json!([only]));
    }
    let Some(Value::Array(variants)) = schema.get("oneOf") else {
        return;
    };
    let mut allowed = Vec::new();
    for variant in variants {
        match (variant.get("const"), variant.get("enum")) {
            (Some(name @ Value::String(_)), _) => allowed.push(name.clone()),
            (_, Some(Value::Array(names))) if variant.get("type") == Some(&json!("string")) => {
                allowed.extend(names.iter().cloned());
            }
            _ => return,
        }
    }
    schema.shift_remove("oneOf");
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), Value::Array(allowed));
}

fn fields(schema: Value) -> Map<String, Value> {
    entries(schema).shift_remove("properties").map(entries).unwrap_or_default()
}

fn entries(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(entries) => entries,
        _ => Map::new(),
    }
}

fn items(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};

    /// A doc for people who read the code.
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Sort {
        /// The readiest first.
        Readiness,
        /// The deepest first.
        Depth,
    }

    /// Another.
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Item {
        summary: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sort: Option<Sort>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Args {
        /// What to
        /// do
        items: Vec<Item>,
        #[serde(default)]
        #[schemars(range(min = 1, max = 100))]
        limit: Option<u32>,
        #[schemars(extend("nullable" = true))]
        parent: Option<String>,
        sort: Option<Sort>,
        /// With a doc of its own
        other: Option<Sort>,
        properties: Option<Map<String, Value>>,
        value: Option<Value>,
        #[serde(default)]
        tags: Vec<String>,
    }

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    #[derive(Serialize, JsonSchema)]
    struct Tree {
        id: i64,
        owner: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        evidence: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        children: Vec<Tree>,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code)]
    enum Either {
        One { id: String },
        Other { total: u32 },
    }

    #[test]
    fn input_is_closed_inlined_and_without_null() {
        assert_eq!(
            input::<Args>(),
            json!({
                "type": "object",
                "properties": {
                    "items": {
                        "description": "What to do",
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "summary": { "type": "string" },
                                "sort": { "type": "string", "enum": ["readiness", "depth"] },
                            },
                            "required": ["summary"],
                        },
                    },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 100 },
                    "parent": { "type": ["string", "null"] },
                    "sort": { "type": "string", "enum": ["readiness", "depth"] },
                    "other": {
                        "type": "string",
                        "enum": ["readiness", "depth"],
                        "description": "With a doc of its own",
                    },
                    "properties": { "type": "object" },
                    "value": {},
                    "tags": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["items"],
            })
        );
        assert_eq!(input::<Nothing>(), json!({ "type": "object", "properties": {} }));
    }

    #[test]
    fn output_requires_nothing_at_its_root_and_keeps_a_type_that_contains_itself() {
        let properties = json!({
            "id": { "type": "integer" },
            "owner": { "type": ["string", "null"] },
            "evidence": { "type": "string" },
            "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
        });
        let required = json!(["id", "owner"]);
        assert_eq!(
            output::<Tree>(),
            json!({
                "type": "object",
                "properties": properties,
                "$defs": { "Tree": { "type": "object", "properties": properties, "required": required } },
            })
        );
    }

    #[test]
    fn output_of_several_shapes_has_no_combinator_at_its_root() {
        let expected = json!({
            "type": "object",
            "properties": {
                "id": { "type": "string" },
                "total": { "type": "integer", "minimum": 0 },
            },
        });
        assert_eq!(output::<Either>(), expected);
    }
}
