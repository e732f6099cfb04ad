//! Paths: whatever spelling comes in, repository-relative with `/` goes on.

use super::{Fault, Result};

/// Turns `input` into a repository-relative path.
///
/// Takes `./a`, `a\b`, `a//b` and an absolute path inside `root`; refuses what leaves the repository.
/// Purely textual: the file need not exist, and symbolic links are not followed.
pub fn normalise(field: &str, root: Option<&str>, input: &str) -> Result<String> {
    let slashed = input.trim().replace('\\', "/");
    let relative = match root.map(|root| root.replace('\\', "/")) {
        Some(root) if is_absolute(&slashed) => {
            let root = root.trim_end_matches('/');
            match slashed.strip_prefix(root) {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.to_owned(),
                _ => return Err(refused(field, input, "is outside the repository")),
            }
        }
        None if is_absolute(&slashed) => {
            return Err(refused(
                field,
                input,
                "is absolute, and there is no repository to make it relative to",
            ));
        }
        _ => slashed,
    };
    let mut segments = Vec::new();
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => return Err(refused(field, input, "has a `..` segment")),
            _ => segments.push(segment),
        }
    }
    if segments.is_empty() {
        return Err(refused(field, input, "names no file"));
    }
    Ok(segments.join("/"))
}

/// A leading slash or a Windows drive.
fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes();
    path.starts_with('/')
        || (drive.len() >= 2 && drive[0].is_ascii_alphabetic() && drive[1] == b':')
}

fn refused(field: &str, input: &str, problem: &str) -> super::Error {
    Fault::invalid(field, format!("{problem}: `{}`", super::text::shorten(input, 120)))
        .hint("give the path relative to the repository's root, such as src/main.rs")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for (input, expected) in [
            ("src/main.rs", Some("src/main.rs")),
            ("./src/main.rs", Some("src/main.rs")),
            ("src\\main.rs", Some("src/main.rs")),
            ("src//./main.rs", Some("src/main.rs")),
            (" src/a b.rs ", Some("src/a b.rs")),
            ("/repo/src/main.rs", Some("src/main.rs")),
            ("a..b/c", Some("a..b/c")),
            ("src/", Some("src")),
            ("/repository/x", None),
            ("/etc/passwd", None),
            ("../x", None),
            ("src/../../x", None),
            ("C:\\x", None),
            ("", None),
            ("./", None),
            ("/repo", None),
        ] {
            assert_eq!(
                normalise("paths", Some("/repo"), input).ok().as_deref(),
                expected,
                "{input}"
            );
        }
        assert!(normalise("paths", None, "/repo/x").is_err());
        let windows = normalise("paths", Some("C:\\repo"), "C:\\repo\\src\\a.rs");
        assert_eq!(windows.ok().as_deref(), Some("src/a.rs"));
    }
}
