//! What a context link means.

use std::collections::BTreeSet;

use crate::base::paths;

/// The files and directories that context links name, as they are spelled there.
pub fn linked_paths(links: &[String]) -> Vec<String> {
    paths::extract(&links.join("\n"))
}

/// The same, each in one spelling. An absolute path remains absolute: another reader may have the repository in another
/// directory.
pub fn named(links: &[String]) -> BTreeSet<String> {
    linked_paths(links).iter().map(|path| one_spelling(path)).collect()
}

fn one_spelling(path: &str) -> String {
    paths::normalise("context_links", None, path).unwrap_or_else(|_| {
        let slashed = path.replace('\\', "/").replace("//", "/");
        slashed.trim_end_matches('/').to_owned()
    })
}
