//! Content: text or bytes, stored as bytes and returned exactly.

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::types::{Encoding, limits};
use crate::base::{ErrorCode, Fault, Result, text};

/// Writes padding, and does not require it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// Characters of a title.
const TITLE: usize = 120;

/// Bytes that are known to fit their encoding.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    encoding: Encoding,
    bytes: Vec<u8>,
}

impl Content {
    /// Reads what a caller sent.
    pub fn read(text: &str, encoding: Encoding) -> Result<Self> {
        let bytes = match encoding {
            Encoding::Utf8 => text.as_bytes().to_owned(),
            Encoding::Base64 => {
                // Tools that wrap lines are common, and their breaks carry nothing.
                let packed: Vec<u8> =
                    text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
                BASE64.decode(packed).map_err(|error| {
                    unfitting(format!("`content` is not base64: {error}").trim_end_matches('.'))
                        .hint("send the bytes as standard base64 (A-Z a-z 0-9 + /), or text with encoding utf-8")
                })?
            }
        };
        text::check_size("content", bytes.len(), limits::CONTENT)?;
        Ok(Content { encoding, bytes })
    }

    /// Bytes of a file or of the database, where they fit the encoding.
    pub fn from_bytes(bytes: Vec<u8>, encoding: Encoding) -> Result<Self> {
        if encoding == Encoding::Utf8
            && let Err(error) = std::str::from_utf8(&bytes)
        {
            let at = error.valid_up_to();
            return Err(
                unfitting(&format!("content is not utf-8: invalid byte at offset {at}")).into()
            );
        }
        Ok(Content { encoding, bytes })
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text to search; none for bytes.
    pub fn text(&self) -> Option<&str> {
        match self.encoding {
            Encoding::Utf8 => std::str::from_utf8(&self.bytes).ok(),
            Encoding::Base64 => None,
        }
    }

    /// Returns it as JSON carries it.
    pub fn into_wire(self) -> String {
        match self.encoding {
            Encoding::Utf8 => String::from_utf8(self.bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            Encoding::Base64 => BASE64.encode(&self.bytes),
        }
    }

    /// The first line with text, without the marks of a heading; empty if there is none.
    pub fn title(&self) -> String {
        let lines = self.text().unwrap_or_default().lines();
        let mut titles = lines.map(|line| line.trim().trim_start_matches('#').trim());
        text::shorten(titles.find(|line| !line.is_empty()).unwrap_or_default(), TITLE)
    }

    /// What an event keeps of it: all, or size and digest of what is large.
    pub fn event_value(&self) -> Value {
        if self.bytes.len() > limits::IN_EVENT {
            let digest = text::hexadecimal(&Sha256::digest(&self.bytes));
            return json!({ "bytes": self.bytes.len(), "sha256": digest });
        }
        Value::String(self.clone().into_wire())
    }
}

/// None for content that cannot be read: damaged content must not prevent what replaces or removes it.
pub(super) fn if_readable<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Err(error) if error.code() == ErrorCode::ContentReadFailed => Ok(None),
        read => read.map(Some),
    }
}

fn unfitting(message: &str) -> Fault {
    Fault::new(ErrorCode::InvalidEncoding, message).details(json!({ "field": "content" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_kindly_and_written_strictly() {
        for (text, expected) in [
            ("", Some("")),
            ("AAEC/w==", Some("AAEC/w==")),
            ("AAEC/w", Some("AAEC/w==")),
            ("AAEC\r\n/w==\n", Some("AAEC/w==")),
            ("AAEC_w==", None),
            ("AAEC/", None),
            ("AAEC/x==", None),
            ("äö", None),
        ] {
            let read = Content::read(text, Encoding::Base64);
            assert_eq!(read.ok().map(Content::into_wire).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_title_is_the_first_line_that_says_something() {
        for (text, expected) in [
            ("# Kitchen\n\nBudget", "Kitchen"),
            ("\n\n  ##  Call back  \nx", "Call back"),
            ("###\nplain", "plain"),
            ("", ""),
            (" \n#\n", ""),
        ] {
            assert_eq!(Content::read(text, Encoding::Utf8).unwrap().title(), expected, "{text}");
        }
        assert_eq!(Content::read("Kitchens", Encoding::Base64).unwrap().title(), "");
    }

    #[test]
    fn bytes_must_fit_their_encoding() {
        assert!(Content::from_bytes(vec![0, 255], Encoding::Base64).is_ok());
        let fault = Content::from_bytes(b"ab\xff".to_vec(), Encoding::Utf8).unwrap_err();
        let fault = fault.into_fault("r");
        assert_eq!(fault.code, ErrorCode::InvalidEncoding);
        assert!(fault.message.contains("offset 2"), "{}", fault.message);
    }

    #[test]
    fn an_event_keeps_a_digest_of_what_is_large() {
        let small = Content::read("text", Encoding::Utf8).unwrap();
        assert_eq!(small.event_value(), json!("text"));
        let large = Content::read(&"x".repeat(limits::IN_EVENT + 1), Encoding::Utf8).unwrap();
        assert_eq!(large.event_value()["bytes"], limits::IN_EVENT + 1);
        assert_eq!(large.event_value()["sha256"].as_str().unwrap().len(), 64);
    }
}
