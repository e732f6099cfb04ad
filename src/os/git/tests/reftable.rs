//! Reftables that git wrote: many refs in many tables, both hashes, and damage.

use super::*;
use crate::os::git::Rename;

#[test]
fn many_refs_are_found_and_listed() {
    if !knows_reftable() {
        return;
    }
    for hash in ["sha1", "sha256"] {
        let format = format!("--object-format={hash}");
        let (_directory, root) = repository_with(&["--ref-format=reftable", &format]);
        let first = commit(&root);
        let mut branches: Vec<_> = (0..3000).map(|n| format!("topic/{n:05}")).collect();
        create(&root, &branches, &first);
        let second = commit(&root);
        branches.push("trunk".to_owned());
        let repository = Repository::find(&root).unwrap();
        for packed in [false, true] {
            if packed {
                git(&root, &["pack-refs", "--all"]);
            }
            let state = repository.state();
            assert_eq!(state.branch.as_deref(), Some("trunk"), "{hash} {packed}");
            assert_eq!(state.head.as_ref(), Some(&second), "{hash} {packed}");
            for (name, expected) in [
                ("topic/00000", true),
                ("topic/02999", true),
                ("trunk", true),
                ("topic", false),
                ("topic/03000", false),
                ("zzz", false),
                ("", false),
                ("--help", false),
            ] {
                assert_eq!(repository.has_branch(name), expected, "{hash} {packed} {name}");
            }
            let listed = repository.local_branches().unwrap();
            assert_eq!(listed.into_iter().collect::<Vec<_>>(), branches);
        }
    }
}

/// Makes many branches at once.
fn create(root: &Path, names: &[String], commit: &str) {
    let line = |name: &String| format!("create refs/heads/{name} {commit}\n");
    fs::write(root.join("refs.txt"), names.iter().map(line).collect::<String>()).unwrap();
    let script = "git update-ref --create-reflog -m made --stdin < refs.txt";
    let output = Command::new("sh").current_dir(root).args(["-c", script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn damaged_tables_are_an_error_that_quotes_git() {
    if !knows_reftable() {
        return;
    }
    let (_directory, root) = repository_with(&["--ref-format=reftable"]);
    commit(&root);
    git(&root, &["branch", "-m", "renamed"]);
    git(&root, &["pack-refs", "--all"]);
    let repository = Repository::find(&root).unwrap();
    let refused = |damage: &str| {
        assert_eq!(repository.state().branch, None, "{damage}");
        assert_eq!(repository.renames("renamed"), [] as [Rename; 0], "{damage}");
        assert!(!repository.has_branch("renamed"), "{damage}");
        let told = [
            repository.active_branch().unwrap_err().to_string(),
            repository.active_branches().unwrap_err().to_string(),
            repository.local_branches().unwrap_err().to_string(),
        ];
        assert!(told.iter().all(|said| said.contains("ended with 128: fatal")), "{told:?}");
    };
    let stack = root.join(".git/reftable");
    let list = fs::read_to_string(stack.join("tables.list")).unwrap();
    let path = stack.join(list.lines().last().unwrap());
    let sound = fs::read(&path).unwrap();
    for length in [0, 20, sound.len() / 2, sound.len() - 1] {
        rewrite(&path, &sound[..length]);
        refused(&format!("cut at {length}"));
    }
    fs::write(stack.join("tables.list"), "gone.ref\n").unwrap();
    refused("a table is missing");
    rewrite(&path, &sound);
    fs::write(stack.join("tables.list"), list).unwrap();
    assert_eq!(repository.state().branch.as_deref(), Some("renamed"));
    assert_eq!(repository.renames("renamed").len(), 1);
}

/// Git makes its tables read-only.
fn rewrite(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}
