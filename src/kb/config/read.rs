//! Reads the settings from a tree, so that every problem has its line.

use serde_json::Value;

use super::{KbConfig, Level, MANIFEST_ENDINGS, Words, relative};
use crate::base::{
    text::{meant, shorten},
    yaml::{self, Key, Node, Tree},
};

pub const KEYS: &[&str] = &["defaultBranch", "paths", "manifests", "rules"];

/// Bytes of a branch's name.
const MAX_BRANCH: usize = 255;

/// What is wrong, where, and what to do about it.
pub struct Problem {
    pub line: u32,
    pub reason: String,
    pub hint: Option<String>,
}

/// What is wrong with one value: the reason, and a hint.
type Complaint = (String, Option<String>);

/// Reads the text of a settings file.
pub fn read(text: &str, words: &Words<'_>) -> Result<KbConfig, Problem> {
    let text = text.trim_start_matches('\u{feff}');
    let node = yaml::parse_json(text).map_err(|problem| Problem {
        line: problem.line,
        reason: problem.reason,
        hint: Some("it must be one JSON object, such as {\"defaultBranch\": \"main\"}".to_owned()),
    })?;
    let mut config = KbConfig::default();
    for (key, node) in object("the file", "an object with settings", &node)? {
        match key.name.as_str() {
            "defaultBranch" => config.default_branch = Some(branch(node).map_err(at(key.line))?),
            "paths" => {
                for (kind, node) in object("`paths`", "an object of types and directories", node)? {
                    let directory = directory(&kind.name, node, words).map_err(at(kind.line))?;
                    config.paths.insert(kind.name.clone(), directory);
                }
            }
            "manifests" => {
                config.manifests.clear();
                for node in list("`manifests`", "a list of files", node)? {
                    let file = manifest(node).map_err(at(node.line))?;
                    if !config.manifests.contains(&file) {
                        config.manifests.push(file);
                    }
                }
            }
            "rules" => {
                for (rule, node) in object("`rules`", "an object of rules and levels", node)? {
                    let level = level(&rule.name, node, words).map_err(at(rule.line))?;
                    config.rules.insert(rule.name.clone(), level);
                }
            }
            name => {
                let problem = format!("unknown key `{}`", shorten(name, 80));
                let hint = meant(name, KEYS.iter().copied());
                return Err(at(key.line)((problem, Some(hint))));
            }
        }
    }
    Ok(config)
}

fn at(line: u32) -> impl Fn(Complaint) -> Problem {
    move |(reason, hint)| Problem { line, reason, hint }
}

fn object<'a>(what: &str, expected: &str, node: &'a Node) -> Result<&'a [(Key, Node)], Problem> {
    match &node.tree {
        Tree::Map(entries) => Ok(entries),
        _ => Err(at(node.line)(mistyped(what, node, expected))),
    }
}

fn list<'a>(what: &str, expected: &str, node: &'a Node) -> Result<&'a [Node], Problem> {
    match &node.tree {
        Tree::List(items) => Ok(items),
        _ => Err(at(node.line)(mistyped(what, node, expected))),
    }
}

fn text<'a>(key: &str, node: &'a Node) -> Result<&'a str, Complaint> {
    match &node.tree {
        Tree::Scalar(Value::String(text)) => Ok(text),
        _ => Err(mistyped(&format!("`{key}`"), node, "text")),
    }
}

fn mistyped(what: &str, node: &Node, expected: &str) -> Complaint {
    (format!("{what} is {}, but must be {expected}", shown(node)), None)
}

/// The value as JSON writes it, or what it is.
fn shown(node: &Node) -> String {
    match &node.tree {
        Tree::Scalar(value) => shorten(&value.to_string(), 80),
        _ => node.kind(),
    }
}

fn branch(node: &Node) -> Result<String, Complaint> {
    let name = text("defaultBranch", node)?;
    let allowed = |letter: char| !letter.is_whitespace() && !letter.is_control();
    if name.is_empty() || name.len() > MAX_BRANCH || !name.chars().all(allowed) {
        let shown = shorten(name, 80);
        let hint = "leave it out to let git decide".to_owned();
        return Err((format!("`defaultBranch` is `{shown}`, which names no branch"), Some(hint)));
    }
    Ok(name.to_owned())
}

fn directory(kind: &str, node: &Node, words: &Words<'_>) -> Result<String, Complaint> {
    if !words.types.contains(&kind) {
        let problem = format!("`paths` has the unknown type `{}`", shorten(kind, 80));
        return Err((problem, Some(meant(kind, words.types.iter().copied()))));
    }
    let key = format!("paths.{kind}");
    relative(&key, text(&key, node)?).map_err(|problem| (problem, Some(outside())))
}

fn manifest(node: &Node) -> Result<String, Complaint> {
    let path = relative("manifests", text("manifests", node)?)
        .map_err(|problem| (problem, Some(outside())))?;
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    if !MANIFEST_ENDINGS.contains(&ending) {
        let problem =
            format!("`manifests` has `{}`, whose format is not known", shorten(&path, 120));
        return Err((problem, Some(format!("known endings: {}", MANIFEST_ENDINGS.join(", ")))));
    }
    Ok(path)
}

fn level(rule: &str, node: &Node, words: &Words<'_>) -> Result<Level, Complaint> {
    if !words.rules.contains(&rule) {
        let problem = format!("unknown rule `{}`", shorten(rule, 80));
        return Err((problem, Some(meant(rule, words.rules.iter().copied()))));
    }
    let levels: Vec<_> = Level::ALL.iter().map(|level| level.as_str()).collect();
    let said = text(rule, node).ok();
    let found = Level::ALL.iter().find(|level| said == Some(level.as_str()));
    found.copied().ok_or_else(|| {
        let problem = format!("rule `{rule}` is {}", shown(node));
        (problem, Some(format!("allowed: {}", levels.join(", "))))
    })
}

fn outside() -> String {
    "give it relative to the repository's root, such as docs/requirements".to_owned()
}
