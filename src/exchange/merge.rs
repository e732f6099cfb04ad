//! Which of two records of one thing wins, and the counts of the results.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Record, line};
use crate::base::Result;

/// What happened to a record of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Nothing of this name was stored.
    New,
    /// The stored one is equal.
    Equal,
    /// It replaced the stored one.
    Replaced,
    /// The stored one remains.
    Kept,
}

impl Fate {
    /// Whether it is written.
    pub fn writes(self) -> bool {
        matches!(self, Fate::New | Fate::Replaced)
    }
}

/// How many records of one type had which fate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    pub new: usize,
    pub equal: usize,
    pub replaced: usize,
    pub kept: usize,
}

impl Tally {
    pub fn count(&mut self, fate: Fate) {
        match fate {
            Fate::New => self.new += 1,
            Fate::Equal => self.equal += 1,
            Fate::Replaced => self.replaced += 1,
            Fate::Kept => self.kept += 1,
        }
    }

    /// Whether anything was written.
    pub fn changed(&self) -> bool {
        self.new + self.replaced > 0
    }
}

/// Tallies by type.
pub type Report = BTreeMap<&'static str, Tally>;

/// Decides between two records. If the stamps are equal, their lines are compared, so that both sides choose the same one.
pub fn settle<R: Record>(there: Option<&R>, incoming: &R) -> Result<Fate> {
    let Some(there) = there else {
        return Ok(Fate::New);
    };
    let (ours, theirs) = (line(there)?, line(incoming)?);
    if ours == theirs {
        return Ok(Fate::Equal);
    }
    let wins = (incoming.stamp(), &theirs) > (there.stamp(), &ours);
    Ok(if wins { Fate::Replaced } else { Fate::Kept })
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::{base::Timestamp, exchange::record};

    record! {
        Thing = "test.thing" counted {
            #[serde(default, skip_serializing_if = "Map::is_empty")]
            properties: Map<String, Value>,
        }
    }

    fn thing(version: i64, at: i64, by: &str, properties: Value) -> Thing {
        Thing {
            r#type: Thing::TYPE.to_owned(),
            id: "t".to_owned(),
            version,
            updated_at: Timestamp::from_millis(at),
            updated_by: by.to_owned(),
            properties: properties.as_object().cloned().unwrap_or_default(),
        }
    }

    #[test]
    fn the_higher_version_wins_then_the_newer_then_the_last_name_then_the_last_line() {
        let ours = thing(2, 5, "m", json!({ "a": 2 }));
        for (theirs, expected) in [
            (thing(2, 5, "m", json!({ "a": 2 })), Fate::Equal),
            (thing(3, 0, "a", json!({})), Fate::Replaced),
            (thing(1, 9, "z", json!({})), Fate::Kept),
            (thing(2, 6, "a", json!({})), Fate::Replaced),
            (thing(2, 4, "z", json!({})), Fate::Kept),
            (thing(2, 5, "n", json!({})), Fate::Replaced),
            (thing(2, 5, "l", json!({})), Fate::Kept),
            (thing(2, 5, "m", json!({ "a": 3 })), Fate::Replaced),
            (thing(2, 5, "m", json!({ "a": 1 })), Fate::Kept),
        ] {
            assert_eq!(settle(Some(&ours), &theirs).unwrap(), expected, "{theirs:?}");
            // From the other side the same one wins.
            let mirrored = settle(Some(&theirs), &ours).unwrap();
            let opposite = match expected {
                Fate::Replaced => Fate::Kept,
                Fate::Kept => Fate::Replaced,
                other => other,
            };
            assert_eq!(mirrored, opposite, "{theirs:?}");
        }
        assert_eq!(settle(None, &ours).unwrap(), Fate::New);
    }
}
