//! The schema of a tool's arguments, as compact as possible: every model pays for it on every start.
//!
//! Definitions are written out in place, and only a field's own doc comment is kept: the doc comment of a type is for
//! people who read the code. `Option` means a field that may be left out; one that takes null as a value has
//! `#[schemars(extend("nullable" = true))]`. One where null is refused (it would otherwise be ignored, next to fields
//! that it clears) has `"nullable" = false`.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The format of a list that may come as one text with commas.
pub(super) const CSV: &str = "csv";
/// The format of a text that is never a number or any other JSON.
pub(super) const GLOB: &str = "glob";

/// The schema that the reader of arguments follows: closed, without null, required fields named.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.meta_schema = None;
    let mut root = entries(settings.into_generator().into_root_schema_for::<T>().to_value());
    root.shift_remove("description");
    let definitions = root.shift_remove("$defs").map(entries).unwrap_or_default();
    let mut inliner = Inliner { definitions: &definitions, open: Vec::new() };
    let mut root = entries(inliner.schema(Value::Object(root)));
    root.entry("properties").or_insert_with(|| json!({}));
    Value::Object(root)
}

/// The schema as it is listed: without what only the reader of arguments uses.
///
/// A bound is named in the error of a call that exceeds it; few calls do, and every model would pay for it.
pub(super) fn listed(input: &Value) -> Value {
    let mut listed = input.clone();
    let mut open = vec![&mut listed];
    while let Some(schema) = open.pop() {
        match schema {
            Value::Object(fields) => {
                let is_schema = fields.get("type").is_some_and(|kind| !kind.is_object());
                for bound in
                    ["minimum", "maximum", "format", "nullable"].iter().filter(|_| is_schema)
                {
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

struct Inliner<'a> {
    definitions: &'a Map<String, Value>,
    /// The definitions that are being written out, outermost first.
    open: Vec<String>,
}

impl Inliner<'_> {
    /// One schema, made compact; a boolean schema becomes the empty one, which more clients support.
    fn schema(&mut self, schema: Value) -> Value {
        let Value::Object(mut schema) = schema else {
            return json!({});
        };
        for noise in ["title", "default", "$schema", "writeOnly", "readOnly"] {
            schema.shift_remove(noise);
        }
        // Only our own formats matter to the reader: `int64` adds nothing to `integer`.
        if schema.get("format").is_some_and(|format| format != CSV && format != GLOB) {
            schema.shift_remove("format");
        }
        if let Some(Value::String(reference)) = schema.shift_remove("$ref") {
            let name = reference.strip_prefix("#/$defs/").unwrap_or_default();
            return self.reference(name.to_owned(), schema);
        }
        collapse_variants(&mut schema);
        drop_null(&mut schema);
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
            ("description", Value::String(text)) => {
                Value::String(text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            (_, value) => value,
        };
        Some((key, value))
    }

    /// The definition in place of its name; `beside` holds the field's own keywords.
    fn reference(&mut self, name: String, beside: Map<String, Value>) -> Value {
        if self.open.contains(&name) {
            // A type that contains itself cannot be written out. No tool has one, which a test checks.
            return json!({ "$ref": format!("#/$defs/{name}") });
        }
        let mut definition = self.definitions.get(&name).cloned().map(entries).unwrap_or_default();
        definition.shift_remove("description");
        definition.extend(beside);
        self.open.push(name);
        let schema = self.schema(Value::Object(definition));
        self.open.pop();
        schema
    }
}

/// Removes null from the types of a field, unless the field asks for it. `nullable: false` stays, for the reader.
fn drop_null(schema: &mut Map<String, Value>) {
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        schema.shift_remove("nullable");
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

/// Variants with a doc comment each become one plain `enum`.
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

fn entries(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(entries) => entries,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    /// A doc for people who read the code.
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Sort {
        /// The readiest first.
        Readiness,
        /// The deepest first.
        Depth,
    }

    /// Another.
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
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

    #[test]
    fn arguments_are_closed_inlined_and_without_null() {
        assert_eq!(
            schema::<Args>(),
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
        assert_eq!(schema::<Nothing>(), json!({ "type": "object", "properties": {} }));
    }
}
