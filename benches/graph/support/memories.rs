//! A memory to measure on: nodes of a kilobyte in groups of ten, two connections on each.
//!
//! A larger memory has more groups, not larger ones: responses keep their size, so that what grows with the memory is
//! the engine's doing.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use graph::{
    app::App,
    config::{Config, Options, Surroundings},
    memory::{self, CreateConnection, CreateNode, Ontology},
};
use rusqlite::{Connection, OpenFlags, Params, config::DbConfig, types::Value as Sqlite};
use serde_json::{Value, json};

use super::stats::Random;

/// Nodes of one group, which is what a query by type and properties finds.
const GROUP: usize = 10;
/// Nodes whose text has the rare word, whatever the size.
const RARE: usize = 10;
/// Nodes that are made in one transaction.
const BATCH: usize = 1_000;
/// Bytes of text, or a little more.
const CONTENT: usize = 1_000;

/// A word that stands in ten nodes.
pub const RARE_WORD: &str = "zeppelin";
/// A word that stands in one node of a hundred.
pub const COMMON_WORD: &str = "quarterly";

/// A memory on its file.
pub struct Memories {
    /// How many nodes it has.
    pub size: usize,
    /// The database.
    pub db: PathBuf,
    /// A sample of its nodes, spread over all of it.
    pub ids: Vec<String>,
    words: Vec<String>,
}

impl Memories {
    /// Builds a memory of `size` nodes in `directory`, a thousand in one transaction.
    pub fn build(directory: &Path, size: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let mut memories = Memories {
            size,
            db: directory.join(format!("{size}.db")),
            ids: Vec::new(),
            words: words(),
        };
        let options = Options { db: Some(memories.db.clone()), ..Options::default() };
        let around =
            Surroundings { directory: directory.to_owned(), variables: Default::default() };
        let config = Config::load(options, &around).map_err(|error| error.message)?;
        let mut app = App::new(config);
        let ctx = app.ctx(Some("bench"));
        let ontology: Ontology = serde_json::from_value(json!({
            "node_types": ["Note", "Task"],
            "connection_types": [
                { "name": "Leads", "from_types": ["Note", "Task"], "to_types": ["Note", "Task"] }],
        }))?;
        app.write(&ctx, |tx| memory::create_ontology(tx, &ontology))?;
        let mut random = Random::new(7);
        let mut ids: Vec<String> = Vec::with_capacity(size);
        while ids.len() < size {
            let batch = ids.len()..(ids.len() + BATCH).min(size);
            app.write(&ctx, |tx| {
                for n in batch.clone() {
                    let ask = CreateNode {
                        r#type: memories.kind(n).to_owned(),
                        content: memories.content(n, &mut random),
                        properties: memories.properties(n),
                        ..CreateNode::default()
                    };
                    ids.push(memory::create_node(tx, &ask)?.node_id);
                }
                for n in batch {
                    for step in [1, 7] {
                        let ask = CreateConnection {
                            r#type: "Leads".to_owned(),
                            from_node_id: ids[n].clone(),
                            to_node_id: ids[n.saturating_sub(step)].clone(),
                            ..CreateConnection::default()
                        };
                        memory::create_connection(tx, &ask)?;
                    }
                }
                Ok(())
            })?;
        }
        memories.ids = ids.into_iter().step_by((size / 500).max(1)).collect();
        Ok(memories)
    }

    fn kind(&self, n: usize) -> &'static str {
        if (n / GROUP).is_multiple_of(2) { "Note" } else { "Task" }
    }

    fn properties(&self, n: usize) -> serde_json::Map<String, Value> {
        let properties = json!({ "status": "open", "group": n / GROUP, "n": n });
        properties.as_object().cloned().unwrap_or_default()
    }

    fn content(&self, n: usize, random: &mut Random) -> String {
        let mut content = format!("# Memory number {n}\n\n");
        if n.is_multiple_of((self.size / RARE).max(1)) {
            content.push_str(RARE_WORD);
            content.push(' ');
        }
        if n.is_multiple_of(100) {
            content.push_str(COMMON_WORD);
            content.push(' ');
        }
        while content.len() < CONTENT {
            content.push_str(&self.words[random.below(self.words.len())]);
            content.push(' ');
        }
        content
    }

    /// Another group in every round; all of its nodes are notes.
    pub fn group(&self, round: usize) -> usize {
        round * 14 % (self.size / GROUP) / 2 * 2
    }

    /// The arguments of a `create_node` like the others.
    pub fn node(&self, round: usize) -> Value {
        let n = self.size + round + 1;
        let content = self.content(n, &mut Random::new(n as u64));
        json!({ "type": "Note", "content": content, "properties": { "status": "new", "group": -1, "n": n } })
    }
}

/// Two thousand words that no text needs more than.
fn words() -> Vec<String> {
    const SYLLABLES: [&str; 16] = [
        "ba", "con", "der", "fi", "gra", "ho", "in", "ju", "ka", "lem", "mo", "ne", "pra", "ri",
        "sta", "tu",
    ];
    let mut random = Random::new(3);
    let mut word = || {
        let syllables = 1 + random.below(4);
        (0..syllables).map(|_| SYLLABLES[random.below(SYLLABLES.len())]).collect()
    };
    (0..2_000).map(|_| word()).collect()
}

/// SQLite on the memory's own file: the fewest statements for a response, each prepared once. They are written
/// anew here: the server's own would hide a bad plan, since both would have it.
pub struct Sql {
    conn: Connection,
}

impl Sql {
    /// Opens the file beside the server.
    pub fn open(db: &Path) -> rusqlite::Result<Self> {
        let conn = Connection::open_with_flags(db, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        conn.set_prepared_statement_cache_capacity(64);
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(Sql { conn })
    }

    fn timed(&self, sql: &str, params: impl Params) -> rusqlite::Result<Duration> {
        let start = Instant::now();
        self.conn.prepare_cached("BEGIN")?.execute([])?;
        {
            let mut statement = self.conn.prepare_cached(sql)?;
            let columns = statement.column_count();
            let mut rows = statement.query(params)?;
            while let Some(row) = rows.next()? {
                for column in 0..columns {
                    let _: Sqlite = row.get(column)?;
                }
            }
        }
        self.conn.prepare_cached("COMMIT")?.execute([])?;
        Ok(start.elapsed())
    }

    /// A node's facts.
    pub fn node(&self, id: &str) -> rusqlite::Result<Duration> {
        self.timed(
            "SELECT id, type, created, modified, properties, format FROM memory_nodes WHERE id = ?1",
            [id],
        )
    }

    /// The notes of a group.
    pub fn nodes(&self, group: usize) -> rusqlite::Result<Duration> {
        self.timed(
            "SELECT n.id FROM memory_node_properties p CROSS JOIN memory_nodes n ON n.seq = p.owner
              WHERE p.type = 'Note' AND p.key = 'group' AND p.kind = 'number' AND p.value = ?1
                AND EXISTS (SELECT 1 FROM memory_node_properties q WHERE q.type = p.type AND q.key = 'status'
                             AND q.kind = 'string' AND q.value = 'open' AND q.owner = p.owner)
              ORDER BY p.owner",
            [group as i64],
        )
    }

    /// The connections from a node.
    pub fn connections(&self, id: &str) -> rusqlite::Result<Duration> {
        self.timed(
            "SELECT id FROM memory_connections WHERE from_node = ?1 AND type = 'Leads' ORDER BY seq",
            [id],
        )
    }

    /// The nodes that a node leads to.
    pub fn connected(&self, id: &str) -> rusqlite::Result<Duration> {
        self.timed(
            "SELECT DISTINCT n.seq, n.id FROM memory_connections c CROSS JOIN memory_nodes n ON n.id = c.to_node
              WHERE c.from_node = ?1 ORDER BY n.seq",
            [id],
        )
    }

    /// The nodes whose text has a word.
    pub fn text(&self, word: &str) -> rusqlite::Result<Duration> {
        self.timed(
            "SELECT n.id FROM search_index f CROSS JOIN search_entries e ON e.id = f.rowid
              CROSS JOIN memory_nodes n ON n.id = e.subject
              WHERE f.search_index MATCH ?1 AND e.domain = 'memory' ORDER BY n.seq",
            [format!("\"{word}\"")],
        )
    }
}
