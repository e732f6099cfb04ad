//! Paging: an opaque cursor that knows its own query, and a budget for one page.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use super::{Fault, Result};

/// Characters of a list when the caller named no limit.
pub const DEFAULT_CHARS: usize = 8_000;
/// Characters of a list at the most: clients move longer results out of sight.
pub const MAX_CHARS: usize = 40_000;

/// The identity of a query: a cursor of one query does not continue another.
#[derive(Debug, Clone)]
pub struct Query(String);

impl Query {
    /// Fingerprints everything that decides which rows come and in which order.
    pub fn new(name: &str, arguments: &impl Serialize) -> Result<Self> {
        let mut query = serde_json::to_value((name, arguments))?;
        // The same query, in whichever order a client writes its keys.
        query.sort_all_objects();
        let digest = Sha256::digest(query.to_string());
        Ok(Query(BASE64.encode(&digest[..6])))
    }

    /// The cursor that continues this query after `key`.
    pub fn cursor(&self, key: &impl Serialize) -> Result<String> {
        Ok(BASE64.encode(serde_json::to_vec(&(&self.0, key))?))
    }

    /// Reads a cursor back; one that is damaged or of another query is refused.
    pub fn resume<K: DeserializeOwned>(&self, cursor: Option<&str>) -> Result<Option<K>> {
        let Some(cursor) = cursor else {
            return Ok(None);
        };
        let parsed = BASE64
            .decode(cursor)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<(String, K)>(&bytes).ok());
        match parsed {
            Some((query, key)) if query == self.0 => Ok(Some(key)),
            Some(_) => Err(refused("belongs to a query with other arguments")),
            None => Err(refused("was not returned by this tool")),
        }
    }
}

fn refused(problem: &str) -> super::Error {
    Fault::invalid("cursor", problem)
        .hint("pass `next_cursor` of the last response and leave the other arguments unchanged, or omit `cursor` to start again")
        .into()
}

/// Keeps one page within its characters; a page always has room for one item.
#[derive(Debug)]
pub struct Budget {
    left: usize,
    frame: usize,
    empty: bool,
}

impl Budget {
    /// A page of at most `chars` characters of compact JSON.
    pub fn new(chars: usize) -> Self {
        Budget { left: chars, frame: 0, empty: true }
    }

    /// A page whose items take `frame` characters more each than what is shown of them here.
    pub fn framed(chars: usize, frame: usize) -> Self {
        Budget { frame, ..Budget::new(chars) }
    }

    /// Not even the first item may be larger than this.
    pub fn strict(self) -> Self {
        Budget { empty: false, ..self }
    }

    /// Characters that are left.
    pub fn left(&self) -> usize {
        self.left
    }

    /// Takes the item's size off the page; false when it no longer fits.
    pub fn admit(&mut self, item: &impl Serialize) -> Result<bool> {
        let size = serde_json::to_string(item)?.chars().count() + 1 + self.frame;
        let fits = self.empty || size <= self.left;
        if fits {
            self.left = self.left.saturating_sub(size);
            self.empty = false;
        }
        Ok(fits)
    }
}

/// Keeps the leading items that fit into `chars`, and says how many were left out.
pub fn cut<T: Serialize>(items: &mut Vec<T>, chars: usize) -> Result<usize> {
    if items.len() <= 1 {
        // Fits whatever its size, which need not be found out.
        return Ok(0);
    }
    let mut budget = Budget::new(chars);
    let mut keep = 0;
    for item in items.iter() {
        if !budget.admit(item)? {
            break;
        }
        keep += 1;
    }
    let left_out = items.len() - keep;
    items.truncate(keep);
    Ok(left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ErrorCode;

    #[test]
    fn a_cursor_continues_its_own_query_only() {
        let query = Query::new("list", &("p", 1)).unwrap();
        let cursor = query.cursor(&(7, "x")).unwrap();
        let key: Option<(i64, String)> = query.resume(Some(&cursor)).unwrap();
        assert_eq!(key, Some((7, "x".to_owned())));

        let (ab, ba) =
            (serde_json::json!({ "a": 1, "b": 2 }), serde_json::json!({ "b": 2, "a": 1 }));
        let cursor_of_ab = Query::new("list", &ab).unwrap().cursor(&7).unwrap();
        let resumed = Query::new("list", &ba).unwrap().resume::<i64>(Some(&cursor_of_ab)).unwrap();
        assert_eq!(resumed, Some(7), "the same keys in another order");

        let other = Query::new("list", &("p", 2)).unwrap();
        for (query, cursor) in [(&other, cursor.as_str()), (&query, "???"), (&query, "")] {
            let error = query.resume::<(i64, String)>(Some(cursor)).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ValidationError, "{cursor}");
        }
        assert_eq!(query.resume::<i64>(None).unwrap(), None);
    }

    #[test]
    fn a_page_holds_at_least_one_item_and_no_more_than_fit() {
        let mut items = vec!["x".repeat(50), "y".repeat(50)];
        assert_eq!(cut(&mut items, 10).unwrap(), 1);
        assert_eq!(items.len(), 1);
        let mut items: Vec<_> = (0..10).map(|i| i.to_string()).collect();
        assert_eq!(cut(&mut items, 12).unwrap(), 7);
    }
}
