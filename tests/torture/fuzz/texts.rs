//! What else reads what others wrote: globs, paths, JSON, documents, manifests, settings, directories to import.

use std::{cell::RefCell, fs, sync::LazyLock};

use graph::{
    app::App,
    base::{Error, globs, paths},
    config::{Config, Options, Surroundings},
    kb::{EXTRACTORS, Input, KbConfig, Schema, Vocabulary, Words},
    memory, tools,
};

use super::{generate, mutate};
use crate::torture::rng::Rng;

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::load([]).unwrap());

const DOCUMENTS: &[&str] = &[
    "---\nid: REQ-1\ntype: req\nstatus: approved\npriority: must\ntags: [a, b]\nlinks:\n  verified_by: T-1\n  specified_by: [S-1, S-2]\n---\n# Pay by card\n\nText\n",
    "---\nid: &a X-1\nowner: *a\nproperties: {a: 1, b: true, c: 0x1F, d: 1e3, e: ~, f: 2026-01-01}\ntitle: >\n  folded\n  text\n---\n",
    "---\r\nid: ADR-2\r\nstatus: accepted\r\nlinks: {supersedes: ADR-1}\r\n---\r\n\r\n# ADR 2\r\n",
    "# No front matter\n\n- id: none\n",
    "symbols:\n  - id: S-1\n    title: f\n    path: src/a.rs\n    kind: function\n  - {id: S-2, title: g, path: \"src/b.rs\"}\n",
    "[{\"id\": \"S-1\", \"title\": \"f\", \"path\": \"src/a.rs\"}]",
    "a: &a [x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c]\n",
];

const SETTINGS: &[&str] = &[
    "agent_identity: ann\ndb_path: graph.db\nclaim_ttl_minutes: 5\ntoolsets: [work, kb]\ndurability: full\nmax_message_mb: 64\n",
    "{\"defaultBranch\": \"main\", \"paths\": {\"docs/adr\": \"adr\"}, \"manifests\": [\"symbols.json\"], \"rules\": {\"no-cycles\": \"off\"}}",
];

const REGISTRY: &str = r#"{"nodes": {"mem_1": {"id": "mem_1", "type": "Note", "created": "2026-01-01T00:00:00Z",
"modified": "2026-01-01T00:00:00.123456Z", "properties": {"a": 1, "b": "x", "c": true},
"content": {"path": "_content/nodes/mem_1.md", "format": "markdown", "encoding": "utf-8"}}},
"connections": {"conn_1": {"id": "conn_1", "type": "About", "from_node_id": "mem_1", "to_node_id": "mem_1",
"created": "2026-01-01T00:00:00Z", "modified": "2026-01-01T00:00:00Z", "properties": {}}}}"#;
const ONTOLOGY: &str = "node_types:\n  - Note\nconnection_types:\n  - name: About\n    from_types: [Note]\n    to_types: [Note]\n";

/// Something broken out of something valid, as text.
fn broken(from: &str, rng: &mut Rng) -> String {
    let mut bytes = from.as_bytes().to_vec();
    if !rng.once_in(20) {
        // Line feeds matter here; mutations remove them.
        let lines: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let chosen = rng.below(lines.len());
        let mut lines = lines;
        mutate::bytes(&mut lines[chosen], rng);
        if rng.once_in(4) {
            let other = rng.below(lines.len());
            lines.swap(chosen, other);
        }
        bytes = lines.join(&b'\n');
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One glob, and a path that it may match.
pub fn glob(rng: &mut Rng) {
    let mut pattern = String::new();
    for _ in 0..1 + rng.below(4) {
        const PARTS: &[&str] = &[
            "**",
            "*",
            "?",
            "src",
            "/",
            "/",
            ".",
            "..",
            "{a,b}",
            "{a,{b,c}}",
            "[a-z]",
            "[!x]",
            "[]",
            "\\*",
            "{",
            "}",
            ",",
            "é",
            "./",
            "a.rs",
        ];
        pattern += *rng.pick(PARTS);
    }
    if rng.once_in(3) {
        pattern = broken(&(pattern + &generate::text(rng)), rng);
    }
    let Ok(kept) = globs::normalise("paths", &pattern) else { return };
    assert!(
        !kept.starts_with('/') && kept.split('/').all(|part| part != ".."),
        "{pattern:?} is kept as {kept:?}"
    );
    assert_eq!(
        globs::normalise("paths", &kept).ok().as_deref(),
        Some(kept.as_str()),
        "{pattern:?}"
    );
    // A pattern is searched under its keys only, and all of them must exist.
    let paths = globs::Paths::new(vec!["src/a.rs", "src/a/b/c.rs", "a", ".x", "é/b"]);
    let matching = paths.matching(&kept);
    for (at, path) in paths.all().iter().enumerate() {
        let found = matching.contains(&at);
        assert_eq!(globs::matches(&kept, path), found, "{kept:?} and {path:?}");
    }
    let mut keys = globs::keys(&kept).peekable();
    let known = paths.keys();
    assert!(
        matching.is_empty()
            || keys.peek().is_none()
            || keys.any(|key| known.binary_search(&key.as_str()).is_ok()),
        "{kept:?} is kept where nobody looks"
    );
}

/// One path, and texts that have it somewhere inside.
pub fn path(rng: &mut Rng) {
    let written = broken(&format!("{}/{}", generate::text(rng), generate::text(rng)), rng);
    for root in [None, Some("/work/repo")] {
        if let Ok(kept) = paths::normalise("paths", root, &written) {
            assert!(
                !kept.starts_with('/')
                    && kept.split('/').all(|part| !part.is_empty() && part != ".."),
                "{written:?}: {kept:?}"
            );
        }
    }
    for found in
        paths::extract(&format!("- `{written}`: why\n* {written}:12, {written}#L3\n{written}"))
    {
        assert!(!found.contains('\n'), "{written:?}: {found:?}");
    }
}

/// One text that may be JSON.
pub fn json(rng: &mut Rng) {
    let text = broken(&generate::anything(rng, 3).to_string(), rng);
    if let Ok(value) = tools::json::parse(&text) {
        assert_eq!(tools::json::parse(&value.to_string()).ok(), Some(value), "{text:?}");
    }
}

/// One document with front matter, or one manifest.
pub fn document(rng: &mut Rng) {
    let document = *rng.pick(DOCUMENTS);
    let text = broken(document, rng);
    let vocabulary = Vocabulary::of(&SCHEMA);
    for extractor in EXTRACTORS {
        for path in ["docs/a.md", "symbols.json", "symbols.yaml"] {
            let input = Input {
                path,
                kind: Some("req").filter(|_| rng.once_in(2)),
                text: &text,
                cut: rng.once_in(10),
            };
            // Facts or a problem: anything but a panic.
            let _ = (extractor.extract)(&input, &vocabulary);
        }
    }
}

/// One file of settings.
pub fn settings(rng: &mut Rng) {
    if rng.once_in(2) {
        let _ = KbConfig::parse(&broken(SETTINGS[1], rng), &Words::of(&SCHEMA));
        return;
    }
    DIRECTORY.with(|directory| {
        fs::write(directory.path().join("graph.config.yaml"), broken(SETTINGS[0], rng)).unwrap();
        let _ = load(directory.path());
    });
}

thread_local! {
    /// Where settings are written, one after the other.
    static DIRECTORY: tempfile::TempDir = tempfile::tempdir().unwrap();

    /// One application gets all imports: each is complete or has no effect.
    static TARGET: RefCell<(tempfile::TempDir, App)> = RefCell::new({
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("graph.config.yaml"), "durability: normal\n").unwrap();
        let app = App::new(load(directory.path()).unwrap());
        (directory, app)
    });
}

fn load(directory: &std::path::Path) -> Result<Config, graph::config::ConfigError> {
    let options = Options { db: Some(directory.join("graph.db")), ..Options::default() };
    Config::load(
        options,
        &Surroundings { directory: directory.to_owned(), variables: Default::default() },
    )
}

/// One directory of memories.
pub fn directory(rng: &mut Rng) {
    let directory = tempfile::tempdir().unwrap();
    let system = directory.path().join("_system");
    fs::create_dir_all(&system).unwrap();
    fs::create_dir_all(directory.path().join("_content/nodes")).unwrap();
    fs::write(system.join("registry.json"), broken(REGISTRY, rng)).unwrap();
    fs::write(system.join("ontology.yaml"), broken(ONTOLOGY, rng)).unwrap();
    fs::write(directory.path().join("_content/nodes/mem_1.md"), broken("# alpha\n", rng)).unwrap();
    let Ok(read) = memory::open_directory(directory.path()) else { return };
    TARGET.with_borrow_mut(|(_, app)| {
        let ctx = app.ctx(Some("fuzz"));
        let merge = rng.once_in(2);
        if let Err(error @ Error::Internal(_)) =
            app.write(&ctx, |tx| memory::import(tx, &read, merge))
        {
            panic!("{error}: {}", fs::read_to_string(system.join("registry.json")).unwrap());
        }
    });
}
