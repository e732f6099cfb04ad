//! The paths of the directory, and the names of content files.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use crate::{base::text, memory::types::Encoding};

/// The directory of everything but content.
pub(super) const SYSTEM: &str = "_system";
/// Nodes and connections.
pub(super) const REGISTRY: &str = "_system/registry.json";
/// The former registry while an export runs. After an interrupted export it is the only list of the files that the one
/// before it wrote.
pub(super) const BEFORE: &str = "_system/registry.before.json";
/// Node types and connection types.
pub(super) const ONTOLOGY: &str = "_system/ontology.yaml";
pub(super) const NODES: &str = "_content/nodes";
pub(super) const CONNECTIONS: &str = "_content/connections";

/// Bytes of a file's name without its extension.
const NAME: usize = 150;
/// Letters of a format that is used as an extension.
const EXTENSION: usize = 10;

/// Formats whose files usually have another extension.
const USUAL: &[(&str, &str)] = &[
    ("markdown", "md"),
    ("text", "txt"),
    ("plain", "txt"),
    ("plaintext", "txt"),
    ("jpeg", "jpg"),
    ("javascript", "js"),
    ("typescript", "ts"),
    ("python", "py"),
    ("rust", "rs"),
    ("binary", "bin"),
];

/// Formats that are bytes, also if these are valid UTF-8.
const BYTES: &[&str] = &[
    "pdf", "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "zip", "gz", "tar", "mp3", "mp4",
    "wav", "docx", "xlsx", "pptx", "bin", "binary",
];

/// Whether content of this format, in a file of this name, is meant as bytes.
pub(super) fn is_bytes(format: &str, path: &str) -> bool {
    let named = |word: &str| BYTES.iter().any(|bytes| bytes.eq_ignore_ascii_case(word));
    named(format) || path.rsplit_once('.').is_some_and(|(_, extension)| extension == "bin")
}

/// The usual extension of a known format, else the format itself if it is a plain short word, else the extension of the
/// encoding.
pub(super) fn extension(format: &str, encoding: Encoding) -> String {
    let word = format.to_ascii_lowercase();
    if let Some((_, usual)) = USUAL.iter().find(|(known, _)| *known == word) {
        return (*usual).to_owned();
    }
    if (1..=EXTENSION).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return word;
    }
    match encoding {
        Encoding::Utf8 => "txt".to_owned(),
        Encoding::Base64 => "bin".to_owned(),
    }
}

/// Unique names of files in one directory, also on systems that do not distinguish `a` and `A`.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// Returns the path of a file for the content of `id`. An id is data: what could have a meaning to a file system is
    /// escaped.
    pub(super) fn path(&mut self, directory: &str, id: &str, extension: &str) -> String {
        let mut name = format!("{}.{extension}", escape(id));
        if is_reserved(id) || !self.taken.insert(name.to_lowercase()) {
            name = format!("{}.{extension}", digest(id));
            self.taken.insert(name.clone());
        }
        format!("{directory}/{name}")
    }
}

/// Keeps plain bytes, and writes every other byte as `%XX`.
fn escape(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for (index, byte) in id.bytes().enumerate() {
        let plain = byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        // A leading dot hides a file, and two are the parent directory.
        if plain || (byte == b'.' && index > 0) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    if name.len() > NAME { digest(id) } else { name }
}

/// A name that no escaped id has: there, two digits follow every `%`.
fn digest(id: &str) -> String {
    format!("%%{}", text::hexadecimal(&Sha256::digest(id)))
}

/// Names that Windows reserves for devices, with any extension.
fn is_reserved(id: &str) -> bool {
    let stem = id.split('.').next().unwrap_or(id).to_ascii_lowercase();
    let numbered =
        |prefix| stem.strip_prefix(prefix).is_some_and(|rest| rest.len() == 1 && rest != "0");
    ["con", "prn", "aux", "nul"].contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions() {
        for (format, encoding, expected) in [
            ("markdown", Encoding::Utf8, "md"),
            ("Markdown", Encoding::Utf8, "md"),
            ("json", Encoding::Utf8, "json"),
            ("pdf", Encoding::Base64, "pdf"),
            ("binary", Encoding::Base64, "bin"),
            ("meeting-notes", Encoding::Utf8, "txt"),
            ("a/../b", Encoding::Utf8, "txt"),
            ("x.y", Encoding::Base64, "bin"),
            ("überlang", Encoding::Base64, "bin"),
            ("elevenchars", Encoding::Utf8, "txt"),
        ] {
            assert_eq!(extension(format, encoding), expected, "{format}");
        }
    }

    #[test]
    fn an_id_is_a_name_only_where_it_is_plain() {
        for (id, expected) in [
            ("mem_k4j9x2_p8n3q1", "mem_k4j9x2_p8n3q1.md"),
            ("a.b-c", "a.b-c.md"),
            ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd.md"),
            ("/etc/passwd", "%2Fetc%2Fpasswd.md"),
            ("..", "%2E..md"),
            (".hidden", "%2Ehidden.md"),
            ("C:\\x", "C%3A%5Cx.md"),
            ("a\u{1b}b", "a%1Bb.md"),
            ("50%", "50%25.md"),
            ("ä", "%C3%A4.md"),
        ] {
            let path = Names::default().path("f", id, "md");
            assert_eq!(path, format!("f/{expected}"), "{id}");
        }
        for id in ["nul", "Con.x", "lpt1", &"x".repeat(151)] {
            let path = Names::default().path("f", id, "md");
            assert!(path.starts_with("f/%%") && path.len() == 71, "{id}: {path}");
        }
    }

    #[test]
    fn no_two_ids_have_one_file() {
        let hash = digest("A");
        let ids = ["a", "A", "%41", "a.md", "/", "%2F", "..", hash.as_str(), "nul", "NUL"];
        let mut names = Names::default();
        let paths: HashSet<_> =
            ids.iter().map(|id| names.path("f", id, "md").to_lowercase()).collect();
        assert_eq!(paths.len(), ids.len(), "{paths:?}");
    }
}
