//! Snapshots: files under `tests/snapshots` that show in review what changed on the surface.

use std::{env, fs, path::PathBuf};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name)
}

/// The text of a snapshot, empty where there is none yet.
pub fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_default()
}

/// Compares `actual` with the file, or rewrites the file when `UPDATE_SNAPSHOTS` is set.
pub fn check(name: &str, actual: &str) {
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        let path = path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, actual).unwrap();
        return;
    }
    let expected = read(name);
    assert!(
        expected == actual,
        "{name} is out of date; look at the difference and run UPDATE_SNAPSHOTS=1 cargo test\n\
         --- expected\n{expected}\n--- actual\n{actual}"
    );
}

/// The files of a directory under `tests/snapshots`, sorted.
pub fn files(directory: &str) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(path(directory))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
