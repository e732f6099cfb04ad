//! Options, variables and files that are refused, or that say nothing.

use super::*;

#[test]
fn bad_options_and_variables_are_named() {
    let mut place = Place::new();
    place.around.variables.insert("GRAPH_TOOLSETS", "work,wok".into());
    assert_eq!(
        place.load().unwrap_err().message,
        "environment GRAPH_TOOLSETS has `wok`, which is not known; did you mean `work`?"
    );
    let options = Options { agent: Some(" ".to_owned()), ..Options::default() };
    assert_eq!(
        Config::load(options, &Place::new().around).unwrap_err().message,
        "option --agent is empty: it needs a name"
    );
}

#[test]
fn a_file_of_comments_says_nothing_and_any_line_break_ends_a_comment() {
    let ttl = |text: &str| Place::with(text).load().unwrap().claim_ttl_minutes.value;
    for text in ["", "\n  \n", "# claim_ttl_minutes: 5\n\t# more\r\n#", &initial_text()] {
        assert_eq!(ttl(text), 60, "{text:?}");
    }
    for before in ["# one\r", "# one\n \n", "---\n"] {
        assert_eq!(ttl(&format!("{before}claim_ttl_minutes: 5")), 5, "{before:?}");
    }
}
