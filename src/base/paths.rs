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

/// The paths that a text names, one or several a line, in the spelling that [`normalise`] takes.
///
/// Written by people and models: bullets, backticks, quotes and line numbers go, comments and URLs are skipped.
pub fn extract(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('#') || line.starts_with("//") || line.starts_with("<!--") {
            continue;
        }
        for part in unlisted(line).split(',') {
            paths.extend(bare(part).filter(|path| !paths.contains(path)));
        }
    }
    paths
}

/// A line without its bullet or number.
fn unlisted(line: &str) -> &str {
    let bullet = line.strip_prefix(['-', '*', '+', '•']);
    let number =
        || line.trim_start_matches(|letter: char| letter.is_ascii_digit()).strip_prefix('.');
    match bullet.or_else(number).filter(|rest| rest.starts_with(' ')) {
        Some(rest) => rest.trim_start(),
        None => line,
    }
}

/// The path in `part`, without quotes, remark or line number.
fn bare(part: &str) -> Option<String> {
    let quote = |letter: char| matches!(letter, '`' | '"' | '\'');
    let part = part.trim();
    let path = match part.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
        Some((quoted, _)) => quoted,
        None => [" - ", " — ", " – ", " ("]
            .iter()
            .fold(part, |path, remark| path.split_once(remark).map_or(path, |(path, _)| path)),
    };
    if path.contains("://") {
        return None;
    }
    let path = path.split_once('#').map_or(path, |(path, _)| path);
    let number = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    let mut path = path.trim();
    while let Some((rest, _)) = path.rsplit_once(':').filter(|(_, line)| number(line)) {
        path = rest;
    }
    (!path.is_empty()).then(|| path.to_owned())
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

    #[test]
    fn paths_are_read_out_of_what_people_write() {
        for (text, expected) in [
            ("src/a.ts\nsrc/b.ts", &["src/a.ts", "src/b.ts"][..]),
            ("src/a.ts, src/b.ts,\nsrc/c.ts", &["src/a.ts", "src/b.ts", "src/c.ts"]),
            ("- `src/a.ts`\n* src/b.ts\n1. \"src/c.ts\"", &["src/a.ts", "src/b.ts", "src/c.ts"]),
            ("- `src/a.ts` - the gateway, all of it", &["src/a.ts", "all of it"]),
            ("src/a.ts — the gateway\nsrc/b.ts (new)", &["src/a.ts", "src/b.ts"]),
            (
                "src/a.ts:12\nsrc/b.ts:12:5\nsrc/c.ts#L3-L9\nsrc/d.ts:3-9",
                &["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"],
            ),
            ("# Files\n// none\n<!-- x -->\n\n  ,\nhttps://example.org/a.ts", &[]),
            ("src/a.ts\nsrc/a.ts", &["src/a.ts"]),
            ("src/my file.ts", &["src/my file.ts"]),
            ("2.x/notes.md", &["2.x/notes.md"]),
        ] {
            assert_eq!(extract(text), expected, "{text}");
        }
    }
}
