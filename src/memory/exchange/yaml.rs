//! `ontology.yaml`.

use std::fmt::Write as _;

use super::layout;
use crate::{
    base::{ErrorCode, Fault, Result, text, yaml},
    memory::ontology::Ontology,
};

pub(super) fn read(written: &str) -> Result<Ontology> {
    serde_saphyr::from_str(written).map_err(|error| {
        let said = text::shorten(&yaml::explain(&error), 300);
        let line = error.location().map_or(String::new(), |at| format!(":{}", at.line()));
        let message = format!("{}{line} is not an ontology: {said}", layout::ONTOLOGY);
        Fault::new(ErrorCode::ValidationError, message)
            .hint("it has `node_types`, a list of names, and `connection_types` with name, from_types and to_types")
            .into()
    })
}

/// Writes the ontology in the form of the original.
pub(super) fn write(ontology: &Ontology) -> String {
    let mut yaml = String::new();
    list(&mut yaml, "", "node_types", &ontology.node_types);
    if ontology.connection_types.is_empty() {
        yaml.push_str("connection_types: []\n");
        return yaml;
    }
    yaml.push_str("connection_types:\n");
    for kind in &ontology.connection_types {
        // Writing to a string cannot fail.
        let _ = writeln!(yaml, "  - name: {}", scalar(&kind.name));
        list(&mut yaml, "    ", "from_types", &kind.from_types);
        list(&mut yaml, "    ", "to_types", &kind.to_types);
        if !kind.required_properties.is_empty() {
            list(&mut yaml, "    ", "required_properties", &kind.required_properties);
        }
    }
    yaml
}

fn list(yaml: &mut String, indent: &str, key: &str, names: &[String]) {
    if names.is_empty() {
        let _ = writeln!(yaml, "{indent}{key}: []");
        return;
    }
    let _ = writeln!(yaml, "{indent}{key}:");
    for name in names {
        let _ = writeln!(yaml, "{indent}  - {}", scalar(name));
    }
}

/// A name without quotes if it is not ambiguous, else in quotes, for which JSON and YAML have the same rules.
fn scalar(name: &str) -> String {
    /// Words that YAML 1.1 or 1.2 does not read as text.
    const WORDS: &[&str] = &["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if letters && begins && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(name)) {
        return name.to_owned();
    }
    let mut quoted = String::with_capacity(name.len() + 2);
    for character in serde_json::Value::String(name.to_owned()).to_string().chars() {
        // JSON does not escape these, and YAML reads them as line breaks or refuses them.
        match character {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::ontology::ConnectionType;

    #[test]
    fn every_name_comes_back() {
        let names: Vec<String> = [
            "Project",
            "snake_case",
            "kebab-case",
            "true",
            "No",
            "null",
            "~",
            "1",
            "1.5",
            "0x1f",
            "2025-10-31",
            "with space",
            " around ",
            "a: b",
            "- a",
            "#x",
            "a #b",
            "\"quoted\"",
            "it's",
            "back\\slash",
            "tab\tnew\nline",
            "é日本\u{1f600}",
            "\u{85}\u{2028}\u{feff}\u{7f}",
            "[a]",
            "{a}",
            "*a",
            "&a",
            "!a",
            "|",
            ">",
            "%a",
            "@a",
            "`a`",
            "?",
            ":",
            "-",
            "--- ",
            "...",
            "=",
            "<<",
            "a,b",
        ]
        .map(str::to_owned)
        .to_vec();
        let ontology = Ontology {
            connection_types: names
                .iter()
                .map(|name| ConnectionType {
                    name: name.clone(),
                    from_types: names.clone(),
                    to_types: vec![name.clone()],
                    required_properties: names.clone(),
                })
                .collect(),
            node_types: names,
        };
        assert_eq!(read(&write(&ontology)).unwrap(), ontology);
        assert_eq!(read(&write(&Ontology::default())).unwrap(), Ontology::default());
    }

    #[test]
    fn the_form_is_that_of_the_original() {
        let yaml = "\
node_types:
  - Project
  - Action
connection_types:
  - name: NextAction
    from_types:
      - Project
    to_types:
      - Action
  - name: WaitingFor
    from_types:
      - Action
      - Project
    to_types:
      - Action
    required_properties:
      - since
";
        assert_eq!(write(&read(yaml).unwrap()), yaml);
    }

    #[test]
    fn what_is_no_ontology_says_why() {
        for yaml in
            ["", "node_types: 5", "node_types: [A]\nconnection_types: [{name: T}]", "a: [", "- x"]
        {
            let fault = read(yaml).unwrap_err().into_fault("r");
            assert_eq!(fault.code, ErrorCode::ValidationError, "{yaml}");
            assert!(fault.message.contains("ontology.yaml"), "{}", fault.message);
        }
    }
}
