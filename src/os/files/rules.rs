//! Git's ignore files.
//!
//! They come with whatever branch is checked out, so that each is read as a regular file of a bounded size, and rules are
//! counted before they are compiled: a thousand with wildcards take tens of megabytes. A file past the bounds has no rules.

use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path},
};

use crate::os::{fs::read_bytes, git::Repository};

/// The ignore file of a directory.
const FILE: &str = ".gitignore";
/// The rules with the lowest precedence: the database under its usual name is not a source file, and changes with every
/// call.
const OURS: &[u8] = b"/graph.db\n/graph.db-*\n/graph.db.*\n";
/// What rules weigh that count at one place, and the bytes of a file of them.
const PLACE: usize = 256 * 1024;
/// What rules weigh that are compiled for one walk.
const WALK: usize = 32 * PLACE;
/// What a rule with a wildcard weighs at the least, and by its bytes: each takes a part of an automaton.
const WILD: (usize, usize) = (256, 4);
/// Files whose rules are kept compiled.
const KEPT: usize = 64;

/// The rules that apply to the entries of a directory; none outside of a repository.
pub(super) type Rules = Option<Rc<Level>>;

/// The rules of one file, and those that apply to paths that it does not mention.
#[derive(Debug)]
pub(super) struct Level {
    own: Arc<Gitignore>,
    /// Bytes of a path in front of what these rules are about.
    base: usize,
    /// With those above.
    weight: usize,
    above: Rules,
}

/// Reads ignore files for one walk.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The user's own rules for all repositories.
    everywhere: OnceCell<Option<PathBuf>>,
    compiled: usize,
}

/// Whether rules ignore a path, which is relative to the top that [`Reader::above`] found.
pub(super) fn ignores(rules: &Rules, path: &str, is_directory: bool) -> bool {
    let levels = std::iter::successors(rules.as_deref(), |level| level.above.as_deref());
    let said = levels.map(|level| level.own.matched(&path[level.base..], is_directory));
    // The deepest file with a matching rule decides.
    said.into_iter().find(|said| !said.is_none()).is_some_and(|said| said.is_ignore())
}

impl Reader {
    /// The way from the top of the repository to `directory`, with a slash behind each name, and the rules on that way.
    /// Without a repository the directory is the top. None where the way is no text.
    pub fn above(&mut self, directory: &Path) -> Option<(String, Rules)> {
        let Some(top) = directory.ancestors().find(|directory| is_top(directory)) else {
            return Some((String::new(), None));
        };
        let (mut place, mut way, mut rules) = (top.to_path_buf(), String::new(), None);
        for name in directory.strip_prefix(top).ok()?.components() {
            rules = self.inside(&place, &way, rules);
            place.push(name);
            way = format!("{way}{}/", name.as_os_str().to_str()?);
        }
        Some((way, rules))
    }

    /// The rules for what is in a directory, whose way is `way`, below those that count for itself.
    pub fn inside(&mut self, directory: &Path, way: &str, above: Rules) -> Rules {
        // Ignore files outside of a repository do not apply in it.
        let above = match is_top(directory) {
            true => self.shared(directory, way),
            false => Some(above?),
        };
        let file = directory.join(FILE);
        // Like git, this does not read an ignore file that is a symbolic link.
        match fs::symlink_metadata(&file) {
            Ok(metadata) if metadata.is_file() => self.with(&file, way, above),
            _ => above,
        }
    }

    /// The rules for a whole working tree that are in none of its directories, the weakest first.
    fn shared(&mut self, top: &Path, way: &str) -> Rules {
        let everywhere = self.everywhere.get_or_init(gitconfig_excludes_path).clone();
        let own = Repository::at(top).map(|repository| repository.exclude_file());
        let ours = recent(OURS).unwrap_or_else(|| keep(OURS.to_vec(), OURS.len()));
        let mut rules = Some(Rc::new(Level { own: ours, base: way.len(), weight: 0, above: None }));
        for file in [everywhere, own].into_iter().flatten() {
            rules = self.with(&file, way, rules);
        }
        rules
    }

    /// With the rules of a file, unless they are too many beside those above.
    fn with(&mut self, file: &Path, way: &str, above: Rules) -> Rules {
        let Some((bytes, weight)) = read(file) else { return above };
        let all = above.as_ref().map_or(0, |above| above.weight) + weight;
        if all > PLACE {
            return above;
        }
        let own = match recent(&bytes) {
            Some(own) => own,
            None if self.compiled + weight > WALK => return above,
            None => {
                self.compiled += weight;
                keep(bytes, weight)
            }
        };
        Some(Rc::new(Level { own, base: way.len(), weight: all, above }))
    }
}

fn is_top(directory: &Path) -> bool {
    fs::symlink_metadata(directory.join(".git")).is_ok()
}

/// An ignore file, and what its rules weigh; none where it has none that count.
fn read(file: &Path) -> Option<(Vec<u8>, usize)> {
    let bytes = read_bytes(file, PLACE as u64).ok()?;
    let weight = lines(&bytes).map(|line| weight(&line)).sum();
    (1..=PLACE).contains(&weight).then_some((bytes, weight))
}

/// The lines of an ignore file; what is no text matches nothing that is listed.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.map(|line| String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)))
}

fn weight(line: &str) -> usize {
    match line {
        line if line.is_empty() || line.starts_with('#') => 0,
        line if line.contains(['*', '?', '[', '{']) => WILD.0.max(line.len() * WILD.1),
        line => line.len(),
    }
}

fn compile<'a>(root: &Path, files: impl Iterator<Item = &'a [u8]>) -> Gitignore {
    let mut rules = GitignoreBuilder::new(root);
    for line in files.flat_map(lines) {
        // Like git, this skips an invalid line.
        let _ = rules.add_line(None, &line);
    }
    rules.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The text of a file, what its rules weigh, and these.
type Compiled = (Vec<u8>, usize, Arc<Gitignore>);

/// Rules that were compiled last: the same files are met with every call, and copies of one in many directories.
static RECENT: Mutex<VecDeque<Compiled>> = Mutex::new(VecDeque::new());

fn recent(bytes: &[u8]) -> Option<Arc<Gitignore>> {
    let recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    recent.iter().find(|(known, ..)| known == bytes).map(|(.., rules)| Arc::clone(rules))
}

/// Compiles rules, and keeps them in the place of older ones.
fn keep(bytes: Vec<u8>, weight: usize) -> Arc<Gitignore> {
    let rules = Arc::new(compile(Path::new(""), std::iter::once(bytes.as_slice())));
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    recent.push_back((bytes, weight, Arc::clone(&rules)));
    let mut all: usize = recent.iter().map(|(_, weight, _)| weight).sum();
    while all > PLACE || recent.len() > KEPT {
        all -= recent.pop_front().map_or(0, |(_, weight, _)| weight);
    }
    rules
}

/// What rules for git say about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruled {
    /// It is ignored.
    Ignored,
    /// A rule with `!` keeps it.
    Kept,
    /// Nothing.
    Not,
}

/// What the rules in `files`, the later ones stronger, say about a file relative to `root`.
pub fn ruled(root: &Path, files: &[PathBuf], path: &str) -> Ruled {
    // A missing file has no rules.
    let texts: Vec<_> = files.iter().filter_map(|file| read(file)).collect();
    let rules = compile(root, texts.iter().map(|(bytes, _)| bytes.as_slice()));
    match rules.matched_path_or_any_parents(path, false) {
        Match::Ignore(_) => Ruled::Ignored,
        Match::Whitelist(_) => Ruled::Kept,
        Match::None => Ruled::Not,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::files::{entries, list};

    fn make(root: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    /// A repository in a directory that has rules of its own.
    fn repository() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        make(directory.path(), &[(".gitignore", "*.rs\n")]);
        let root = directory.path().join("repo");
        make(&root, &[(".git/HEAD", ""), (".git/refs/x", ""), (".git/objects/x", "")]);
        (directory, root)
    }

    fn shown(root: &Path) -> String {
        let files = list(root).unwrap().into_iter();
        files.filter(|file| !file.ends_with(".gitignore")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_deepest_file_that_says_something_decides_and_none_above_the_repository() {
        let (_keep, root) = repository();
        make(
            &root,
            &[
                (".git/info/exclude", "*.tmp\n*.own\n"),
                (".gitignore", "\u{feff}*.log\r\n# all\n/build\n!kept.own\n\\#odd\n"),
                ("src/.gitignore", "!seen.log\n/local\n[bad\n"),
                ("a.rs", ""),
                ("a.log", ""),
                ("#odd", ""),
                ("build/x", ""),
                ("kept.own", ""),
                ("other.own", ""),
                ("src/seen.log", ""),
                ("src/a.log", ""),
                ("src/a.tmp", ""),
                ("src/build/x", ""),
                ("src/local", ""),
                ("src/deep/local", ""),
                ("src/deep/seen.log", ""),
                // Only its own rules apply in another repository.
                ("inner/.git/HEAD", ""),
                ("inner/.gitignore", "*.x\n"),
                ("inner/a.log", ""),
                ("inner/a.x", ""),
            ],
        );
        assert_eq!(
            shown(&root),
            "a.rs inner/a.log kept.own src/build/x src/deep/local src/deep/seen.log src/seen.log"
        );
        // The same rules apply if the walk begins in a subdirectory.
        assert_eq!(shown(&root.join("src")), "build/x deep/local deep/seen.log seen.log");
        assert_eq!(
            entries(&root, "src"),
            ["src/.gitignore", "src/build/", "src/deep/", "src/seen.log"]
        );
        assert_eq!(entries(&root, ".."), [""; 0]);
        fs::remove_dir_all(root.join(".git")).unwrap();
        let all = shown(&root);
        assert!(all.starts_with("#odd a.log a.rs build/x "), "without git nothing counts: {all}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_ignore_file_that_is_a_link_or_never_ends_is_not_read() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let (_keep, root) = repository();
        make(&root, &[("a.rs", ""), ("rules", "*.rs\n"), (".git/info/x", "")]);
        let pipe = |path: &Path| {
            let _ = fs::remove_file(path);
            mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        };
        let file = root.join(".gitignore");
        for target in ["/dev/zero", "/dev/stdin", "nowhere", "rules"] {
            std::os::unix::fs::symlink(target, &file).unwrap();
            assert_eq!(shown(&root), "a.rs rules", "{target}");
            assert_eq!(entries(&root, ""), [".gitignore", "a.rs", "rules"], "{target}");
            fs::remove_file(&file).unwrap();
        }
        pipe(&file);
        pipe(&root.join(".git/info/exclude"));
        assert_eq!(shown(&root), "a.rs rules");
        assert_eq!(ruled(&root, &[file, PathBuf::from("/dev/zero")], "a.rs"), Ruled::Not);
    }

    #[test]
    fn more_rules_than_count_at_one_place_are_none() {
        let (_keep, root) = repository();
        make(&root, &[("a.rs", ""), ("src/b.rs", ""), ("src/c.txt", "")]);
        let wild = |count: usize| -> String { (0..count).map(|i| format!("{i}?*.rs\n")).collect() };
        let most = PLACE / WILD.0 - 1;
        let (file, inner) = (root.join(".gitignore"), root.join("src/.gitignore"));
        fs::write(&file, format!("{}*.rs\n", wild(most))).unwrap();
        assert_eq!(shown(&root), "src/c.txt");
        assert_eq!(ruled(&root, std::slice::from_ref(&file), "a.rs"), Ruled::Ignored);
        // What a directory adds is weighed with what is above it.
        fs::write(&inner, "*.txt\n").unwrap();
        assert_eq!(shown(&root), "src/c.txt");
        fs::write(&file, format!("{}*.rs\n", wild(most + 1))).unwrap();
        assert_eq!(shown(&root), "a.rs src/b.rs");
        assert_eq!(ruled(&root, std::slice::from_ref(&file), "a.rs"), Ruled::Not);
        // Plain names weigh what they are long; what only explains weighs nothing, up to the size of a file.
        let plain: String = (0..10_000).map(|i| format!("/name{i}\n")).collect();
        fs::write(&file, format!("{plain}*.rs\n")).unwrap();
        assert_eq!(shown(&root), "");
        fs::write(&file, format!("*.rs\n#{}\n", "x".repeat(PLACE))).unwrap();
        assert_eq!(shown(&root), "a.rs src/b.rs");
    }

    #[test]
    fn one_walk_compiles_so_much_and_no_more() {
        let (_keep, root) = repository();
        let rules = |seed: usize| -> String {
            (0..PLACE / WILD.0).map(|i| format!("{seed}*{i}\n")).collect()
        };
        let mut reader = Reader::default();
        let top = reader.inside(&root, "", None);
        let has_rules = |reader: &mut Reader, directory: &str| {
            let rules = reader.inside(&root.join(directory), "", top.clone());
            rules.unwrap().weight > top.as_ref().unwrap().weight
        };
        for directory in 0..WALK / PLACE {
            make(&root, &[(&format!("d{directory}/.gitignore"), &rules(directory))]);
            assert!(has_rules(&mut reader, &format!("d{directory}")), "{directory}");
        }
        make(&root, &[("last/.gitignore", "another\n")]);
        assert!(!has_rules(&mut reader, "last"));
        assert!(has_rules(&mut Reader::default(), "last"));
    }
}
