//! Finding the files that extractors read, and reading the ones that changed.
//!
//! A scan walks and looks, and opens nothing; [`Source::read`] is for those files whose stamp is not the known one.

use std::{collections::BTreeMap, path::Path};

use sha2::{Digest, Sha256};

use super::{
    config::KbConfig,
    extract::{EXTRACTORS, Extractor, Input, Vocabulary},
    facts::{FileFacts, Problem, Stamp},
};
use crate::{
    base::text::hexadecimal,
    os::{fs, walk},
};

/// What there is to read, in the order of the paths.
#[derive(Debug, Default)]
pub struct Scan {
    /// The files.
    pub sources: Vec<Source>,
    /// Paths that could not be looked at. Facts of files there, or below there, are not gone.
    pub problems: Vec<(String, Problem)>,
    /// Of settings, schema and extractors: where it is another one, the same file may say something else, and its
    /// stamp tells nothing.
    pub signature: String,
}

/// A file for an extractor.
#[derive(Debug, Clone)]
pub struct Source {
    /// Relative to the root, with `/`.
    pub path: String,
    /// What tells whether it changed.
    pub stamp: Stamp,
    extractor: &'static Extractor,
    kind: Option<String>,
}

/// Looks for files in all places of the settings.
pub fn scan(root: &Path, config: &KbConfig, words: &Vocabulary<'_>) -> Scan {
    let mut found: Vec<(usize, Source)> = Vec::new();
    let mut problems = BTreeMap::new();
    for extractor in EXTRACTORS {
        for place in (extractor.places)(config) {
            let walk = walk::files(root, &place.path, extractor.wants);
            for (path, reason) in walk.problems {
                problems.insert(path, Problem { line: None, reason });
            }
            found.extend(walk.files.into_iter().map(|file| {
                let stamp = Stamp { size: file.size, mtime: file.mtime };
                let kind = place.kind.clone();
                (place.path.len(), Source { path: file.path, stamp, extractor, kind })
            }));
        }
    }
    // Where one place lies in another, the nearer one tells the type.
    found.sort_by(|(near, a), (nearer, b)| a.path.cmp(&b.path).then(nearer.cmp(near)));
    found.dedup_by(|(_, a), (_, b)| a.path == b.path);
    Scan {
        sources: found.into_iter().map(|(_, source)| source).collect(),
        problems: problems.into_iter().collect(),
        signature: signature(config, words),
    }
}

fn signature(config: &KbConfig, words: &Vocabulary<'_>) -> String {
    let names: Vec<_> = EXTRACTORS.iter().map(|extractor| extractor.name).collect();
    let all = format!(
        "{names:?} {:?} {:?} {:?} {:?}",
        config.paths, config.manifests, words.types, words.relations
    );
    hexadecimal(&Sha256::digest(all.as_bytes()))
}

impl Source {
    /// Reads the file, as far as its extractor wants, and makes facts of it.
    pub fn read(&self, root: &Path, words: &Vocabulary<'_>) -> FileFacts {
        let Extractor { max_bytes, read_bytes, .. } = *self.extractor;
        let (hash, facts) = if self.stamp.size > max_bytes {
            let size = self.stamp.size;
            let reason = format!("it has {size} bytes; at most {max_bytes} are read");
            (hexadecimal(&Sha256::digest(reason.as_bytes())), Err(Problem { line: None, reason }))
        } else {
            match fs::read_start(&root.join(&self.path), read_bytes) {
                Ok((bytes, cut)) => (self.hash(&bytes), self.extract(&bytes, cut, words)),
                Err(error) => {
                    let reason = format!("it cannot be read: {error}");
                    (String::new(), Err(Problem { line: None, reason }))
                }
            }
        };
        FileFacts { path: self.path.clone(), stamp: self.stamp, hash, facts }
    }

    /// Of everything that the facts depend on, besides the signature of the scan.
    fn hash(&self, bytes: &[u8]) -> String {
        let kind = self.kind.as_deref().unwrap_or_default();
        let mut hasher = Sha256::new();
        hasher.update(format!("{}\n{kind}\n", self.extractor.name));
        hasher.update(bytes);
        hexadecimal(&hasher.finalize())
    }

    fn extract(
        &self,
        bytes: &[u8],
        cut: bool,
        words: &Vocabulary<'_>,
    ) -> Result<super::facts::Facts, Problem> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // The end of what was read may be the middle of a letter.
            Err(error) if cut && error.error_len().is_none() => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(error) => {
                let offset = error.valid_up_to();
                let line = 1 + bytes[..offset].iter().filter(|byte| **byte == b'\n').count();
                let reason = format!("it is not UTF-8 text (first bad byte at offset {offset})");
                return Err(Problem { line: u32::try_from(line).ok(), reason });
            }
        };
        let input = Input { path: &self.path, kind: self.kind.as_deref(), text, cut };
        (self.extractor.extract)(&input, words)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn words() -> Vocabulary<'static> {
        let types = vec!["req", "scenario", "test", "adr", "flag", "event", "symbol"];
        Vocabulary { types, relations: vec!["relates_to", "implements"] }
    }

    fn put(root: &Path, path: &str, text: impl AsRef<[u8]>) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn facts(root: &Path, config: &KbConfig) -> Vec<FileFacts> {
        let scan = scan(root, config, &words());
        assert_eq!(scan.problems, []);
        scan.sources.iter().map(|source| source.read(root, &words())).collect()
    }

    #[test]
    fn all_places_are_looked_at_and_the_nearest_tells_the_type() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        put(root, "docs/requirements/r.md", "---\nid: R-1\n---\n");
        put(root, "docs/requirements/notes.txt", "---\nid: R-2\n---\n");
        put(root, "docs/requirements/adr/a.md", "---\nid: A-1\n---\n");
        put(root, "symbols.json", "{\"symbols\": [{\"id\": \"s\", \"implements\": \"R-1\"}]}");
        put(root, "elsewhere/e.md", "---\nid: E-1\n---\n");
        let mut config = KbConfig::default();
        config.paths.insert("adr".to_owned(), "docs/requirements/adr".to_owned());
        let found: Vec<_> = facts(root, &config)
            .into_iter()
            .map(|file| {
                let facts = file.facts.unwrap();
                let entity = facts.entities[0].entity.clone();
                format!("{} {} {}", file.path, entity.r#type, entity.id)
            })
            .collect();
        assert_eq!(
            found,
            [
                "docs/requirements/adr/a.md adr A-1",
                "docs/requirements/r.md req R-1",
                "symbols.json symbol s"
            ]
        );
    }

    #[test]
    fn the_hash_is_of_what_the_facts_depend_on() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        put(root, "docs/adr/a.md", "---\nid: A-1\n---\n");
        let config = KbConfig::default();
        let before = facts(root, &config).remove(0);
        assert_eq!(facts(root, &config).remove(0), before);
        put(root, "docs/adr/a.md", "---\nid: A-2\n---\n");
        assert_ne!(facts(root, &config).remove(0).hash, before.hash);
        put(root, "docs/adr/a.md", "---\nid: A-1\n---\n");
        let mut other = config.clone();
        other.paths.insert("adr".to_owned(), "docs".to_owned());
        other.paths.insert("req".to_owned(), "docs/adr".to_owned());
        assert_ne!(facts(root, &other).remove(0).hash, before.hash, "another type by its folder");
        let signature = |config: &KbConfig| scan(root, config, &words()).signature;
        assert_eq!(signature(&config), signature(&KbConfig::default()));
        assert_ne!(signature(&config), signature(&other));
    }

    #[test]
    fn files_that_cannot_be_used_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let head = "---\nid: R-1\n---\n# Title\n";
        // Long, but its start says all: what follows is not even looked at.
        let mut long = head.as_bytes().to_vec();
        long.resize(1 << 20, b'x');
        long.extend(b"\xff");
        put(root, "docs/requirements/long.md", &long);
        // The bound falls into the middle of a letter.
        let umlauts = format!("---\nid: R-2\n---\n# Titel \n{}", "ü".repeat(200_000));
        put(root, "docs/requirements/letters.md", umlauts);
        put(root, "docs/requirements/huge.md", vec![b'x'; 10 << 20]);
        put(root, "docs/requirements/latin.md", b"---\nid: R-3\ntitle: \xfc\n---\n");
        let found: Vec<_> = facts(root, &KbConfig::default())
            .into_iter()
            .map(|file| (file.path, file.facts.map(|facts| facts.entities.len())))
            .collect();
        let problem = |line, reason: &str| Err(Problem { line, reason: reason.to_owned() });
        assert_eq!(
            found,
            [
                (
                    "docs/requirements/huge.md".to_owned(),
                    problem(None, "it has 10485760 bytes; at most 8388608 are read")
                ),
                (
                    "docs/requirements/latin.md".to_owned(),
                    problem(Some(3), "it is not UTF-8 text (first bad byte at offset 19)")
                ),
                ("docs/requirements/letters.md".to_owned(), Ok(1)),
                ("docs/requirements/long.md".to_owned(), Ok(1)),
            ]
        );
    }

    #[test]
    fn a_file_that_vanishes_meanwhile_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "docs/adr/a.md", "---\nid: A-1\n---\n");
        let scan = scan(folder.path(), &KbConfig::default(), &words());
        fs::remove_file(folder.path().join("docs/adr/a.md")).unwrap();
        let problem = scan.sources[0].read(folder.path(), &words()).facts.unwrap_err();
        assert_eq!(problem.reason, "it cannot be read: there is no such file");
    }
}
