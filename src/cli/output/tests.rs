//! Tests: what reaches the two streams, and with which exit code.

use std::{cell::RefCell, rc::Rc};

use super::{shown::LINE, *};
use crate::base::{
    ErrorCode,
    hint::{cmd, hint, tool, tool_or},
};

/// A stream that stays readable after the output is gone.
#[derive(Clone, Default)]
struct Sink(Rc<RefCell<Vec<u8>>>);

impl Sink {
    fn text(&self) -> String {
        let mut plain = AutoStream::never(Vec::new());
        plain.write_all(&self.0.borrow()).unwrap();
        String::from_utf8(plain.into_inner()).unwrap()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A reader that has gone away.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

fn output(json: bool, terminal: bool) -> (Output, Sink, Sink) {
    let (out, err) = (Sink::default(), Sink::default());
    let output = Output {
        json,
        enveloped: false,
        fields: &[],
        given: String::new(),
        terminal,
        out: Box::new(out.clone()),
        err: Box::new(err.clone()),
    };
    (output, out, err)
}

/// `ExitCode` does not compare; what it shows does.
fn same(left: ExitCode, right: u8) -> bool {
    format!("{left:?}") == format!("{:?}", ExitCode::from(right))
}

fn fault() -> Fault {
    Fault::new(ErrorCode::NotFound, "no node `n_1`").hint(hint![cmd("graph tree"), " lists them"])
}

#[test]
fn every_outcome_has_its_exit_code_and_its_words() {
    let config =
        ConfigError { message: "graph.config.yaml:3: unknown key `x`".to_owned(), hint: None };
    let internal = || Failure::Error(Error::internal("secret"));
    let closed = io::Error::from(io::ErrorKind::BrokenPipe);
    for (outcome, code, said) in [
        (Ok(Done::Ok), 0, ""),
        (Ok(Done::Violations), 1, ""),
        (
            Err(fault().into()),
            1,
            "error: no node `n_1` (NOT_FOUND)\nhint: `graph tree` lists them\n",
        ),
        (Err(config.into()), 2, "error: graph.config.yaml:3: unknown key `x`\n"),
        (
            Err(Failure::Usage { message: "not JSON".to_owned(), hint: "quote it".into() }),
            2,
            "error: not JSON\nhint: quote it\n",
        ),
        (Err(closed.into()), 0, ""),
        (
            Err(io::Error::from(io::ErrorKind::PermissionDenied).into()),
            1,
            "error: cannot read or write: permission denied\n",
        ),
        (
            Err(internal()),
            70,
            "error: internal error, request r1 (INTERNAL_ERROR)\nhint: the cause is in the server's log on stderr; \
             `graph doctor` checks the file\n",
        ),
    ] {
        let (output, out, err) = output(false, false);
        let shown = format!("{outcome:?}");
        assert!(same(output.finish(outcome, "r1"), code), "{shown}");
        assert_eq!(err.text(), said, "{shown}");
        assert_eq!(out.text(), "", "{shown}");
    }
}

#[test]
fn with_json_a_fault_is_the_object_of_the_tool() {
    let (output, out, err) = output(true, false);
    assert!(same(output.finish(Err(fault().into()), "r1"), 1));
    assert_eq!(
        out.text(),
        "{\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"no node `n_1`\",\"hint\":\"`graph tree` lists them\"}}\n"
    );
    assert_eq!(err.text(), "");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let (mut output, _, err) = output(false, false);
    output.out = Box::new(BufWriter::new(Closed));
    output.line("never seen").unwrap();
    assert!(same(output.finish(Ok(Done::Ok), "r1"), 0));
    assert_eq!(err.text(), "");
}

#[test]
fn objects_are_compact_in_a_pipe_and_readable_on_a_terminal() {
    let value = json!({ "a": [1], "b": "x\ny\u{9b}\u{7f}\u{202e}" });
    let (mut piped, out, _) = output(true, false);
    piped.object(&value).unwrap();
    let text = out.text();
    assert_eq!(text, "{\"a\":[1],\"b\":\"x\\ny\\u009b\\u007f\\u202e\"}\n");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);

    let (mut seen, out, _) = output(true, true);
    seen.object(&json!({ "a": 1 })).unwrap();
    assert_eq!(out.text(), "{\n  \"a\": 1\n}\n");
}

#[test]
fn stored_text_cannot_act_on_the_terminal() {
    for (text, expected) in [
        ("plain äß 日本 🙂", "plain äß 日本 🙂"),
        ("\u{1b}[2Jx", "\\u{1b}[2Jx"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\u{9b}31m\u{7}", "\\u{9b}31m\\u{7}"),
        ("\u{202e}txt\u{2066}", "\\u{202e}txt\\u{2066}"),
        ("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}"),
        ("\u{e0041}", "\\u{e0041}"),
    ] {
        assert_eq!(plain(text), expected);
    }
    assert_eq!(block("a\nb\u{1b}\r\n\tc", "  "), "a\n  b\\u{1b}\n  \tc");
    assert_eq!(brief("a\r\n  b\tc\u{1b}"), "a b c\\u{1b}");
    assert_eq!(brief(&"x".repeat(200)).chars().count(), LINE);
}

#[test]
fn faults_cannot_act_on_the_terminal_either() {
    let (output, _, err) = output(false, false);
    let fault = Fault::not_found("id", "node", "\u{1b}[31m");
    output.finish(Err(fault.into()), "r1");
    assert_eq!(err.text(), "error: `id` is `\\u{1b}[31m`, and there is no such node (NOT_FOUND)\n");
}

#[test]
fn a_hint_for_people_names_commands_about_the_same_files() {
    let (mut output, _, _) = output(false, false);
    let hint = hint![
        tool_or("graph_query", "graph list"), ", then ", tool("create_ontology");
        "advance, or run ", cmd("A=b graph kb sync")
    ];
    for (given, told) in [
        (
            "",
            "`graph list`, then `graph tool create_ontology`; advance, or run `A=b graph kb sync`",
        ),
        (
            "--db 'my x.db'",
            "`graph --db 'my x.db' list`, then `graph --db 'my x.db' tool create_ontology`; \
             advance, or run `A=b graph --db 'my x.db' kb sync`",
        ),
    ] {
        output.given = given.to_owned();
        assert_eq!(output.hint(&hint), told);
    }
}

#[test]
fn what_is_allowed_is_listed_unless_the_message_says_it() {
    let many: Vec<_> = (0..40).map(|at| format!("v{at}")).collect();
    let told = format!("allowed: {} … and 10 more\n", many[..30].join(", "));
    for (message, allowed, told) in [
        ("`t` is `x`", json!(["req", "a\u{1b}"]), "allowed: req, a\\u{1b}\n"),
        ("`t` is `x`; allowed: req, adr", json!(["req", "adr"]), ""),
        ("`t` is `x`", json!([]), ""),
        ("`t` is `x`", json!(many), told.as_str()),
    ] {
        let (output, _, err) = output(false, false);
        let fault = Fault::new(ErrorCode::ValidationError, message);
        let fault = fault.details(json!({ "allowed": allowed })).hint("do");
        output.finish(Err(fault.into()), "r1");
        let expected = format!("error: {message} (VALIDATION_ERROR)\n{told}hint: do\n");
        assert_eq!(err.text(), expected);
    }
}

#[test]
fn fields_have_the_names_of_the_command_line() {
    let (mut output, _, err) = output(false, false);
    output.fields = &[("projectId", "--project")];
    output.finish(Err(Fault::invalid("projectId", "is missing").into()), "r1");
    assert_eq!(err.text(), "error: `--project` is missing (VALIDATION_ERROR)\n");
}
