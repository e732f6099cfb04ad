//! Random sequences: the invariants hold in any order of calls. Every run has the same sequences.

use graph::kb::{self, FileFacts};
use serde_json::{Value, json};

use super::world::{Kb, file};

/// Pseudo-random numbers that are the same in every run.
struct Dice(u32);

impl Dice {
    fn below(&mut self, most: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) % most
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u32) as usize]
    }
}

/// What a file may declare: an entity of any type, with links that are valid, invalid or without a target.
fn declared(at: usize, dice: &mut Dice) -> FileFacts {
    let kind = dice.one(&["req", "req", "test", "scenario"]);
    let links: Vec<String> = (0..dice.below(4))
        .map(|_| {
            let relation = dice.one(&["depends_on", "verified_by", "specified_by", "relates_to"]);
            format!("E{at} {relation} E{}", dice.below(8))
        })
        .collect();
    let mut links = links;
    links.sort();
    links.dedup();
    file(&format!("f{at}.md"), &format!("{kind} E{at}"), &links.join(", "))
}

fn said(kb: &mut Kb) -> (Vec<Value>, Vec<String>) {
    let mut entities = kb.query(json!({ "limit": 200 }))["entities"].as_array().unwrap().clone();
    for entity in &mut entities {
        let entity = entity.as_object_mut().unwrap();
        entity.retain(|field, _| field != "created_at" && field != "updated_at");
    }
    (entities, kb.links())
}

#[test]
fn a_sync_of_changed_files_equals_a_sync_of_all_files() {
    for seed in 1..4 {
        let (mut dice, mut kb) = (Dice(seed), Kb::empty());
        let mut files: Vec<Option<FileFacts>> = vec![None; 6];
        for step in 0..15 {
            let before = files.clone();
            for _ in 0..=dice.below(3) {
                let at = dice.below(6) as usize;
                files[at] = (dice.below(4) > 0).then(|| declared(at, &mut dice));
            }
            // A file of which something was left out is read again each time.
            let known = kb.read(kb::known_files).unwrap();
            let unsure = |path: &str| known.iter().any(|it| it.path == path && it.stamp.is_none());
            let all: Vec<FileFacts> = files.iter().flatten().cloned().collect();
            let (read, still): (Vec<_>, Vec<_>) = all
                .iter()
                .cloned()
                .partition(|file| unsure(&file.path) || !before.contains(&Some(file.clone())));
            let still: Vec<&str> = still.iter().map(|file| file.path.as_str()).collect();
            let synced = kb.sync(read, &still);
            let mut cold = Kb::empty();
            let whole = cold.sync(all, &[]);
            assert_eq!(said(&mut kb), said(&mut cold), "seed {seed}, step {step}");
            assert_eq!(synced.problems, whole.problems, "seed {seed}, step {step}");
        }
    }
}

#[test]
fn no_rollback_leaves_an_invalid_link_and_the_newest_changeset_can_be_rolled_back() {
    let pairs = [
        ("depends_on", "R0", "R1"),
        ("verified_by", "R0", "T0"),
        ("verified_by", "R1", "T0"),
        ("specified_by", "R1", "S0"),
        ("relates_to", "T0", "S0"),
    ];
    let (mut done, mut refused) = (0, 0);
    for seed in 1..4 {
        let (mut dice, mut kb) = (Dice(seed), Kb::of("req R0 R1, test T0, scenario S0", ""));
        let mut log: Vec<String> = Vec::new();
        for step in 0..120 {
            let before = said(&mut kb);
            let id = dice.one(&["R0", "R1", "T0", "S0"]);
            let outcome = match dice.below(8) {
                0 | 1 => {
                    let (relation, from, to) = pairs[dice.below(5) as usize];
                    let link = json!({ "relation": relation, "from": from, "to": to });
                    kb.app.call("a", "kb_upsert", json!({ "relationships": [link] }))
                }
                2 => {
                    let kind = dice.one(&["req", "test", "scenario"]);
                    let change = json!({ "id": id, "type": kind, "title": "t", "status": "draft" });
                    kb.app.call("a", "kb_upsert", json!({ "entities": [change] }))
                }
                3 => {
                    let cascade = dice.below(3) > 0;
                    kb.app.call(
                        "a",
                        "kb_delete",
                        json!({ "ids": [id], "cascade": cascade, "reason": "r" }),
                    )
                }
                _ if log.is_empty() => continue,
                _ => {
                    let changeset = log[dice.below(log.len() as u32) as usize].clone();
                    let done = kb.write(|tx, setting| kb::rollback(tx, setting, &changeset));
                    done.map(|done| json!({ "changeset": done.changeset }))
                }
            };
            let Ok(answer) = outcome else {
                assert_eq!(said(&mut kb), before, "seed {seed}, step {step}");
                refused += 1;
                continue;
            };
            let Some(changeset) = answer["changeset"].as_str() else { continue };
            log.push(changeset.to_owned());
            done += 1;
            let rules = json!({ "rules": ["no-dangling", "required-fields"] });
            assert_eq!(kb.violations(rules), [""; 0], "seed {seed}, step {step}");
            if dice.below(5) > 0 {
                continue;
            }
            let after = said(&mut kb);
            for expected in [&before, &after] {
                let last = log.last().unwrap().clone();
                let back = kb.write(|tx, setting| kb::rollback(tx, setting, &last)).unwrap();
                assert_eq!(&said(&mut kb), expected, "seed {seed}, step {step}");
                log.push(back.changeset);
            }
        }
    }
    assert!(done > 50 && refused > 20, "both are tried: {done} and {refused}");
}
