//! Addresses, and what is at them in words that clients know.

use crate::memory::Encoding;

/// What most resources are.
pub(super) const JSON: &str = "application/json";

/// What clients know a format as.
pub(super) fn mime_type(format: &str, encoding: Encoding) -> &'static str {
    match (format.to_ascii_lowercase().as_str(), encoding) {
        ("markdown" | "md", Encoding::Utf8) => "text/markdown",
        ("json", Encoding::Utf8) => JSON,
        ("html", Encoding::Utf8) => "text/html",
        ("csv", Encoding::Utf8) => "text/csv",
        ("yaml" | "yml", Encoding::Utf8) => "application/yaml",
        (_, Encoding::Utf8) => "text/plain",
        ("pdf", _) => "application/pdf",
        ("png", _) => "image/png",
        ("jpg" | "jpeg", _) => "image/jpeg",
        ("gif", _) => "image/gif",
        ("webp", _) => "image/webp",
        ("svg", _) => "image/svg+xml",
        (_, Encoding::Base64) => "application/octet-stream",
    }
}

/// An id as a part of an address: what is not plain as `%XX`.
pub(super) fn escape(id: &str) -> String {
    let mut escaped = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                escaped.push(char::from(byte));
            }
            byte => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// The id of an address, if it is one.
pub(super) fn unescape(written: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    String::from_utf8(bytes).ok().filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_shape_have_an_address() {
        for (id, escaped) in [
            ("mem_0123456789", "mem_0123456789"),
            ("../a b", "..%2Fa%20b"),
            ("50%", "50%25"),
            ("ü?#", "%C3%BC%3F%23"),
        ] {
            assert_eq!(escape(id), escaped);
            assert_eq!(unescape(escaped).as_deref(), Some(id));
        }
        for bad in ["", "%", "%2", "%zz", "%ff"] {
            assert_eq!(unescape(bad), None, "{bad}");
        }
    }
}
