//! Working trees with files that come, change, go and cannot be read.

use std::{
    fs,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::*;

fn words() -> Vocabulary<'static> {
    let types = vec!["req", "scenario", "test", "adr", "flag", "event", "symbol"];
    Vocabulary { types, relations: vec!["relates_to", "implements"], ..Vocabulary::default() }
}

/// Long after all files were written.
fn later() -> Timestamp {
    "2099-01-01T00:00:00.000Z".parse().unwrap()
}

fn put(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Sets a file's time, in milliseconds since 1970.
fn age(root: &Path, path: &str, millis: u64) -> SystemTime {
    let time = UNIX_EPOCH + Duration::from_millis(millis);
    let file = fs::File::options().write(true).open(root.join(path)).unwrap();
    file.set_modified(time).unwrap();
    time
}

fn first(root: &Path) -> Walk {
    walk(root, &KbConfig::default(), &words(), &[], later(), |_, _| {})
}

fn again(root: &Path, known: &[KnownFile]) -> Walk {
    walk(root, &KbConfig::default(), &words(), known, later(), |_, _| {})
}

/// What a sync keeps of a walk.
fn kept(walk: &Walk) -> Vec<KnownFile> {
    let keep = |file: &FileFacts| KnownFile {
        path: file.path.clone(),
        hash: file.hash.clone(),
        stamp: Some(file.stamp),
    };
    walk.read.iter().map(keep).collect()
}

fn paths(files: &[FileFacts]) -> Vec<&str> {
    files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn all_places_are_looked_at_and_the_nearest_tells_the_type() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    put(root, "docs/requirements/r.md", "---\nid: R-1\n---\n");
    put(root, "docs/requirements/notes.txt", "---\nid: R-2\n---\n");
    put(root, "docs/requirements/adr/a.md", "---\nid: A-1\n---\n");
    put(root, "symbols.json", "{\"symbols\": [{\"id\": \"s\", \"implements\": \"R-1\"}]}");
    put(root, "elsewhere/e.md", "---\nid: E-1\n---\n");
    let mut config = KbConfig::default();
    config.paths.insert("adr".to_owned(), "docs/requirements/adr".to_owned());
    let mut heard = Vec::new();
    let walk = walk(root, &config, &words(), &[], later(), |done, total| heard.push((done, total)));
    assert_eq!(heard, [(1, 3), (2, 3), (3, 3)]);
    let found: Vec<_> = walk
        .read
        .into_iter()
        .map(|file| {
            let entity = file.facts.unwrap().entities.remove(0).entity;
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
    assert_eq!(walk.seen, ["docs/requirements/adr/a.md", "docs/requirements/r.md", "symbols.json"]);
}

#[test]
fn what_looks_the_same_is_not_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    put(root, "docs/adr/a.md", "---\nid: A-1\n---\n");
    put(root, "docs/adr/b.md", "---\nid: B-1\n---\n");
    age(root, "docs/adr/a.md", 1_000_001);
    let known = kept(&first(root));
    let walk = again(root, &known);
    assert_eq!((walk.seen.len(), walk.read.len(), walk.touched.len()), (2, 0, 0));

    // Another time and the same text: touched. Another text: read. Gone: not seen.
    let mtime = age(root, "docs/adr/a.md", 2_000_001);
    fs::remove_file(root.join("docs/adr/b.md")).unwrap();
    let walk = again(root, &known);
    assert_eq!((&walk.seen[..], walk.read.len()), (&["docs/adr/a.md".to_owned()][..], 0));
    let nanoseconds = mtime.duration_since(UNIX_EPOCH).unwrap().as_nanos() as i64;
    let stamp = Stamp { size: 16, mtime: nanoseconds };
    assert_eq!(walk.touched, [("docs/adr/a.md".to_owned(), stamp)]);
    put(root, "docs/adr/a.md", "---\nid: A-2\n---\n");
    assert_eq!(paths(&again(root, &known).read), ["docs/adr/a.md"]);

    // A file of which a part was left out is read even if it is unchanged.
    let unsure: Vec<_> =
        kept(&first(root)).into_iter().map(|file| KnownFile { stamp: None, ..file }).collect();
    assert_eq!(paths(&again(root, &unsure).read), ["docs/adr/a.md"]);
}

#[test]
fn other_settings_or_words_let_nothing_look_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    put(root, "docs/adr/a.md", "---\nid: A-1\n---\n");
    let known = kept(&first(root));
    let mut config = KbConfig::default();
    config.paths.insert("adr".to_owned(), "docs".to_owned());
    config.paths.insert("req".to_owned(), "docs/adr".to_owned());
    let other = walk(root, &config, &words(), &known, later(), |_, _| {});
    assert_eq!(other.read[0].facts.as_ref().unwrap().entities[0].entity.r#type, "req");
    let mut more = words();
    more.relations.push("depends_on");
    let other = walk(root, &KbConfig::default(), &more, &known, later(), |_, _| {});
    assert_eq!(other.read.len(), 1);
    // A rule changes nothing of what files say.
    config = KbConfig::default();
    config.rules.insert("no-cycles".to_owned(), crate::kb::check::Level::Off);
    assert_eq!(walk(root, &config, &words(), &known, later(), |_, _| {}).read.len(), 0);
}

#[test]
fn a_file_that_was_just_written_is_looked_into_again() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let at = |millis| Timestamp::from_millis(millis);
    put(root, "docs/adr/a.md", "---\nid: A-1\n---\n");
    age(root, "docs/adr/a.md", 5_000_004);
    let config = KbConfig::default();
    let one = walk(root, &config, &words(), &[], at(5_000_005), |_, _| {});
    // Written again within the same tick of the clock, with as many bytes.
    put(root, "docs/adr/a.md", "---\nid: A-2\n---\n");
    age(root, "docs/adr/a.md", 5_000_004);
    let two = walk(root, &config, &words(), &kept(&one), at(5_000_100), |_, _| {});
    assert_eq!(two.read[0].facts.as_ref().unwrap().entities[0].entity.id, "A-2");
    let three = walk(root, &config, &words(), &kept(&two), at(5_000_200), |_, _| {});
    assert_eq!((three.read.len(), three.touched.len()), (0, 0));
}

#[test]
fn files_that_cannot_be_used_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    // Long, but its start has everything: the rest is not read.
    let mut long = b"---\nid: R-1\n---\n# Title\n".to_vec();
    long.resize(1 << 20, b'x');
    long.extend(b"\xff");
    put(root, "docs/requirements/long.md", &long);
    // The bound falls into the middle of a letter.
    let umlauts = format!("---\nid: R-2\n---\n# Titel \n{}", "ü".repeat(200_000));
    put(root, "docs/requirements/letters.md", umlauts);
    put(root, "docs/requirements/huge.md", vec![b'x'; 10 << 20]);
    put(root, "docs/requirements/latin.md", b"---\nid: R-3\ntitle: \xfc\n---\n");
    let found: Vec<_> = first(root)
        .read
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
    let directory = tempfile::tempdir().unwrap();
    put(directory.path(), "docs/adr/a.md", "---\nid: A-1\n---\n");
    let (sources, _) = sources(directory.path(), &KbConfig::default());
    fs::remove_file(directory.path().join("docs/adr/a.md")).unwrap();
    let reason = sources[0].read(directory.path()).unwrap_err();
    assert_eq!(reason, "it cannot be read: there is no such file");
}

#[test]
#[cfg(unix)]
fn what_cannot_be_looked_at_is_reported_and_not_gone() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("repo");
    put(&root, "docs/adr/old/a.md", "---\nid: A-1\n---\n");
    put(&root, "docs/adr/b.md", "---\nid: B-1\n---\n");
    let known = kept(&first(&root));
    // The directory was moved; the contents of its files are unchanged.
    fs::rename(root.join("docs/adr/old"), directory.path().join("away")).unwrap();
    std::os::unix::fs::symlink("../../../away", root.join("docs/adr/old")).unwrap();
    let walk = again(&root, &known);
    assert_eq!(walk.seen, ["docs/adr/b.md", "docs/adr/old/a.md"]);
    assert_eq!(paths(&walk.read), ["docs/adr/old"]);
    let problem = walk.read[0].facts.as_ref().unwrap_err();
    assert_eq!(problem.reason, "it leads out of the repository and is not followed");
}
