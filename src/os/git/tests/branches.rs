//! Which branch is active, which is the default, which exist, and what they were called before.

use std::collections::BTreeSet;

use super::*;

/// Both storages of refs must give the same results.
fn storages() -> Vec<&'static [&'static str]> {
    let files: &[&str] = &[];
    match knows_reftable() {
        true => vec![files, &["--ref-format=reftable"]],
        false => vec![files],
    }
}

/// Git allows most things in a name.
const ODD: &str = "feature/a#b'ü";

fn active(directory: &Path) -> String {
    Repository::find(directory).unwrap().active_branch().unwrap()
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn unborn_branch_is_active() {
    for storage in storages() {
        let (_directory, root) = repository_with(storage);
        assert_eq!(active(&root), "trunk", "{storage:?}");
        let repository = Repository::find(&root).unwrap();
        assert_eq!(repository.local_branches().unwrap(), names(&[]), "{storage:?}");
        assert_eq!(repository.active_branches().unwrap(), names(&["trunk"]), "{storage:?}");
    }
}

#[test]
fn switching_takes_effect_at_once() {
    for storage in storages() {
        let (_directory, root) = repository_with(storage);
        let repository = Repository::find(&root).unwrap();
        let first = commit(&root);
        git(&root, &["checkout", "-q", "-b", ODD]);
        assert_eq!(repository.active_branch().unwrap(), ODD, "{storage:?}");
        git(&root, &["checkout", "-q", "trunk"]);
        assert_eq!(repository.active_branch().unwrap(), "trunk", "{storage:?}");
        git(&root, &["checkout", "-q", "--detach"]);
        assert_eq!(repository.active_branch().unwrap(), format!("@{first}"), "{storage:?}");
    }
}

#[test]
fn loose_and_packed_branches_are_listed_once() {
    for storage in storages() {
        let (_directory, root) = repository_with(storage);
        commit(&root);
        git(&root, &["branch", ODD]);
        git(&root, &["branch", "old"]);
        git(&root, &["tag", "-a", "v1", "-m", "annotated"]);
        git(&root, &["pack-refs", "--all"]);
        git(&root, &["branch", "a/b/c"]);
        commit(&root);
        let repository = Repository::find(&root).unwrap();
        let expected = names(&["a/b/c", ODD, "old", "trunk"]);
        assert_eq!(repository.local_branches().unwrap(), expected, "{storage:?}");
        git(&root, &["branch", "-D", "old"]);
        let expected = names(&["a/b/c", ODD, "trunk"]);
        assert_eq!(repository.local_branches().unwrap(), expected, "{storage:?}");
    }
}

#[test]
fn every_packed_branch_is_found_among_many_and_no_other() {
    let (_directory, root) = repository();
    let commit = commit(&root);
    let tag = "b".repeat(40);
    let mut lines: Vec<String> = (0..300)
        .map(|at| format!("{commit} refs/heads/{}/{at}", "x".repeat(at % 7 + 1)))
        .chain((0..50).map(|at| format!("{tag} refs/tags/v{at}\n^{commit}")))
        .chain(["é", "a", "zz"].map(|name| format!("{commit} refs/heads/{name}")))
        .collect();
    lines.sort_by(|a, b| a.split(' ').nth(1).cmp(&b.split(' ').nth(1)));
    let repository = Repository::find(&root).unwrap();
    let sorted = format!("# pack-refs with: peeled fully-peeled sorted \n{}\n", lines.join("\n"));
    lines.reverse();
    let unsorted = format!("# pack-refs with: peeled fully-peeled \n{}\n", lines.join("\n"));
    let cut = sorted.trim_end().to_owned();
    let mut listed = BTreeSet::new();
    for text in [sorted, unsorted, cut] {
        let is_cut = !text.ends_with('\n');
        fs::write(root.join(".git/packed-refs"), &text).unwrap();
        // What is missing of a truncated file is unknown; the rest is found.
        match repository.local_branches() {
            Ok(found) => listed = found,
            Err(_) => assert!(is_cut),
        }
        assert_eq!(listed.len(), 304, "with the one that is checked out");
        for name in &listed {
            assert!(repository.has_branch(name), "{name}");
            assert!(
                !repository.has_branch(&format!("{name}0")) || listed.contains(&format!("{name}0"))
            );
        }
        for name in ["", "0", "x", "x/", "x/999", "zzz", "ê", "v1"] {
            assert!(!repository.has_branch(name), "{name}");
        }
    }
}

#[test]
fn branches_are_all_listed_or_none_and_the_file_is_named() {
    let (_directory, root) = repository();
    let commit = commit(&root);
    let repository = Repository::find(&root).unwrap();
    let packed = root.join(".git/packed-refs");
    let refused = |text: &[u8], problem: &str| {
        fs::write(&packed, text).unwrap();
        let said = repository.local_branches().unwrap_err().to_string();
        assert!(said.contains(packed.to_str().unwrap()) && said.contains(problem), "{said}");
    };
    let line = format!("{commit} refs/heads/a\n");
    refused(&line.as_bytes()[..50], "line 1: it is cut off");
    refused(format!("{line}garbage\n{line}").as_bytes(), "line 2: it is not a ref");
    refused(format!("{line}\n").as_bytes(), "line 2: it is not a ref");
    refused(format!("{line}^{}\n", &commit[1..]).as_bytes(), "line 2: it is not a ref");
    refused(&vec![0; 1 << 20], "line 1: it is too long for a ref");
    refused(&[line.as_bytes(), commit.as_bytes(), b" refs/heads/\xff\n"].concat(), "not UTF-8");
    // A tag may be called anything.
    fs::write(&packed, [line.as_bytes(), commit.as_bytes(), b" refs/tags/\xff\n"].concat())
        .unwrap();
    assert_eq!(repository.local_branches().unwrap(), names(&["a", "trunk"]));
    fs::remove_file(&packed).unwrap();
    fs::create_dir(&packed).unwrap();
    let said = repository.local_branches().unwrap_err().to_string();
    assert!(said.contains("packed-refs: it is not a regular file"), "{said}");
    fs::remove_dir(&packed).unwrap();
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"\xff");
        fs::write(root.join(".git/refs/heads").join(name), &commit).unwrap();
        let said = repository.local_branches().unwrap_err().to_string();
        assert!(said.contains("refs/heads/") && said.contains("not UTF-8"), "{said}");
    }
}

#[test]
fn rebase_in_progress_is_the_branch_being_rebased() {
    for storage in storages() {
        for backend in ["--merge", "--apply"] {
            let (_directory, root) = repository_with(storage);
            let change = |text: &str| {
                fs::write(root.join("a"), text).unwrap();
                git(&root, &["add", "a"]);
                git(&root, &["commit", "-q", "-m", text]);
            };
            change("base\n");
            git(&root, &["checkout", "-q", "-b", ODD]);
            change("ours\n");
            git(&root, &["checkout", "-q", "trunk"]);
            change("theirs\n");
            git(&root, &["checkout", "-q", ODD]);
            let stopped = attempt(&root, &["rebase", backend, "trunk"]);
            assert!(!stopped.status.success(), "the rebase must stop at its conflict");

            assert_eq!(GitState::of(&root).unwrap().branch, None, "HEAD is detached meanwhile");
            assert_eq!(active(&root), ODD, "{storage:?} {backend}");
            git(&root, &["rebase", "--abort"]);
            assert_eq!(active(&root), ODD, "{storage:?} {backend}");
        }
    }
}

#[test]
fn rebase_of_a_detached_head_stays_a_commit() {
    let (_directory, root) = repository();
    let first = commit(&root);
    git(&root, &["checkout", "-q", "--detach"]);
    fs::create_dir(root.join(".git/rebase-merge")).unwrap();
    fs::write(root.join(".git/rebase-merge/head-name"), "detached HEAD\n").unwrap();
    assert_eq!(active(&root), format!("@{first}"));
}

#[test]
fn each_worktree_has_its_own_active_branch() {
    for storage in storages() {
        let (_directory, root) = repository_with(storage);
        let first = commit(&root);
        git(&root, &["worktree", "add", "-q", "-b", "side", "../linked"]);
        git(&root, &["worktree", "add", "-q", "--detach", "../loose"]);
        let linked = root.parent().unwrap().join("linked");
        assert_eq!(active(&linked), "side", "{storage:?}");
        assert_eq!(active(&root), "trunk", "{storage:?}");
        let detached = format!("@{first}");
        let expected = names(&["side", "trunk", &detached]);
        for directory in [&root, &linked] {
            let repository = Repository::find(directory).unwrap();
            assert_eq!(repository.active_branches().unwrap(), expected, "{storage:?}");
            assert_eq!(repository.local_branches().unwrap(), names(&["side", "trunk"]));
        }
        let repository = Repository::find(&root).unwrap();
        let head = root.join(".git/worktrees/loose/HEAD");
        fs::write(&head, "garbage").unwrap();
        let said = repository.active_branches().unwrap_err().to_string();
        assert!(said.contains(head.to_str().unwrap()), "{said}");
        assert!(repository.has_branch("side"), "{storage:?}");
        fs::remove_file(&head).unwrap();
        assert_eq!(repository.active_branches().unwrap(), names(&["side", "trunk"]));
    }
}

#[test]
fn submodule_is_a_repository_of_its_own() {
    for storage in storages() {
        let (_directory, root) = repository_with(storage);
        commit(&root);
        let parent = root.parent().unwrap();
        let outer = parent.join("outer");
        fs::create_dir(&outer).unwrap();
        git(&outer, &[&["init", "-q", "-b", "outer"], storage].concat());
        let format = storage.first().map_or("files", |_| "reftable");
        let setting = format!("init.defaultRefFormat={format}");
        git(&outer, &["-c", &setting, "submodule", "add", "-q", root.to_str().unwrap(), "sub"]);
        let sub = outer.join("sub");
        assert_eq!(active(&sub), "trunk", "{storage:?}");
        git(&sub, &["checkout", "-q", "-b", "inner"]);
        assert_eq!((active(&sub), active(&outer)), ("inner".to_owned(), "outer".to_owned()));
        assert_eq!(Repository::find(&sub).unwrap().default_branch(None), "trunk", "{storage:?}");
    }
}

#[test]
#[cfg(unix)]
fn repository_reached_through_a_symbolic_link() {
    let (_directory, root) = repository();
    commit(&root);
    let parent = root.parent().unwrap();
    fs::create_dir(root.join("below")).unwrap();
    let link = |target: &Path, name: &str| {
        let link = parent.join(name);
        std::os::unix::fs::symlink(target, &link).unwrap();
        link
    };
    // To the root: the path that people know stays.
    let to_root = link(&root, "to-root");
    let found = Repository::find(&to_root.join("below")).unwrap();
    assert_eq!((found.root.as_path(), active(&to_root)), (to_root.as_path(), "trunk".to_owned()));
    // Into the middle: nothing above the link is a repository.
    let below = link(&root.join("below"), "to-below");
    assert_eq!(Repository::find(&below).unwrap().root, root);
    // From one repository into another: the real place decides, as in git.
    let other = parent.join("other");
    fs::create_dir(&other).unwrap();
    git(&other, &["init", "-q", "-b", "other"]);
    link(&root.join("below"), "other/inside");
    assert_eq!(active(&other.join("inside")), "trunk");
    assert_eq!(git(&other.join("inside"), &["branch", "--show-current"]), "trunk");
}

#[test]
fn default_branch_is_the_setting_then_the_remote_then_main() {
    for storage in storages() {
        let (_directory, root) = repository_with(storage);
        commit(&root);
        let repository = Repository::find(&root).unwrap();
        assert_eq!(repository.default_branch(None), "main", "no remote: {storage:?}");
        assert_eq!(repository.default_branch(Some("develop")), "develop");
        git(&root, &["branch", "master"]);
        assert_eq!(repository.default_branch(None), "master", "there is no main: {storage:?}");
        git(&root, &["branch", "main"]);
        assert_eq!(repository.default_branch(None), "main", "{storage:?}");

        let parent = root.parent().unwrap();
        git(parent, &[&["clone", "-q"], storage, &["main", "clone"]].concat());
        let clone = Repository::find(&parent.join("clone")).unwrap();
        assert_eq!(clone.default_branch(None), "trunk", "{storage:?}");
        assert_eq!(clone.default_branch(Some("develop")), "develop");
        git(&parent.join("clone"), &["checkout", "-q", "-b", "rel/1"]);
        git(&parent.join("clone"), &["push", "-q", "origin", "rel/1"]);
        git(&parent.join("clone"), &["remote", "set-head", "origin", "rel/1"]);
        assert_eq!(clone.default_branch(None), "rel/1", "{storage:?}");
    }
}

/// The names that a branch had, the last one first.
fn former(repository: &Repository, branch: &str) -> Vec<String> {
    let renames = repository.renames(branch);
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_millis() as i64;
    assert!(renames.iter().all(|it| (now - it.at.millis()).abs() < 600_000), "{renames:?}");
    renames.into_iter().map(|it| it.from).collect()
}

#[test]
fn former_names_come_from_the_reflog() {
    for storage in storages() {
        let (_directory, root) = repository_with(storage);
        commit(&root);
        let repository = Repository::find(&root).unwrap();
        assert_eq!(former(&repository, "trunk"), [""; 0], "{storage:?}");
        git(&root, &["checkout", "-q", "-b", ODD]);
        commit(&root);
        git(&root, &["branch", "-m", "second"]);
        git(&root, &["branch", "-m", "third"]);
        assert_eq!(former(&repository, "third"), ["second", ODD], "{storage:?}");
        assert_eq!(former(&repository, "second"), [""; 0], "{storage:?}");
        // A copy is no rename, and a name that came back is not a former one.
        git(&root, &["branch", "-c", "third", "copy"]);
        assert_eq!(former(&repository, "copy"), [""; 0], "{storage:?}");
        git(&root, &["branch", "-m", "third", ODD]);
        assert_eq!(former(&repository, ODD), ["third", "second"], "{storage:?}");
        assert_eq!(former(&repository, "../../config"), [""; 0]);
    }
}

#[test]
fn a_head_that_cannot_be_read_is_a_clear_fault() {
    let (_directory, root) = repository();
    for (head, expected) in [
        ("nonsense\n", "names neither a branch nor a commit"),
        ("ref: refs/heads/.invalid\n", "in a reftable, which git cannot read: it ended with 128"),
    ] {
        fs::write(root.join(".git/HEAD"), head).unwrap();
        let error = Repository::find(&root).unwrap().active_branch().unwrap_err();
        let fault = error.into_fault("r");
        assert!(fault.message.contains(expected), "{fault}");
        assert!(fault.hint.unwrap().to_string().contains("GRAPH_BRANCH"));
    }
}

#[test]
#[cfg(unix)]
fn a_head_that_is_a_symbolic_link_is_followed_by_name() {
    let (_directory, root) = repository();
    commit(&root);
    fs::remove_file(root.join(".git/HEAD")).unwrap();
    std::os::unix::fs::symlink("refs/heads/trunk", root.join(".git/HEAD")).unwrap();
    assert_eq!(active(&root), "trunk");
}

#[test]
#[cfg(unix)]
fn a_repository_of_another_user_is_read_and_git_is_quoted_where_it_is_asked() {
    let (_directory, root) = repository();
    commit(&root);
    let owned = [root.clone(), root.join(".git")];
    let given = owned.iter().try_for_each(|path| std::os::unix::fs::chown(path, Some(4242), None));
    if let Err(error) = given {
        // Only an administrator can change the owner of a file, which the rest of the test needs.
        println!("note: not tried, {error}");
        return;
    }
    assert_eq!(active(&root), "trunk");
    let fault = Repository::find(&root).unwrap().hooks_directory().unwrap_err().into_fault("r");
    assert!(fault.message.contains("dubious ownership"), "{fault}");
}

#[test]
fn hooks_directory_is_where_git_looks() {
    let (_directory, root) = repository();
    commit(&root);
    let repository = Repository::find(&root).unwrap();
    let own = root.join(".git/hooks");
    // The configuration of the machine may name another directory.
    let global = Command::new("git").args(["config", "--get", "core.hooksPath"]).output().unwrap();
    let set = !global.stdout.is_empty();
    assert!(set || repository.hooks_directory().unwrap() == own);
    git(&root, &["worktree", "add", "-q", "-b", "side", "../linked"]);
    let linked = Repository::find(&root.parent().unwrap().join("linked")).unwrap();
    assert!(set || linked.hooks_directory().unwrap() == own);
    assert_eq!(linked.own_hooks_directory(), own);

    repository.set_hooks_path(".githooks").unwrap();
    assert_eq!(repository.hooks_directory().unwrap(), root.join(".githooks"));
    // Relative to the working tree, of which each has its own.
    assert_eq!(linked.hooks_directory().unwrap(), linked.root.join(".githooks"));
}
