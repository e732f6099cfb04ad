//! Reading the settings, so that every complaint knows its line.
//!
//! The parser adds the place to an error that a visitor makes, which is the reason for visitors here: a tree of
//! values would have forgotten its lines.

use std::{cell::RefCell, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{KbConfig, Level, MANIFEST_ENDINGS, Words, relative};
use crate::base::text::{meant, shorten};

/// Every key there is.
pub const KEYS: &[&str] = &["defaultBranch", "paths", "manifests", "rules"];

/// Bytes of a branch's name.
const MAX_BRANCH: usize = 255;

/// What is wrong, where, and what to do about it.
pub struct Problem {
    pub line: Option<usize>,
    pub reason: String,
    pub hint: Option<String>,
}

/// What one entry has to say against itself: the reason, and a hint.
type Complaint = (String, Option<String>);

/// Reads the text of a settings file.
pub fn read(text: &str, words: &Words<'_>) -> Result<KbConfig, Problem> {
    let text = text.trim_start_matches('\u{feff}');
    let mut config = KbConfig::default();
    let hint = RefCell::new(None);
    let mut parser = serde_json::Deserializer::from_str(text);
    let top = Top { config: &mut config, words, hint: &hint };
    let read = top.deserialize(&mut parser).and_then(|()| parser.end());
    match read {
        Ok(()) => Ok(config),
        Err(error) => Err(problem(text, &error, hint.take())),
    }
}

/// What the parser or a visitor said, without the place that is given apart.
fn problem(text: &str, error: &serde_json::Error, hint: Option<String>) -> Problem {
    let said = error.to_string();
    let reason = said.rsplit_once(" at line ").map_or(&*said, |(reason, _)| reason).to_owned();
    let line = error.line();
    let found = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let rest = found.get(error.column().saturating_sub(1)..).unwrap_or_default();
    let hint = match () {
        () if error.is_data() => hint,
        () if ["//", "/*", "#", "/"].iter().any(|mark| rest.trim_start().starts_with(mark)) => {
            Some("JSON has no comments: take it out".to_owned())
        }
        () => Some("it must be one JSON object, such as {\"defaultBranch\": \"main\"}".to_owned()),
    };
    Problem { line: (line > 0).then_some(line), reason, hint }
}

/// The object that the file is.
struct Top<'a> {
    config: &'a mut KbConfig,
    words: &'a Words<'a>,
    hint: &'a RefCell<Option<String>>,
}

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one object with settings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Top { config, words, hint } = self;
        let mut seen: Vec<String> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom(format!("`{}` is set twice", shorten(&key, 80))));
            }
            match key.as_str() {
                "defaultBranch" => {
                    let value = map.next_value::<Value>()?;
                    config.default_branch =
                        Some(branch(&value).map_err(|problem| complain(hint, problem))?);
                }
                "paths" => map.next_value_seed(Each {
                    what: "`paths` to be an object of types and directories",
                    list: false,
                    hint,
                    take: |kind: &str, value: &Value| {
                        let directory = directory(kind, value, words)?;
                        config.paths.insert(kind.to_owned(), directory);
                        Ok(())
                    },
                })?,
                "manifests" => {
                    config.manifests.clear();
                    map.next_value_seed(Each {
                        what: "`manifests` to be a list of files",
                        list: true,
                        hint,
                        take: |_: &str, value: &Value| {
                            let file = manifest(value)?;
                            if !config.manifests.contains(&file) {
                                config.manifests.push(file);
                            }
                            Ok(())
                        },
                    })?;
                }
                "rules" => map.next_value_seed(Each {
                    what: "`rules` to be an object of rules and levels",
                    list: false,
                    hint,
                    take: |rule: &str, value: &Value| {
                        config.rules.insert(rule.to_owned(), level(rule, value, words)?);
                        Ok(())
                    },
                })?,
                _ => {
                    let problem = format!("unknown key `{}`", shorten(&key, 80));
                    return Err(complain(hint, (problem, Some(meant(&key, KEYS.iter().copied())))));
                }
            }
            seen.push(key);
        }
        Ok(())
    }
}

/// The entries of an object, or the items of a list, each given to `take`.
struct Each<'a, F> {
    what: &'static str,
    list: bool,
    hint: &'a RefCell<Option<String>>,
    take: F,
}

impl<'de, F: FnMut(&str, &Value) -> Result<(), Complaint>> DeserializeSeed<'de> for Each<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.list {
            true => deserializer.deserialize_seq(self),
            false => deserializer.deserialize_map(self),
        }
    }
}

impl<'de, F: FnMut(&str, &Value) -> Result<(), Complaint>> Visitor<'de> for Each<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut seen: Vec<String> = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom(format!("`{}` is set twice", shorten(&key, 80))));
            }
            (self.take)(&key, &value).map_err(|problem| complain(self.hint, problem))?;
            seen.push(key);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(value) = items.next_element::<Value>()? {
            (self.take)("", &value).map_err(|problem| complain(self.hint, problem))?;
        }
        Ok(())
    }
}

/// An error that the parser completes with its place; the hint has to go around it.
fn complain<E: Error>(slot: &RefCell<Option<String>>, (reason, hint): Complaint) -> E {
    slot.replace(hint);
    E::custom(reason)
}

fn branch(value: &Value) -> Result<String, Complaint> {
    let name = value.as_str().ok_or_else(|| not_text("defaultBranch", value))?;
    let allowed = |letter: char| !letter.is_whitespace() && !letter.is_control();
    if name.is_empty() || name.len() > MAX_BRANCH || !name.chars().all(allowed) {
        let shown = shorten(name, 80);
        let hint = "leave it out to let git decide".to_owned();
        return Err((format!("`defaultBranch` is `{shown}`, which names no branch"), Some(hint)));
    }
    Ok(name.to_owned())
}

fn directory(kind: &str, value: &Value, words: &Words<'_>) -> Result<String, Complaint> {
    if !words.types.contains(&kind) {
        let problem = format!("`paths` has the unknown type `{}`", shorten(kind, 80));
        return Err((problem, Some(meant(kind, words.types.iter().copied()))));
    }
    let key = format!("paths.{kind}");
    let path = value.as_str().ok_or_else(|| not_text(&key, value))?;
    relative(&key, path).map_err(|problem| (problem, Some(outside())))
}

fn manifest(value: &Value) -> Result<String, Complaint> {
    let path = value.as_str().ok_or_else(|| not_text("manifests", value))?;
    let path = relative("manifests", path).map_err(|problem| (problem, Some(outside())))?;
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    if !MANIFEST_ENDINGS.contains(&ending) {
        let problem =
            format!("`manifests` has `{}`, whose format is not known", shorten(&path, 120));
        return Err((problem, Some(format!("known endings: {}", MANIFEST_ENDINGS.join(", ")))));
    }
    Ok(path)
}

fn level(rule: &str, value: &Value, words: &Words<'_>) -> Result<Level, Complaint> {
    if !words.rules.contains(&rule) {
        let problem = format!("unknown rule `{}`", shorten(rule, 80));
        return Err((problem, Some(meant(rule, words.rules.iter().copied()))));
    }
    let levels: Vec<_> = Level::ALL.iter().map(|level| level.as_str()).collect();
    let found = Level::ALL.iter().find(|level| value.as_str() == Some(level.as_str()));
    found.copied().ok_or_else(|| {
        let shown = shorten(&value.to_string(), 80);
        (format!("rule `{rule}` is {shown}"), Some(format!("allowed: {}", levels.join(", "))))
    })
}

fn not_text(key: &str, value: &Value) -> Complaint {
    (format!("`{key}` is {}, but must be text", shorten(&value.to_string(), 80)), None)
}

fn outside() -> String {
    "give it relative to the repository's root, such as docs/requirements".to_owned()
}
