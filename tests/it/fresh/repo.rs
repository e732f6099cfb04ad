//! A repository whose files have the age that a test sets: clocks of file systems are too coarse to wait for.

use std::{
    cell::Cell,
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::{
    TestApp,
    git::{commit, git},
};

/// An application in a git repository with one project, `p`.
pub struct Repo {
    pub app: TestApp,
    pub root: PathBuf,
    ticks: Cell<u64>,
}

impl Repo {
    /// On branch main, with one commit.
    pub fn new() -> Self {
        let repo = Self::without_git();
        git(&repo.root, &["init", "-q", "-b", "main"]);
        repo.write(".gitignore", "graph.db*\nbuild\n");
        commit(&repo.root);
        repo
    }

    pub fn without_git() -> Self {
        let mut app = TestApp::new();
        app.graph_open(json!({ "project": "p" }));
        let root = app.db_path().parent().unwrap().canonicalize().unwrap();
        Repo { app, root, ticks: Cell::new(0) }
    }

    /// Writes a file, at a time of its own.
    pub fn write(&self, path: &str, text: &str) {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        self.touch(path);
        self.touch_directory(path);
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.root.join(path)).unwrap();
        self.touch_directory(path);
    }

    /// Sets another time on a file.
    pub fn touch(&self, path: &str) {
        self.ticks.set(self.ticks.get() + 1);
        // In seconds: git compares no finer.
        self.age(path, (1_700_000_000 + self.ticks.get()) * 1_000);
    }

    /// Sets the time of a file to `millis` after 1970.
    pub fn age(&self, path: &str, millis: u64) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        File::open(self.root.join(path)).unwrap().set_modified(time).unwrap();
    }

    /// Sets another time on the directory of a file, as writing into it does.
    pub fn touch_directory(&self, path: &str) {
        let directory = Path::new(path).parent().unwrap();
        self.touch(directory.to_str().unwrap());
    }

    /// Creates an atom; its id.
    pub fn atom(&mut self, name: &str, paths: &[&str]) -> String {
        let ask = json!({ "operation": "create", "entityType": "atom", "name": name, "paths": paths, "knowledge": "k" });
        let answer = self.app.manage_graph(ask);
        answer["data"]["atom"]["id"].as_str().unwrap().to_owned()
    }

    pub fn get(&mut self, id: &str) -> Value {
        let ask = json!({ "operation": "get", "entityType": "atom", "id": id });
        self.app.query_graph(ask)["data"]["atom"].take()
    }

    /// `fresh`, `changed 2` or `unknown`; empty where there is no mark.
    pub fn mark(&mut self, id: &str) -> String {
        shown(&self.get(id)["freshness"])
    }

    pub fn update(&mut self, id: &str, change: Value) -> Value {
        let ask = self.updating(id, change);
        self.app.manage_graph(ask)["data"]["atom"].take()
    }

    pub fn updating(&mut self, id: &str, change: Value) -> Value {
        let version = self.get(id)["version"].clone();
        let mut ask =
            json!({ "operation": "update", "entityType": "atom", "id": id, "version": version });
        ask.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        ask
    }

    /// The mark of an entity of the KB.
    pub fn entity(&mut self, id: &str, branch: Option<&str>) -> String {
        let mut ask = json!({ "id": id });
        if let Some(branch) = branch {
            ask["branch"] = json!(branch);
        }
        let found = self.app.kb_query(ask);
        assert_eq!(found["total"], 1, "{found}");
        shown(&found["entities"][0]["freshness"])
    }

    /// Writes a requirement that has this document.
    pub fn require(&mut self, id: &str, text_ref: Option<&str>) {
        let entity = json!({ "id": id, "type": "req", "title": "t", "status": "draft", "text_ref": text_ref });
        self.app.kb_upsert(json!({ "entities": [entity] }));
    }

    pub fn sync(&mut self) {
        let ctx = self.app.ctx("a");
        self.app.app.kb_sync(&ctx, false, |_, _| {}).unwrap();
    }

    /// The number that a query returns.
    pub fn count(&self, query: &str) -> i64 {
        let db = Connection::open(self.app.db_path()).unwrap();
        db.query_row(query, [], |row| row.get(0)).unwrap()
    }

    /// `action` of the last events, oldest first.
    pub fn last_events(&self, limit: usize) -> String {
        let db = Connection::open(self.app.db_path()).unwrap();
        let sql = "SELECT group_concat(action, ' ') FROM (SELECT action FROM
                     (SELECT seq, action FROM events ORDER BY seq DESC LIMIT ?1) ORDER BY seq)";
        db.query_row(sql, [limit as i64], |row| row.get(0)).unwrap()
    }
}

/// `fresh`, `changed 2` or `unknown`; empty where there is no mark.
pub fn shown(mark: &Value) -> String {
    match (mark["state"].as_str(), mark.get("files")) {
        (Some(state), Some(files)) => format!("{state} {files}"),
        (state, _) => state.unwrap_or_default().to_owned(),
    }
}
