//! The event log: what changed, from what to what, by whom and when.

use rusqlite::{params_from_iter, types::Value};
use serde::Serialize;
use serde_json::json;

use super::{row, tx::Read};
use crate::base::{Domain, Result, Timestamp, props::Change};

/// The field of an import's event that says who made the change that was imported.
pub const UPDATED_BY: &str = "updated_by";

/// The domain column of events about the file as a whole.
const WHOLE: &str = "graph";

/// One mutation, as a domain reports it.
#[derive(Debug)]
pub struct Event<'a> {
    /// None for an event about the file as a whole, which is stored as `graph`.
    pub domain: Option<Domain>,
    /// The kind of thing that changed.
    pub kind: &'a str,
    /// The id of the thing that changed.
    pub subject: &'a str,
    /// A verb in the past tense.
    pub action: &'a str,
    /// Field by field.
    pub changes: &'a [Change],
}

/// One event as it is stored.
#[derive(Debug, Clone, Serialize)]
pub struct EventRow {
    /// The position in the order of commits.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: String,
    /// Which domain.
    pub domain: String,
    /// What kind of thing.
    pub kind: String,
    /// Its id.
    pub subject: String,
    /// What happened.
    pub action: String,
    /// Field by field.
    pub changes: Vec<Change>,
    /// The call that did it.
    pub request: String,
}

/// Events of one subject, newest first, those before `before` only.
pub fn history(
    tx: &Read<'_>,
    domain: Domain,
    subject: &str,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<EventRow>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM events
              WHERE subject = ?1 AND domain = ?2 AND seq < ?3 ORDER BY seq DESC LIMIT ?4"
        ),
        (subject, domain.as_str(), before.unwrap_or(i64::MAX), limit),
        from_row,
    )
}

/// Events of one subject in any domain, newest first.
pub fn of_subject(tx: &Read<'_>, subject: &str, limit: usize) -> Result<Vec<EventRow>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM events
              WHERE subject = ?1 ORDER BY seq DESC LIMIT ?2"
        ),
        (subject, limit),
        from_row,
    )
}

/// A filter for events.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Only events of this domain.
    pub domain: Option<Domain>,
    /// Only events at this instant or later.
    pub since: Option<Timestamp>,
    /// Only events of this subject, in any domain.
    pub subject: Option<&'a str>,
}

impl Event<'_> {
    /// The name of the domain in the event log.
    pub(super) fn domain_name(&self) -> &'static str {
        self.domain.map_or(WHOLE, Domain::as_str)
    }
}

impl Wanted<'_> {
    /// The conditions with their values. Filters that are not set are left out of the SQL, since SQLite chooses an index
    /// before it knows the values.
    fn conditions(&self, tx: &Read<'_>) -> Result<(String, Vec<Value>)> {
        let since = self.since.map(|since| first_since(tx, since)).transpose()?;
        let wanted = [
            ("subject =", self.subject.map(|subject| Value::from(subject.to_owned()))),
            ("domain =", self.domain.map(|domain| Value::from(domain.as_str().to_owned()))),
            ("seq >=", since.map(Value::from)),
        ];
        let (mut conditions, mut values) = (String::from("true"), Vec::new());
        for (condition, value) in wanted {
            if let Some(value) = value {
                conditions += &format!(" AND {condition} ?");
                values.push(value);
            }
        }
        Ok((conditions, values))
    }
}

/// The position of the first event at an instant or later, by binary search: no event is older than the one before it.
fn first_since(tx: &Read<'_>, since: Timestamp) -> Result<i64> {
    let (mut low, mut high) = (0, last_event(tx)? + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let found: Option<(i64, Timestamp)> = tx.one(
            "SELECT seq, at FROM events WHERE seq >= ?1 ORDER BY seq LIMIT 1",
            [middle],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        match found {
            Some((seq, at)) if at < since => low = seq + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

/// The latest events, newest first.
pub fn recent(tx: &Read<'_>, wanted: Wanted<'_>, limit: usize) -> Result<Vec<EventRow>> {
    let (conditions, values) = wanted.conditions(tx)?;
    let sql = format!(
        "SELECT {COLUMNS} FROM events
          WHERE {conditions} ORDER BY seq DESC LIMIT {limit}"
    );
    tx.all(&sql, params_from_iter(values), from_row)
}

/// The events after the position `after`, oldest first.
pub fn later(tx: &Read<'_>, after: i64, wanted: Wanted<'_>, limit: usize) -> Result<Vec<EventRow>> {
    let (conditions, mut values) = wanted.conditions(tx)?;
    values.push(after.into());
    let sql = format!(
        "SELECT {COLUMNS} FROM events
          WHERE {conditions} AND seq > ? ORDER BY seq LIMIT {limit}"
    );
    tx.all(&sql, params_from_iter(values), from_row)
}

/// Events of one range of the event log, oldest first.
pub fn between(tx: &Read<'_>, first: i64, last: i64) -> Result<Vec<EventRow>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM events
              WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq"
        ),
        (first, last),
        from_row,
    )
}

/// The position of the latest event; 0 if there is none.
pub fn last_event(tx: &Read<'_>) -> Result<i64> {
    Ok(tx.one("SELECT max(seq) FROM events", [], |row| row.get(0))?.flatten().unwrap_or(0))
}

/// The actor who last changed a thing, not counting actions of `others`. For an import it is the actor whom the
/// imported record names.
pub fn author(
    tx: &Read<'_>,
    domain: Domain,
    kind: &str,
    subject: &str,
    others: &[&str],
) -> Result<Option<String>> {
    let found: Option<(String, Option<String>)> = tx.one(
        "SELECT actor, CASE action WHEN 'imported' THEN
                  (SELECT j.value ->> 'after' FROM json_each(changes) j WHERE j.value ->> 'field' = ?5) END
           FROM events
          WHERE subject = ?1 AND domain = ?2 AND kind = ?3
            AND action NOT IN (SELECT value FROM json_each(?4))
          ORDER BY seq DESC LIMIT 1",
        (subject, domain.as_str(), kind, json!(others).to_string(), UPDATED_BY),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(found.map(|(actor, imported)| imported.unwrap_or(actor)))
}

/// The title of a thing of any domain, if it exists.
pub fn title(tx: &Read<'_>, domain: &str, subject: &str) -> Result<Option<String>> {
    tx.one("SELECT title FROM v_nodes WHERE id = ?1 AND domain = ?2", (subject, domain), |row| {
        row.get(0)
    })
}

row! {
    COLUMNS, from_row -> EventRow {
        seq: "seq",
        at: "at",
        actor: "actor",
        domain: "domain",
        kind: "kind",
        subject: "subject",
        action: "action",
        changes: json "changes",
        request: "request",
    }
}
