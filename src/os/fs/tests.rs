use super::*;

#[test]
fn reading_is_bounded_and_says_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    assert!(matches!(read_text(&path, 9), Err(ReadError::Missing)));
    assert!(matches!(read_text(directory.path(), 9), Err(ReadError::NotAFile)));

    fs::write(&path, "grün").unwrap();
    assert_eq!(read_text(&path, 5).unwrap(), "grün");
    assert!(matches!(read_text(&path, 4), Err(ReadError::TooLarge { bytes: 5, cap: 4 })));
    assert!(matches!(read_text(&path.join("below"), 9), Err(ReadError::Missing)));

    fs::write(&path, b"ab\xff").unwrap();
    assert!(matches!(read_text(&path, 9), Err(ReadError::NotText { offset: 2 })));
}

#[test]
#[cfg(target_os = "linux")]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert!(matches!(read_bytes(&pipe, 9), Err(ReadError::NotAFile)));
    assert!(matches!(read_start(&pipe, 9), Err(ReadError::NotAFile)));
    // As where it was a file when it was looked at.
    assert!(matches!(open_at_once(&pipe), Err(ReadError::NotAFile)));
    assert!(matches!(open_at_once(Path::new("/dev/zero")), Err(ReadError::NotAFile)));
}

#[test]
fn nothing_is_read_written_or_removed_outside_of_the_directory() {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(outer.path().join("secret"), "s").unwrap();
    write_beneath(&root, "a/b/c.txt", b"inside").unwrap();
    assert_eq!(read_beneath(&root, "a/b/c.txt", 9).unwrap(), b"inside");
    assert_eq!(names(&root.join("a/b")).unwrap().unwrap(), ["c.txt"], "no partial file is left");
    assert_eq!(names(&root.join("none")).unwrap(), None);
    for path in ["../secret", "a/../../secret"] {
        assert!(matches!(read_beneath(&root, path, 9), Err(ReadError::Outside)), "{path}");
        assert!(write_beneath(&root, path, b"x").is_err(), "{path}");
        assert!(remove_beneath(&root, path).is_err(), "{path}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink(outer.path().join("secret"), root.join("link")).unwrap();
        assert!(matches!(read_beneath(&root, "out/secret", 9), Err(ReadError::Outside)));
        assert!(matches!(read_beneath(&root, "link", 9), Err(ReadError::Outside)));
        assert!(write_beneath(&root, "out/secret", b"x").is_err());
        write_beneath(&root, "link", b"x").unwrap();
        assert_eq!(read_beneath(&root, "link", 9).unwrap(), b"x", "the link was replaced");
    }
    assert_eq!(fs::read(outer.path().join("secret")).unwrap(), b"s");
    remove_beneath(&root, "a/b/c.txt").unwrap();
    remove_beneath(&root, "a/b/c.txt").unwrap();
    assert!(matches!(read_beneath(&root, "a/b/c.txt", 9), Err(ReadError::Missing)));
}

#[test]
fn only_the_start_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    fs::write(&path, "abcd").unwrap();
    assert_eq!(read_start(&path, 4).unwrap(), (b"abcd".to_vec(), false));
    assert_eq!(read_start(&path, 3).unwrap(), (b"abc".to_vec(), true));
    assert!(matches!(read_start(directory.path(), 3), Err(ReadError::NotAFile)));
}

#[test]
fn writing_creates_once_and_replaces_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("b/a.txt");
    assert!(create_text(&path, "one").unwrap());
    assert!(!create_text(&path, "two").unwrap());
    assert_eq!(read_text(&path, 9).unwrap(), "one");
    make_executable(&path).unwrap();
    replace_text(&path, "three").unwrap();
    assert_eq!(read_text(&path, 9).unwrap(), "three");
    assert!(is_executable(&path), "permissions are kept");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left over");
    assert!(replace_text(&directory.path().join("none"), "x").is_err());
    assert!(create_directory(&directory.path().join("x/y")).unwrap());
    assert!(!create_directory(&directory.path().join("x")).unwrap());
    remove(&path).unwrap();
    assert!(!path.exists());
}

#[test]
#[cfg(unix)]
fn a_place_beneath_is_found_through_links_and_never_outside() {
    use std::os::unix::fs::symlink;
    let (directory, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (root, away) =
        (directory.path().canonicalize().unwrap(), other.path().canonicalize().unwrap());
    fs::create_dir_all(root.join("real/deep")).unwrap();
    fs::write(root.join("real/file"), "").unwrap();
    symlink("real", root.join("link")).unwrap();
    symlink(&away, root.join("out")).unwrap();
    for (path, place) in [
        ("", Some("")),
        ("real/file", Some("real/file")),
        ("real/deep/new/file", Some("real/deep/new/file")),
        ("link/file", Some("real/file")),
        ("link/new", Some("real/new")),
        ("link/../real", Some("real")),
        ("out", None),
        ("out/new/file", None),
        ("real/../out/file", None),
        ("..", None),
    ] {
        let found = resolve_beneath(&root, path);
        match place {
            Some(place) => assert_eq!(found.unwrap(), root.join(place), "{path}"),
            None => assert!(matches!(found, Err(Astray::Outside(_))), "{path}"),
        }
    }
}
