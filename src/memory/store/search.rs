//! Nodes by a substring of their text, oldest first.

use crate::{
    base::{Domain, Result, text},
    db::{Needle, Read, subjects_sql},
};

/// Nodes after `after` whose text contains the needle.
pub fn page(
    tx: &Read<'_>,
    needle: &Needle,
    kind: Option<&str>,
    after: i64,
    limit: usize,
) -> Result<Vec<(i64, String)>> {
    let phrase = match needle {
        Needle::Phrase(phrase) => phrase,
        Needle::Short(short) => return scan(tx, short, kind, after, limit),
    };
    // In this order: the index returns few rows, and each node is found by its id.
    let sql = format!(
        "SELECT n.seq, n.id FROM ({}) found CROSS JOIN memory_nodes n ON n.id = found.subject
          WHERE n.seq > ?2{} ORDER BY n.seq LIMIT ?4",
        subjects_sql(Domain::Memory, 1),
        of_type(kind)
    );
    tx.all(&sql, (phrase, after, kind, limit), |row| Ok((row.get(0)?, row.get(1)?)))
}

pub fn count(tx: &Read<'_>, needle: &Needle, kind: Option<&str>) -> Result<i64> {
    let phrase = match needle {
        Needle::Phrase(phrase) => phrase,
        Needle::Short(short) => {
            let all = scan(tx, short, kind, 0, usize::MAX)?.len();
            return Ok(i64::try_from(all).unwrap_or(i64::MAX));
        }
    };
    let sql = format!(
        "SELECT count(*) FROM ({}) found CROSS JOIN memory_nodes n ON n.id = found.subject
          WHERE n.seq > ?2{}",
        subjects_sql(Domain::Memory, 1),
        of_type(kind)
    );
    Ok(tx.one(&sql, (phrase, 0, kind), |row| row.get(0))?.unwrap_or(0))
}

/// The condition on the type, which is bound as `?3` even if no type is given.
fn of_type(kind: Option<&str>) -> &'static str {
    match kind {
        Some(_) => " AND n.type = ?3",
        None => " AND ?3 IS NULL",
    }
}

/// Reads every text: a needle of one or two characters is in no trigram.
fn scan(
    tx: &Read<'_>,
    needle: &str,
    kind: Option<&str>,
    after: i64,
    limit: usize,
) -> Result<Vec<(i64, String)>> {
    let mut found = Vec::new();
    // Row by row and not as a condition, so that a call that takes too long can be interrupted.
    tx.while_each(
        "SELECT n.seq, n.id, c.bytes FROM memory_nodes n CROSS JOIN memory_node_contents c ON c.owner = n.seq
          WHERE n.seq > ?1 AND n.encoding = 'utf-8' AND (?2 IS NULL OR n.type = ?2) ORDER BY n.seq",
        (after, kind),
        |row| {
            let bytes = row.get_ref(2)?.as_blob()?;
            let has = std::str::from_utf8(bytes).is_ok_and(|text| text::fold(text).contains(needle));
            Ok(if has { Some((row.get(0)?, row.get(1)?)) } else { None })
        },
        |hit| {
            found.extend(hit);
            Ok(found.len() < limit)
        },
    )?;
    Ok(found)
}
