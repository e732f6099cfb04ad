//! Text: bounds, shortening, and the nearest known word.

use super::{Fault, Result};

/// Trims `text` and refuses it when nothing is left or it is over `max` bytes.
pub fn bounded(field: &str, text: &str, max: usize) -> Result<String> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(Fault::invalid(field, "is empty: it needs some text").into());
    }
    check_size(field, trimmed.len(), max)?;
    Ok(trimmed.to_owned())
}

/// Refuses what [`bounded`] would change: a record has what was stored, and no whitespace is stored around a text.
pub fn check_bounded(field: &str, text: &str, max: usize) -> Result<()> {
    if bounded(field, text, max)? == text {
        return Ok(());
    }
    Err(Fault::invalid(field, "has leading or trailing whitespace").into())
}

/// Refuses what is over `max` bytes.
pub fn check_size(field: &str, bytes: usize, max: usize) -> Result<()> {
    if bytes > max {
        let problem = format!("has {bytes} bytes; at most {max} are allowed");
        return Err(Fault::invalid(field, problem).into());
    }
    Ok(())
}

/// Refuses a list with more than `max` items.
pub fn check_count(field: &str, count: usize, max: usize) -> Result<()> {
    if count > max {
        let problem = format!("has {count} items; at most {max} are allowed");
        return Err(Fault::invalid(field, problem).into());
    }
    Ok(())
}

/// At most `max` characters of `text`, the last of them `…` where something was cut.
pub fn shorten(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(max.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// The known word most like `word`, if one is near enough to be meant.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Past this length nobody mistyped a name, and the measure is quadratic.
    if word.len() > 64 {
        return None;
    }
    let word = fold(word);
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &fold(candidate)), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// `, did you mean …?` where there is something to suggest.
pub fn did_you_mean(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(", did you mean `{near}`?"))
}

/// The hint for a word that is not one of `known`: the one that was meant, else all of them.
pub fn meant<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match closest(word, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known: {}", known.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

/// Whether `word` is `known` with a letter or two wrong, or in other case.
pub fn is_slip(word: &str, known: &str) -> bool {
    word.len() <= 64 && strsim::damerau_levenshtein(&fold(word), &fold(known)) <= 2
}

/// Bytes as pairs of hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Folds case the way search does, for comparing substrings: letter by letter, since what a letter folds to
/// must not depend on what stands beside it. Several small letters may share a capital, as σ and ς do.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_ascii() {
            true => folded.push(letter.to_ascii_lowercase()),
            false => folded.extend(capital(letter).to_lowercase()),
        }
    }
    folded
}

/// At most about `max` characters of `text` around the first of the folded `needles` that it has, or else its
/// beginning: on one line, with `…` where something was cut.
pub fn snippet<'a>(text: &str, needles: impl IntoIterator<Item = &'a str>, max: usize) -> String {
    // Where each letter of the folded text comes from, since folding may change its length.
    let (mut folded, mut origins) = (String::with_capacity(text.len()), Vec::new());
    for (place, letter) in text.chars().enumerate() {
        origins.push((folded.len(), place));
        folded.extend(capital(letter).to_lowercase());
    }
    let found = needles.into_iter().find_map(|needle| folded.find(needle));
    let at = found.map_or(0, |byte| {
        let next = origins.partition_point(|(start, _)| *start <= byte);
        origins.get(next.saturating_sub(1)).map_or(0, |(_, place)| *place)
    });
    let length = origins.len();
    // More of what follows than of what comes before; near the end all of it.
    let start = at.saturating_sub(max / 3).min(length.saturating_sub(max));
    let shown: String = text.chars().skip(start).take(max).collect();
    let words: Vec<&str> =
        shown.split(|letter: char| letter.is_whitespace() || letter.is_control()).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + max < length { "…" } else { "" };
    format!("{before}{}{after}", words.join(" "))
}

/// The capital of a letter, where it is one letter too. That of ı is the capital of i, which it is not.
fn capital(letter: char) -> char {
    if letter.is_ascii() || letter == 'ı' {
        return letter;
    }
    let mut upper = letter.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(capital), None) => capital,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_fold_alike_whatever_their_case_and_place() {
        for (left, right) in
            [("ΟΔΌΣ", "οδός"), ("οδόσ", "οδός"), ("ſx", "Sx"), ("µ", "Μ"), ("ẞ", "ß"), ("Ǆǅ", "ǆǆ")]
        {
            assert_eq!(fold(left), fold(right), "{left} {right}");
        }
        for (left, right) in [("ß", "ss"), ("ı", "i"), ("é", "e"), ("o", "0")] {
            assert_ne!(fold(left), fold(right), "{left} {right}");
        }
    }

    #[test]
    fn bounds() {
        assert_eq!(bounded("summary", "  a b ", 3).unwrap(), "a b");
        assert!(bounded("summary", " \n ", 3).is_err());
        let fault = bounded("summary", "abcd", 3).unwrap_err().into_fault("r");
        assert_eq!(fault.message, "`summary` has 4 bytes; at most 3 are allowed");
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
    }

    #[test]
    fn a_snippet_shows_what_was_found_on_one_line() {
        let long = format!("{}NEEDLE\u{1b}[31m\n\tand more{}", "x ".repeat(100), " y".repeat(100));
        // Each folds to two letters, so that places in the two texts differ.
        let capitals = format!("{} needle", "İ".repeat(24));
        for (text, needles, expected) in [
            ("short", &["or"][..], "short"),
            ("a\n b\u{7}c", &["zz", "b"], "a b c"),
            (&long, &["needle"], "…x x x x x NEEDLE [31m and mor…"),
            (&long, &["nowhere"], "x x x x x x x x x x x x x x x…"),
            (&capitals, &["needle"], &format!("…{} needle", "İ".repeat(23))),
            ("", &["x"], ""),
            ("", &[""], ""),
        ] {
            assert_eq!(snippet(text, needles.iter().copied(), 30), expected, "{text}");
        }
    }

    #[test]
    fn hexadecimal_digits() {
        assert_eq!(hexadecimal(&[0, 10, 255]), "000aff");
    }

    #[test]
    fn nearest_word() {
        let known = ["summary", "parent_ref", "depends_on"];
        assert_eq!(closest("sumary", known), Some("summary"));
        assert_eq!(closest("parentRef", known), Some("parent_ref"));
        assert_eq!(closest("zzz", known), None);
        assert_eq!(closest("acme1", ["other", "ACME"]), Some("ACME"));
        assert_eq!(closest("ACMEE", ["other", "Acme"]), Some("Acme"));
        assert!(is_slip("acmes", "ACME"));
    }
}
