//! Keeps `graph_onboard` within its tokens, however long the texts are and however many things there are.

use super::Oriented;
use crate::base::Result;

/// Characters of the response: 600 tokens of four characters.
const MOST: usize = 2_400;

/// Characters of a text and items of a list, tried in this order until the response fits. The last step always does: a
/// test stores the longest of everything.
const STEPS: [(usize, usize); 8] =
    [(200, 6), (120, 6), (90, 6), (60, 6), (45, 5), (30, 4), (24, 3), (24, 2)];

impl Oriented {
    /// Shortens texts and lists only as far as the ceiling requires.
    pub(super) fn fit(&mut self) -> Result<()> {
        for (characters, items) in STEPS {
            if serde_json::to_string(self)?.chars().count() <= MOST {
                break;
            }
            self.shorten(characters, items);
        }
        Ok(())
    }

    fn shorten(&mut self, characters: usize, items: usize) {
        let plan = &mut self.plan;
        plan.tree_omitted += drop_after(&mut plan.tree, items);
        plan.claimed_omitted += drop_after(&mut plan.claimed, items);
        drop_after(&mut plan.last_resolved, items);
        drop_after(&mut plan.next, items);
        plan.other_projects_omitted += drop_long(&mut plan.other_projects, characters, items);
        if let Some(knowledge) = &mut self.knowledge {
            knowledge.uncovered_omitted += drop_long(&mut knowledge.uncovered, characters, items);
        }
        let texts = plan.project.iter_mut().chain(&mut plan.goal);
        let texts = texts.chain(plan.tree.iter_mut().map(|branch| &mut branch.summary));
        let claims = plan.claimed.iter_mut();
        let texts = texts
            .chain(claims.flat_map(|claim| [&mut claim.summary, &mut claim.by, &mut claim.since]));
        let finished = plan.last_resolved.iter_mut();
        let texts = texts.chain(
            finished.flat_map(|done| [&mut done.summary].into_iter().chain(&mut done.evidence)),
        );
        let texts = texts.chain(plan.next.iter_mut().map(|next| &mut next.summary));
        texts
            .chain(self.kb.iter_mut().map(|kb| &mut kb.branch))
            .for_each(|text| cut(text, characters));
    }
}

/// Drops the items after the first `most` and returns how many.
fn drop_after<T>(list: &mut Vec<T>, most: usize) -> usize {
    let all = list.len();
    list.truncate(most);
    all - list.len()
}

/// Drops names that are too long, since a part of a name is of no use, and returns how many are gone.
fn drop_long(names: &mut Vec<String>, characters: usize, most: usize) -> usize {
    let all = names.len();
    names.retain(|name| name.chars().map(size).sum::<usize>() <= characters);
    names.truncate(most);
    all - names.len()
}

/// Cuts a text to `max` characters of JSON, the last of them `…`.
fn cut(text: &mut String, max: usize) {
    let (mut used, mut end) = (0, 0);
    for (at, letter) in text.char_indices() {
        used += size(letter);
        if used > max {
            text.truncate(end);
            text.push('…');
            return;
        }
        if used < max {
            end = at + letter.len_utf8();
        }
    }
}

/// Characters that a letter takes in JSON.
fn size(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_by_the_size_of_its_json() {
        for (text, max, expected) in [
            ("äöü", 3, "äöü"),
            ("äöüß", 3, "äö…"),
            ("\"\"", 4, "\"\""),
            ("\"\"\"", 4, "\"…"),
            ("a\u{1}b", 7, "a…"),
            ("a\u{1}b", 8, "a\u{1}b"),
            ("漢字漢字", 3, "漢字…"),
        ] {
            let mut shortened = text.to_owned();
            cut(&mut shortened, max);
            assert_eq!(shortened, expected, "{text} {max}");
        }
    }
}
