use super::*;
use crate::os::fs::{create_text, names, read_text, replace_text, write_beneath};

fn left(directory: &Path) -> Vec<OsString> {
    names(directory).unwrap().unwrap()
}

#[test]
fn what_is_on_its_way_is_private_and_leaves_nothing_when_it_is_given_up() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    let mut given_up = Pending::create(&path).unwrap();
    given_up.write_all(b"half").unwrap();
    drop(given_up);
    assert!(left(directory.path()).is_empty());
    for text in ["one", "two"] {
        let mut pending = Pending::create(&path).unwrap();
        pending.write_all(text.as_bytes()).unwrap();
        pending.finish().unwrap();
        assert_eq!(read_text(&path, 9).unwrap(), text);
        assert_eq!(left(directory.path()), ["a.txt"]);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn what_has_a_name_on_its_way_ends_the_same_as_what_has_none() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    let begin = |text: &str| {
        let (name, file) = named(&path, PRIVATE).unwrap();
        let file = Some(BufWriter::with_capacity(CHUNK, file));
        let mut pending = Pending { place: path.clone(), name: Some(name), file };
        pending.write_all(text.as_bytes()).unwrap();
        pending
    };
    drop(begin("given up"));
    assert!(left(directory.path()).is_empty());
    assert!(begin("one").finish_new().unwrap());
    assert!(!begin("two").finish_new().unwrap(), "something is there");
    assert_eq!(read_text(&path, 9).unwrap(), "one");
    begin("three").finish_soon().unwrap();
    assert_eq!(read_text(&path, 9).unwrap(), "three");
    assert_eq!(left(directory.path()), ["a.txt"]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_on_its_way_has_no_name_where_the_system_can() {
    let directory = tempfile::tempdir().unwrap();
    // Not every file system knows such files, and then there is nothing to try.
    if nameless(directory.path(), PRIVATE).is_none() {
        return;
    }
    let mut pending = Pending::create(&directory.path().join("a.txt")).unwrap();
    pending.write_all(&[b'x'; 3 * CHUNK]).unwrap();
    assert!(left(directory.path()).is_empty(), "a process that dies now leaves nothing");
    pending.finish().unwrap();
    assert_eq!(left(directory.path()), ["a.txt"]);
}

/// What a process leaves that was killed: a name that nobody has locked.
fn leave(directory: &Path, name: &str) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, "half").unwrap();
    path
}

#[test]
fn what_dead_processes_left_is_removed_and_what_living_ones_write_is_not() {
    type Writes = fn(&Path);
    let writes: [Writes; 3] = [
        |directory| assert!(create_text(&directory.join("new"), "text").unwrap()),
        |directory| replace_text(&directory.join("there"), "text").unwrap(),
        |directory| Pending::create(&directory.join("new")).unwrap().finish().unwrap(),
    ];
    for write in writes {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        fs::write(directory.join("there"), "").unwrap();
        leave(directory, ".a.1-0.graph-tmp");
        leave(directory, ".b.db.2-0.graph-tmp");
        leave(directory, ".b.db.2-0.graph-tmp-copy");
        leave(directory, ".b.db.2-0.graph-tmp-copy-journal");
        let other = leave(directory, "graph-tmp");
        let (living, _locked) = named(&directory.join("c"), PRIVATE).unwrap();
        let claim = Claim::beside(&directory.join("d.db")).unwrap();
        fs::write(claim.path(), "on its way").unwrap();
        write(directory);
        for kept in [&living, &claim.path(), &claim.name, &other] {
            assert!(kept.exists(), "{}", kept.display());
        }
        assert!(!left(directory).iter().any(|name| {
            let name = name.to_string_lossy();
            name.starts_with(".a") || name.starts_with(".b")
        }));
        let (copy, name) = (claim.path(), claim.name.clone());
        drop(claim);
        assert!(!copy.exists() && !name.exists(), "a claim goes with what belongs to it");
    }
}

#[cfg(unix)]
#[test]
fn a_directory_for_a_while_goes_also_when_its_process_died() {
    let parent = tempfile::tempdir().unwrap();
    let parent = parent.path();
    fs::create_dir_all(parent.join("graph-dead.graph-tmp/inner")).unwrap();
    fs::create_dir_all(parent.join("graph-other/inner")).unwrap();
    let living = TempDirectory::new_in(parent, "graph-").unwrap();
    let kept = TempDirectory::new_in(parent, "graph-").unwrap();
    fs::write(kept.path().join("a"), "kept").unwrap();
    let was = kept.path().to_owned();
    let kept = kept.keep();
    assert_ne!(kept, was);
    drop(TempDirectory::new_in(parent, "graph-").unwrap());
    assert_eq!(read_text(&kept.join("a"), 9).unwrap(), "kept");
    assert!(living.path().exists() && parent.join("graph-other/inner").exists());
    assert_eq!(left(parent).len(), 3, "{:?}", left(parent));
}

#[test]
fn half_a_file_is_never_seen() {
    let directory = tempfile::tempdir().unwrap();
    let (path, text) = (directory.path().join("a"), "x".repeat(2 * CHUNK));
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..50 {
                write_beneath(directory.path(), "a", text.as_bytes()).unwrap();
                fs::remove_file(&path).unwrap();
                assert!(create_text(&path, &text).unwrap());
                replace_text(&path, &text).unwrap();
                write_beneath(directory.path(), "a", text.as_bytes()).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            if let Ok(seen) = fs::metadata(&path) {
                assert_eq!(seen.len(), text.len() as u64);
            }
        }
    });
}
