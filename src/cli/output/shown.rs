//! Stored text on its way to a terminal: it is untrusted, and shown as text only.

use std::fmt::{self, Display, Write as _};

use anstyle::Style;

use crate::base::text::shorten;

/// Characters of a summary in a list; `graph show` has all of it.
pub(super) const LINE: usize = 100;

/// `text` in a style that ends where the text does.
pub fn styled(style: Style, text: impl Display) -> impl Display {
    struct Styled<T>(Style, T);

    impl<T: Display> Display for Styled<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let Styled(style, text) = self;
            write!(f, "{style}{text}{style:#}")
        }
    }

    Styled(style, text)
}

/// Stored text on one line, shortened for a list; line breaks become spaces.
pub fn brief(text: &str) -> String {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    plain(&shorten(&words.join(" "), LINE))
}

/// Stored text on one line, with everything visible that a terminal would act upon.
pub fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        push(&mut shown, character, is_unsafe(character));
    }
    shown
}

/// Stored text with its own line breaks, each line behind `indent`.
pub fn block(text: &str, indent: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            shown.push('\n');
            shown.push_str(indent);
        }
        for character in line.chars() {
            push(&mut shown, character, character != '\t' && is_unsafe(character));
        }
    }
    shown
}

fn push(shown: &mut String, character: char, escape: bool) {
    if escape {
        shown.extend(character.escape_default());
    } else {
        shown.push(character);
    }
}

/// JSON escapes control characters below space itself; the others get the same spelling here.
pub(super) fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        // A line break in JSON text is between values, never inside a string.
        if character != '\n' && is_unsafe(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Control characters, and those that reorder or hide the text around them.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}
