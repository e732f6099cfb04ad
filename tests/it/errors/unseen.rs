//! Which messages of the source, and which codes, no session shows.

use std::collections::BTreeSet;

use graph::base::ErrorCode;

use crate::support::{
    snapshot,
    source::{Kind, Piece, before_tests, files, is_test, pieces},
};

/// How many messages no session shows. It may only become less: a new message comes with a step that shows it.
const UNSEEN: usize = 167;

/// Names that a message has before it is handed to a constructor.
const NAMES: &[&str] = &["message", "problem", "hint", "reason", "refused"];

#[test]
fn every_message_is_seen_in_a_session() {
    let sources: Vec<String> = files("src", ".rs")
        .into_iter()
        .filter(|(file, _)| !is_test(file))
        .map(|(_, text)| before_tests(&text).to_owned())
        .collect();
    let sources: Vec<Vec<Piece<'_>>> = sources.iter().map(|text| pieces(text)).collect();
    let mut constructors: BTreeSet<&str> =
        ["Fault::new", "Fault::invalid", "Fault::not_found", ".hint"].into();
    for source in &sources {
        constructors.extend(functions_of_errors(source));
    }
    let shown = snapshot::files("errors")
        .iter()
        .filter(|name| !["codes.txt", "unseen.txt"].contains(&name.as_str()))
        .flat_map(|name| {
            let text = snapshot::read(&format!("errors/{name}"));
            text.lines()
                .filter(|line| !line.starts_with('>'))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect::<Vec<_>>();
    let codes = ErrorCode::ALL.iter().map(|code| code.as_str());
    let mut unseen: BTreeSet<String> = codes
        .filter(|code| !shown.iter().any(|line| line.contains(code)))
        .map(str::to_owned)
        .collect();
    for source in &sources {
        for message in messages(source, &constructors) {
            let parts = fixed_parts(&message);
            if !shown.iter().any(|line| has_in_order(line, &parts)) {
                unseen.insert(message);
            }
        }
    }
    let list: String = unseen.iter().map(|message| format!("{message}\n")).collect();
    snapshot::check("errors/unseen.txt", &list);
    assert!(unseen.len() <= UNSEEN, "{} messages are in no session, {UNSEEN} were", unseen.len());
}

/// The functions and closures that return an error, by what their signature says.
fn functions_of_errors<'a>(source: &[Piece<'a>]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for piece in source.iter().filter(|piece| piece.kind == Kind::Code) {
        for (at, _) in piece.text.match_indices("fn ") {
            let signature = piece.text[at + 3..].split(['{', ';']).next().unwrap_or_default();
            let Some((_, returned)) = signature.rsplit_once("-> ") else { continue };
            let returned = returned.trim().rsplit("::").next().unwrap_or_default();
            let name = signature.split(['(', '<']).next().unwrap_or_default();
            if ["Error", "Fault", "ErrorData", "Failure"].contains(&returned) && name != "from" {
                names.push(name);
            }
        }
    }
    names
}

/// The texts that are given to a constructor, at any depth of its arguments, or to a variable that is.
fn messages(source: &[Piece<'_>], constructors: &BTreeSet<&str>) -> Vec<String> {
    let mut found = Vec::new();
    // How many brackets are open in the arguments that are being read; none where it is 0.
    let mut depth = 0_usize;
    // The texts of the hint that is being read, which are one message; what it calls is a placeholder.
    let mut hint: Option<Vec<String>> = None;
    let mut call = "";
    for piece in source {
        match piece.kind {
            Kind::Comment => {}
            Kind::Text if hint.is_some() => {
                let text = unescaped(piece.text);
                let part = match call {
                    "" => text.replace('{', "{{").replace('}', "}}"),
                    "format!" => text,
                    _ => continue,
                };
                hint.iter_mut().for_each(|parts| parts.push(part.clone()));
            }
            Kind::Text if depth > 0 => {
                let text = unescaped(piece.text);
                if is_prose(&text) {
                    found.push(text);
                }
            }
            Kind::Text => {}
            Kind::Code => {
                if piece.text.contains(']') {
                    found.extend(hint.take().map(|parts| parts.join("{}")));
                }
                depth = depth_after(piece.text, depth, constructors);
                let opened = piece.text.rsplit_once("hint![");
                if depth > 0 && opened.is_some_and(|(_, rest)| !rest.contains(']')) {
                    hint = Some(Vec::new());
                }
                if let Some(at) = piece.text.rfind(['(', ')']) {
                    let name = piece.text[..at].rsplit([' ', ',', ';', '[']).next();
                    call = name.filter(|_| piece.text[at..].starts_with('(')).unwrap_or_default();
                }
                if piece.text.ends_with("hint![") {
                    call = "";
                }
            }
        }
    }
    found
}

/// Whether a format string has words of its own, not only marks between placeholders.
fn is_prose(text: &str) -> bool {
    let parts = fixed_parts(text).join(" ");
    parts.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).count() > 1
}

/// How many brackets are open in a constructor's arguments behind a piece of code.
fn depth_after(code: &str, mut depth: usize, constructors: &BTreeSet<&str>) -> usize {
    for (at, letter) in code.char_indices() {
        match letter {
            '(' | '[' | '{' if depth > 0 => depth += 1,
            ')' | ']' | '}' | ';' if depth == 1 && letter == ';' => depth = 0,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '(' if ends_with_any(&code[..at], constructors.iter().copied()) => depth = 1,
            '=' if depth == 0 => {
                let before = code[..at].trim_end();
                if NAMES.iter().any(|name| before.ends_with(&format!("let {name}"))) {
                    depth = 1;
                }
            }
            _ => {}
        }
    }
    depth
}

/// Whether code ends with one of the names, as a whole word.
fn ends_with_any<'a>(code: &str, mut names: impl Iterator<Item = &'a str>) -> bool {
    names.any(|name| {
        code.strip_suffix(name).is_some_and(|before| {
            let last = before.chars().next_back();
            name.starts_with('.') || !last.is_some_and(|it| it.is_alphanumeric() || it == '_')
        })
    })
}

/// A literal as the program has it, on one line.
fn unescaped(text: &str) -> String {
    let mut done = String::new();
    let mut lines = text.split("\\\n");
    done.push_str(lines.next().unwrap_or_default());
    lines.for_each(|line| done.push_str(line.trim_start()));
    done.replace("\\\"", "\"").replace("\\n", " ")
}

/// What stands between the placeholders of a format string.
fn fixed_parts(text: &str) -> Vec<String> {
    let text = text.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let parts = text.split('{').enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once('}').map_or("", |(_, after)| after),
    });
    let parts = parts.map(|part| part.replace('\u{1}', "{").replace('\u{2}', "}"));
    parts.filter(|part| !part.is_empty()).collect()
}

fn has_in_order(line: &str, parts: &[String]) -> bool {
    let mut rest = line;
    parts.iter().all(|part| match rest.split_once(part.as_str()) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

#[test]
fn messages_are_found_in_arguments_and_variables() {
    let source = r#"
        fn gone(path: &str) -> Fault { Fault::new(Code, format!("{path} went away")).hint("come back later") }
        fn other() { let message = format!("some {word} here"); log("not an error at all"); gone("the file is"); }
        fn hinted() { gone("it is far").hint(hint![format!("say {it} to "), cmd("graph x"); tool_or("a", "b"), " then {waits}"]) }
    "#;
    let source = pieces(source);
    let mut constructors: BTreeSet<&str> = ["Fault::new", ".hint"].into();
    constructors.extend(functions_of_errors(&source));
    assert_eq!(
        messages(&source, &constructors),
        [
            "{path} went away",
            "come back later",
            "some {word} here",
            "the file is",
            "it is far",
            "say {it} to {} then {{waits}}"
        ]
    );
    assert!(has_in_order("a went away", &fixed_parts("{path} went away")));
    assert!(!has_in_order("a went", &fixed_parts("{path} went away")));
}
