use super::*;
use crate::exchange::{HEADER, record};

record! {
    Thing = "t" {
        text: String,
    }
}

const RECORD: &str =
    r#""type":"t","version":1,"updated_at":"2026-01-01T00:00:00Z","updated_by":"a","text":"#;

fn read(text: &str, longest: u64) -> Result<Vec<String>> {
    let source = Box::new(Cursor::new(text.as_bytes().to_owned()));
    let mut lines = Lines::new(source, &["t"], longest)?;
    let mut texts = Vec::new();
    lines.each(|_, thing: Thing| {
        texts.push(thing.text);
        Ok(())
    })?;
    Ok(texts)
}

fn line(id: &str, text: &str) -> String {
    format!("{{\"id\":\"{id}\",{RECORD}\"{text}\"}}\n")
}

#[test]
fn what_is_wrong_is_told_in_few_words() {
    let text = format!("{HEADER}\n{}{FOOTER}\n", line("1", "one"));
    let source = Box::new(Cursor::new(text.into_bytes()));
    let mut lines = Lines::new(source, &["t"], 999).unwrap();
    let refused = lines.each(|_, _: Thing| Err(invalid("x".repeat(100_000))));
    let message = refused.unwrap_err().into_fault("r").message;
    assert!(message.starts_with("line 2: t `1`: xx") && message.len() < 1_100, "{message}");
}

#[test]
fn what_is_whole_is_read_in_its_order() {
    let text = format!("{HEADER}\n{}{}{FOOTER}\n", line("2", "two"), line("1", "one"));
    assert_eq!(read(&text, 999).unwrap(), ["two", "one"]);
    assert_eq!(read(&format!("{HEADER}\n{FOOTER}\n"), 999).unwrap(), [""; 0]);
    assert_eq!(read(text.trim_end(), 999).unwrap(), ["two", "one"]);
    // As other programs write JSON.
    assert_eq!(read(&format!("{HEADER}\n{{\"end\": true}}"), 999).unwrap(), [""; 0]);
    // As it comes out of an editor on another system.
    let text = format!("\u{feff}{}\n", text.replace('\n', "\r\n\n"));
    assert_eq!(read(&text, 999).unwrap(), ["two", "one"]);
}

#[test]
fn what_is_not_whole_is_refused_by_its_line() {
    let (one, two) = (line("1", "one"), line("2", "two"));
    for (text, expected) in [
        (String::new(), "line 1 is not"),
        (format!("{one}{FOOTER}\n"), "line 1 is not"),
        ("{\"format\":\"graph\",\"version\":2}\n".to_owned(), "line 1: the file has version 2"),
        (format!("{HEADER}\n{one}{two}"), "line 3: the line {\"end\":true} is missing"),
        (format!("{HEADER}\n{one}{}", &two[..40]), "line 3: the file ends in the middle"),
        (format!("{HEADER}\n{one}{FOOTER}\n{two}"), "line 4: it comes after the line"),
        (format!("{HEADER}\n{one}{one}{FOOTER}\n"), "line 3: it repeats t `1`"),
        (
            format!("{HEADER}\n{}{FOOTER}\n", line("3", &"x".repeat(999))),
            "line 2: it has more than 999",
        ),
        (format!("{HEADER}\n{}{FOOTER}\n", line("3", "\0")), "line 2: it contains a NUL byte"),
        (format!("{HEADER}\n{}{FOOTER}\n", line("3", "\\u0000")), "`text` contains NUL"),
        (format!("{HEADER}\n[]\n{FOOTER}\n"), "line 2: it is not a JSON object"),
        (format!("{HEADER}\n{{\"id\":1}}\n{FOOTER}\n"), "line 2: "),
        (
            format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"t\"", "\"u\"")),
            "line 2: `type` is `u`; allowed: t",
        ),
        (
            format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"text\"", "\"test\"")),
            "unknown field `test`",
        ),
        (
            format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"version\":1,", "")),
            "missing field `version`",
        ),
        (
            format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"version\":1", "\"version\":0")),
            "allowed: 1 to",
        ),
        (
            format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"version\":1", "\"version\":2")),
            "line 2: t `1`: `version` is 2; t has no versions",
        ),
        (
            format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"updated_by\":\"a\",", "")),
            "missing field `updated_by`",
        ),
        (
            format!("{HEADER}\n{}{FOOTER}\n", one.replace(":\"a\"", ":\" \"")),
            "`updated_by` is empty",
        ),
        (
            format!("{HEADER}\n{}{FOOTER}\n", one.replace("2026-01-01T00:00:00Z", "yesterday")),
            "`yesterday` is not a time",
        ),
    ] {
        let fault = read(&text, 999).unwrap_err().into_fault("r");
        assert!(fault.message.contains(expected), "{expected}: {}", fault.message);
    }
    let fault = Lines::of_stream(&b"{\"format\":\"graph\",\"version\":1}\n\xff\n"[..], &["t"]);
    assert!(fault.err().unwrap().to_string().contains("line 2: it is not UTF-8"));
}
