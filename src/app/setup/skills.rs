//! Skills for Claude Code: how to find, plan and finish work with these tools.

use std::path::Path;

use super::{Act, Step, Undo, text_of};
use crate::base::Result;

const DIRECTORY: &str = ".claude/skills";
/// Names and texts.
const SKILLS: [(&str, &str); 3] = [
    ("discovery", include_str!("skills/discovery.md")),
    ("planning", include_str!("skills/planning.md")),
    ("execution", include_str!("skills/execution.md")),
];

/// Plans to create the missing skills. An existing one, which may have been edited, stays.
pub fn steps(root: &Path) -> Result<Vec<Step>> {
    let step = |(name, text): &(&str, &str)| {
        let path = path(name);
        let about = "a skill for Claude Code";
        Ok(match text_of(root, &path)? {
            Ok(Some(found)) if found == *text => Step::new(path, about, Act::Present),
            Ok(Some(_)) => Step::new(path, about, Act::Unneeded("it exists with another text")),
            Ok(None) => {
                let undo = Undo::Remove(format!("{DIRECTORY}/{name}"));
                Step::new(path, about, Act::Create((*text).to_owned())).undo(undo)
            }
            Err(problem) => Step::new(path, about, Act::Left(problem)),
        })
    };
    SKILLS.iter().map(step).collect()
}

/// Whether all skills exist, edited or not.
pub fn exist(root: &Path) -> bool {
    SKILLS.iter().all(|(name, _)| root.join(path(name)).is_file())
}

fn path(name: &str) -> String {
    format!("{DIRECTORY}/{name}/SKILL.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_skill_says_its_name_and_when_to_use_it() {
        for (name, text) in SKILLS {
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("---"), "{name}");
            assert_eq!(lines.next(), Some(format!("name: {name}").as_str()));
            let description = lines.next().and_then(|line| line.strip_prefix("description: "));
            let description = description.unwrap_or_default();
            // The limits of the format, and nothing that YAML treats specially.
            assert!((20..=1024).contains(&description.len()), "{name}");
            assert!(!description.contains(": ") && !description.contains(" #"), "{name}");
            assert!(description.contains("Use "), "{name}");
            assert_eq!(lines.next(), Some("---"), "{name}");
            assert!(text.len() < 4000 && text.ends_with('\n'), "{name}");
        }
    }
}
