//! A KB with short notations for what tests write and read.

use std::{
    fs,
    ops::{Deref, DerefMut},
};

use graph::{
    base::Result,
    db::{Read, Write},
    kb::{self, Draft, Fact, Facts, FileFacts, Link, Problem, Setting, Stamp, Walk},
};
use serde_json::{Value, json};

use crate::support::TestApp;
pub use crate::support::values::each;

pub struct Kb {
    pub app: TestApp,
}

impl Kb {
    /// An empty KB outside git: the branch is `main`.
    pub fn empty() -> Self {
        Kb { app: TestApp::new() }
    }

    /// A KB with entities as [`entities`] and links as [`links`] read them.
    pub fn of(wanted: &str, linked: &str) -> Self {
        let mut kb = Kb::empty();
        kb.put(wanted, linked);
        kb
    }

    pub fn put(&mut self, wanted: &str, linked: &str) -> Value {
        self.up(json!({ "entities": entities(wanted), "relationships": links(linked) }))
    }

    pub fn up(&mut self, arguments: Value) -> Value {
        self.app.kb_upsert(arguments)
    }

    pub fn query(&mut self, arguments: Value) -> Value {
        self.app.kb_query(arguments)
    }

    /// The ids that a query finds, with spaces between them.
    pub fn ids(&mut self, arguments: Value) -> String {
        let found = self.query(arguments);
        let ids = found["entities"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap());
        ids.collect::<Vec<_>>().join(" ")
    }

    pub fn entity(&mut self, id: &str) -> Value {
        let mut found = self.query(json!({ "id": id }));
        assert_eq!(found["total"], 1, "{id}: {found}");
        found["entities"][0].take()
    }

    /// All links as `from relation to`, `?` behind those that are unresolved.
    pub fn links(&mut self) -> Vec<String> {
        let found = self.query(json!({ "edges": {}, "limit": 200 }));
        let links = found["relationships"].as_array().unwrap().iter().map(|link| {
            let name = |field: &str| link[field].as_str().unwrap().to_owned();
            let mark = if link["unresolved"] == true { " ?" } else { "" };
            format!("{} {} {}{mark}", name("from"), name("relation"), name("to"))
        });
        links.collect()
    }

    /// `rule entity` for each violation.
    pub fn violations(&mut self, arguments: Value) -> Vec<String> {
        let checked = self.app.kb_check(arguments);
        let found = checked["violations"].as_array().unwrap().iter().map(|it| {
            format!("{} {}", it["rule"].as_str().unwrap(), it["entity"].as_str().unwrap())
        });
        found.collect()
    }

    /// Creates the files that make the directory a repository on `branch`.
    pub fn checkout(&self, branch: &str) {
        self.head(&format!("ref: refs/heads/{branch}\n"));
    }

    pub fn head(&self, text: &str) {
        let git = self.directory().join(".git");
        fs::create_dir_all(git.join("objects")).unwrap();
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        fs::write(git.join("HEAD"), text).unwrap();
    }

    /// Writes a file of `.kb/schema/`.
    pub fn schema(&self, name: &str, text: &str) {
        let directory = self.directory().join(".kb/schema");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(name), text).unwrap();
    }

    pub fn setting(&self) -> Setting {
        self.app.app.kb(None).unwrap()
    }

    pub fn read<T>(&mut self, f: impl Fn(&Read<'_>, &Setting) -> Result<T>) -> Result<T> {
        let (setting, ctx) = (self.setting(), self.app.ctx("a"));
        self.app.app.kb_read(&ctx, &setting, |tx| f(tx, &setting))
    }

    pub fn write<T>(&mut self, f: impl FnOnce(&Write<'_>, &Setting) -> Result<T>) -> Result<T> {
        let (setting, ctx) = (self.setting(), self.app.ctx("a"));
        self.app.app.kb_write(&ctx, &setting, |tx| f(tx, &setting))
    }

    /// Syncs files as [`file`] makes them; the paths in `still` exist and were not read.
    pub fn sync(&mut self, read: Vec<FileFacts>, still: &[&str]) -> kb::Synced {
        let walk = walk(read, still);
        self.write(|tx, setting| kb::sync(tx, setting, &walk)).unwrap()
    }
}

impl Deref for Kb {
    type Target = TestApp;

    fn deref(&self) -> &TestApp {
        &self.app
    }
}

impl DerefMut for Kb {
    fn deref_mut(&mut self) -> &mut TestApp {
        &mut self.app
    }
}

pub fn walk(read: Vec<FileFacts>, still: &[&str]) -> Walk {
    let paths = read.iter().map(|file| file.path.clone());
    let seen = paths.chain(still.iter().map(|path| (*path).to_owned())).collect();
    Walk { seen, read, ..Walk::default() }
}

/// `req R1 R2, test T1`: entities of these types, with a status that the type allows.
pub fn entities(wanted: &str) -> Vec<Value> {
    let groups = wanted.split(',').map(str::trim).filter(|group| !group.is_empty());
    let each = groups.flat_map(|group| {
        let mut words = group.split_whitespace();
        let kind = words.next().unwrap();
        words.map(move |id| {
            json!({ "id": id, "type": kind, "title": format!("title of {id}"), "status": status(kind) })
        })
    });
    each.collect()
}

fn status(kind: &str) -> &'static str {
    match kind {
        "req" | "scenario" => "approved",
        "adr" => "accepted",
        _ => "active",
    }
}

/// `R1 verified_by T1, R2 depends_on R1`
pub fn links(wanted: &str) -> Vec<Value> {
    let links = wanted.split(',').map(str::trim).filter(|link| !link.is_empty());
    let links = links.map(|link| {
        let words: Vec<_> = link.split_whitespace().collect();
        let mut link = json!({ "from": words[0], "relation": words[1], "to": words[2] });
        if let Some(kind) = words.get(3) {
            link["kind"] = (*kind).into();
        }
        link
    });
    links.collect()
}

/// A file that declares entities and links, in the same notation, each on a line of its own.
pub fn file(path: &str, wanted: &str, linked: &str) -> FileFacts {
    let mut line = 0;
    let entities = entities(wanted).into_iter().map(|entity| {
        line += 1;
        let text = |field: &str| entity[field].as_str().unwrap().to_owned();
        let draft = Draft {
            id: text("id"),
            r#type: text("type"),
            title: Some(text("title")),
            status: Some(text("status")),
            text_ref: Some(path.to_owned()),
            ..Draft::default()
        };
        Fact { entity: draft, line }
    });
    let entities = entities.collect();
    let links = links(linked).into_iter().map(|link| {
        line += 1;
        let text = |field: &str| link[field].as_str().unwrap().to_owned();
        let kind = link["kind"].as_str().map(str::to_owned);
        Link {
            relation: text("relation"),
            from: text("from"),
            to: text("to"),
            kind,
            confidence: None,
            line,
        }
    });
    let facts = Facts { entities, links: links.collect(), problems: Vec::new() };
    let hash = format!("{wanted}|{linked}");
    FileFacts { path: path.to_owned(), stamp: stamp(&hash), hash, facts: Ok(facts) }
}

/// A file that cannot be parsed.
pub fn broken(path: &str, line: u32, reason: &str) -> FileFacts {
    let problem = Problem { line: Some(line), reason: reason.to_owned() };
    let hash = reason.to_owned();
    FileFacts { path: path.to_owned(), stamp: stamp(&hash), hash, facts: Err(problem) }
}

fn stamp(hash: &str) -> Stamp {
    Stamp { size: hash.len() as u64, mtime: 1 }
}
