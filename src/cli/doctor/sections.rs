//! What `graph doctor` shows of the file, the settings, the repository and the KB.

use serde_json::{Value, json};

use crate::{
    app::{GitState, Health},
    base::hint::Hint,
    cli::{
        format::{count, size},
        output::{BAD, GOOD, Output, QUIET, WARN, plain, styled},
    },
    config::{Config, Setting, Source},
    kb::KbState,
};

pub(super) fn database(
    config: &Config,
    health: Option<&Health>,
    out: &mut Output,
) -> std::io::Result<()> {
    out.heading("database")?;
    field(out, "file", plain(&config.db_path.value.display().to_string()))?;
    let Some(health) = health else {
        if !config.db_path.value.exists() {
            field(out, "state", "does not exist yet; the first write creates it")?;
        }
        return Ok(());
    };
    let sound = |sound: bool, good: &str, bad: &str| match sound {
        true => format!("{} {good}", styled(GOOD, "✓")),
        false => format!("{} {bad}", styled(BAD, "✗")),
    };
    let file = &health.file;
    field(out, "size", size(file.bytes))?;
    field(out, "schema", format_args!("version {}", file.schema_version))?;
    field(out, "sqlite", &file.sqlite)?;
    field(out, "journal", &file.journal_mode)?;
    field(out, "integrity", sound(file.problems.is_empty(), "no damage found", "damaged"))?;
    if file.problems.is_empty() {
        let counted = health.miscounts.is_empty();
        field(
            out,
            "counters",
            sound(counted, "agree with a recount", "do not agree with a recount"),
        )?;
    }
    Ok(())
}

pub(super) fn settings(config: &Config, out: &mut Output) -> std::io::Result<()> {
    out.heading("settings")?;
    let rows = rows(config);
    let width = rows.iter().map(|row| row.shown.chars().count()).max().unwrap_or(0);
    for Row { key, shown, source, .. } in rows {
        let source = styled(QUIET, plain(&source));
        out.line(format_args!("  {key:<17}  {shown:<width$}  {source}"))?;
    }
    Ok(())
}

/// One setting: its value as text and as JSON, and its source.
pub(super) struct Row {
    pub key: &'static str,
    pub shown: String,
    pub value: Value,
    pub source: String,
}

/// Every setting, the file that was read first.
pub(super) fn rows(config: &Config) -> Vec<Row> {
    fn row<T>(key: &'static str, setting: &Setting<T>, value: impl Fn(&T) -> Value) -> Row {
        let value = value(&setting.value);
        let shown = match &value {
            Value::Null => "(the client's own name)".to_owned(),
            Value::Array(names) => {
                names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
            }
            Value::String(text) => plain(text),
            other => other.to_string(),
        };
        Row { key, shown, value, source: setting.source.to_string() }
    }
    let path = |path: &std::path::PathBuf| json!(path.display().to_string());
    let file = match &config.file {
        Some(file) => {
            let found = matches!(file.source, Source::File { .. });
            let row = row("config_file", file, path);
            if found {
                Row { source: "found in this directory or above it".to_owned(), ..row }
            } else {
                row
            }
        }
        None => Row {
            key: "config_file",
            shown: "(none)".to_owned(),
            value: Value::Null,
            source: "none found in this directory or above it".to_owned(),
        },
    };
    vec![
        file,
        row("agent_identity", &config.agent_identity, |name| json!(name)),
        row("db_path", &config.db_path, path),
        row("claim_ttl_minutes", &config.claim_ttl_minutes, |minutes| json!(minutes)),
        row("toolsets", &config.toolsets, |names| names.iter().map(|name| name.as_str()).collect()),
        row("durability", &config.durability, |durability| json!(durability.as_str())),
        row("max_message_mb", &config.max_message_mb, |megabytes| json!(megabytes)),
    ]
}

pub(super) fn repository(git: Option<&GitState>, out: &mut Output) -> std::io::Result<()> {
    out.heading("repository")?;
    let Some(git) = git else {
        return field(out, "state", "not in a git repository");
    };
    field(out, "root", plain(&git.root.display().to_string()))?;
    if git.linked_worktree {
        field(out, "main", plain(&git.main_root.display().to_string()))?;
    }
    let (branch, head) = (git.branch.as_deref(), git.head.as_deref());
    field(out, "branch", branch.map_or("(detached or unknown)".to_owned(), plain))?;
    field(out, "commit", head.unwrap_or("(none yet, or unknown)"))
}

/// The KB of the branch that is checked out, and whether its files say something else.
pub(super) fn kb_state(
    state: &KbState,
    remarks: &[Hint],
    config: &Config,
    out: &mut Output,
) -> std::io::Result<()> {
    out.heading("kb")?;
    let (active, default) = (plain(&state.active), plain(&state.default));
    let source = match config.branch.source {
        Source::Default => String::new(),
        ref source => format!(" ({source})"),
    };
    field(out, "branch", format_args!("{active}{source}, default {default}"))?;
    let store = match &state.store {
        Some(store) => {
            let entities = count(store.entities, "entity");
            format!("{entities}, {}", count(store.relationships, "link"))
        }
        None => "none yet: the first use of the branch creates it".to_owned(),
    };
    field(out, "store", store)?;
    for remark in remarks {
        out.line(format_args!("  {} {}", styled(WARN, "!"), out.hint(remark)))?;
    }
    Ok(())
}

pub(super) fn field(
    out: &mut Output,
    name: &str,
    text: impl std::fmt::Display,
) -> std::io::Result<()> {
    out.line(format_args!("  {}  {text}", styled(QUIET, format_args!("{name:<9}"))))
}
