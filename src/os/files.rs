//! The files of a working tree, as git sees them.

use std::path::Path;

use ignore::WalkBuilder;

/// Files that are listed at the most; a tree with more is not a project.
const MAX_FILES: usize = 1_000_000;

/// The files below `root` that git does not ignore, relative to it with `/` between names, sorted.
///
/// None where there are too many. What cannot be read, or has a name that is no text, is passed over.
pub fn list(root: &Path) -> Option<Vec<String>> {
    let mut files = Vec::new();
    // Dotfiles are files; the repository itself is not one of them.
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    for entry in walk.flatten() {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink());
        let relative = entry.path().strip_prefix(root).ok().and_then(Path::to_str);
        if let (true, Some(path)) = (is_file, relative) {
            if files.len() == MAX_FILES {
                return None;
            }
            files.push(path.replace('\\', "/"));
        }
    }
    files.sort_unstable();
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn dotfiles_count_and_what_git_ignores_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in [".git/HEAD", ".env", "src/a.rs", "src/deep/b.rs", "target/x", ".gitignore"] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, if name == ".gitignore" { "target\n" } else { "" }).unwrap();
        }
        assert_eq!(list(root).unwrap(), [".env", ".gitignore", "src/a.rs", "src/deep/b.rs"]);
    }
}
