//! The reftable reader on stacks that git wrote: many tables, many blocks, both hashes, and damage.

use super::{
    super::{refs::Pointer, reftable},
    *,
};

#[test]
fn many_refs_in_many_blocks_are_found_and_listed() {
    if !knows_reftable() {
        return;
    }
    for hash in ["sha1", "sha256"] {
        let format = format!("--object-format={hash}");
        let (_directory, root) = repository_with(&["--ref-format=reftable", &format]);
        let first = commit(&root);
        let branches: Vec<_> = (0..3000).map(|n| format!("refs/heads/topic/{n:05}")).collect();
        create(&root, &branches, &first);
        let second = commit(&root);
        let stack = root.join(".git/reftable");
        for packed in [false, true] {
            if packed {
                git(&root, &["pack-refs", "--all"]);
            }
            let head = Pointer::Ref("refs/heads/trunk".to_owned());
            assert_eq!(reftable::find(&stack, "HEAD").unwrap(), Some(head));
            for (name, expected) in [
                ("refs/heads/topic/00000", Some(&first)),
                ("refs/heads/topic/02999", Some(&first)),
                ("refs/heads/trunk", Some(&second)),
                ("refs/heads/topic", None),
                ("refs/heads/topic/03000", None),
                ("refs/heads/zzz", None),
                ("", None),
            ] {
                let found = reftable::find(&stack, name).unwrap();
                assert_eq!(found, expected.cloned().map(Pointer::Commit), "{hash} {packed} {name}");
            }
            let listed = reftable::list(&stack, "refs/heads/topic/").unwrap();
            assert_eq!(listed.into_iter().collect::<Vec<_>>(), branches);
            let messages = reftable::messages(&stack, "refs/heads/trunk").unwrap();
            assert_eq!(messages.len(), 2, "{messages:?}");
            assert!(messages[0].1.starts_with("commit (initial)"), "{messages:?}");
            assert!(messages.iter().all(|(at, _)| *at > 1_000_000_000), "{messages:?}");
        }
    }
}

/// Makes many refs at once; their log entries fill many blocks.
fn create(root: &Path, names: &[String], commit: &str) {
    let lines: String = names.iter().map(|name| format!("create {name} {commit}\n")).collect();
    fs::write(root.join("refs.txt"), lines).unwrap();
    let script = "git update-ref --create-reflog -m made --stdin < refs.txt";
    let output = Command::new("sh").current_dir(root).args(["-c", script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn damage_is_an_error_and_never_a_panic() {
    if !knows_reftable() {
        return;
    }
    let (_directory, root) = repository_with(&["--ref-format=reftable"]);
    commit(&root);
    git(&root, &["branch", "-m", "renamed"]);
    git(&root, &["pack-refs", "--all"]);
    let stack = root.join(".git/reftable");
    let list = fs::read_to_string(stack.join("tables.list")).unwrap();
    let path = stack.join(list.lines().last().unwrap());
    let sound = fs::read(&path).unwrap();
    let look = || {
        let _ = reftable::find(&stack, "HEAD");
        let _ = reftable::list(&stack, "refs/");
        let _ = reftable::messages(&stack, "refs/heads/renamed");
        Repository::find(&root).unwrap().state()
    };
    // Some damage changes only what is not read; most must be noticed, none may panic.
    for at in 0..sound.len() {
        for value in [0x00, 0x7f, 0x80, 0xff] {
            let mut bytes = sound.clone();
            bytes[at] = value;
            rewrite(&path, &bytes);
            look();
        }
    }
    for length in 0..sound.len() {
        rewrite(&path, &sound[..length]);
        assert!(reftable::find(&stack, "HEAD").is_err(), "cut at {length}");
        assert_eq!(look().branch, None, "cut at {length}");
    }
    rewrite(&path, &sound);
    assert_eq!(look().branch.as_deref(), Some("renamed"));

    fs::write(stack.join("tables.list"), "../../secret\n").unwrap();
    assert!(reftable::find(&stack, "HEAD").unwrap_err().to_string().contains("leads out"));
    fs::write(stack.join("tables.list"), "gone.ref\n").unwrap();
    assert!(reftable::find(&stack, "HEAD").is_err());
}

/// Git makes its tables read-only.
fn rewrite(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}
