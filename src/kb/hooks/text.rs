//! The text of hooks: graph's block, and its position in a script that a person wrote.

use std::ops::Range;

use super::ARGUMENTS;

/// The first line of a block begins with this.
pub const BEGIN: &str = "# >>> graph kb >>>";
/// The last line of a block.
const END: &str = "# <<< graph kb <<<";
/// The beginning of a hook that graph created; a file with nothing else can be deleted.
const HEAD: &str = "#!/bin/sh\n# made by `graph kb init`; goes when its block is taken out\n";
/// Interpreters that understand a block.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "ash", "ksh", "zsh", "mksh"];

/// The block of a hook.
pub fn block(hook: &str, command: &str) -> String {
    // The third argument distinguishes a switch of branches from a checkout of files.
    let when = match hook {
        "post-checkout" => "[ \"${3-}\" = 1 ] && [ -f .kb/config.json ]",
        _ => "[ -f .kb/config.json ]",
    };
    let command = quoted(command);
    format!(
        "{BEGIN} keeps the KB in step; `graph kb init --uninstall-hooks` takes this out\n\
         if {when} && command -v {command} >/dev/null 2>&1; then\n  \
         {command} {ARGUMENTS} </dev/null || true\n\
         fi\n\
         {END}\n"
    )
}

/// The command for a hook that a person has to change, and when to run it.
pub fn line(hook: &str, command: &str) -> String {
    let run = format!("{} {ARGUMENTS}", quoted(command));
    match hook {
        "post-checkout" => format!("[ \"$3\" = 1 ] && {run}"),
        _ => run,
    }
}

/// A file with nothing but the block.
pub fn own_file(block: &str) -> String {
    format!("{HEAD}{block}")
}

/// Whether graph created the file and nobody has added to it.
pub fn is_own(text: &str) -> bool {
    matches!(without_block(text), Ok(Some(rest)) if is_only_head(&rest))
}

/// Whether only the beginning that graph writes is left.
pub fn is_only_head(text: &str) -> bool {
    text == HEAD
}

/// `text` with the block at its top, and whether it had one before, which is replaced at its position.
pub fn with_block(text: &str, block: &str) -> Result<(String, bool), String> {
    let mut changed = text.to_owned();
    let found = blocks(text)?;
    let Some((first, others)) = found.split_first() else {
        // After the line that names the interpreter, which must remain the first.
        let at = if text.starts_with("#!") { text.find('\n').map(|at| at + 1) } else { Some(0) };
        match at {
            Some(at) => changed.insert_str(at, block),
            None => changed = format!("{text}\n{}", block.trim_end()),
        }
        return Ok((changed, false));
    };
    // From the end, so that the earlier positions remain valid.
    for range in others.iter().rev() {
        changed.replace_range(range.clone(), "");
    }
    let whole = changed[first.clone()].ends_with('\n');
    changed.replace_range(first.clone(), if whole { block } else { block.trim_end() });
    Ok((changed, true))
}

/// `text` as it was before a block was added; none if it has no block.
pub fn without_block(text: &str) -> Result<Option<String>, String> {
    let found = blocks(text)?;
    if found.is_empty() {
        return Ok(None);
    }
    let mut changed = text.to_owned();
    for range in found.iter().rev() {
        // Where the line above had no line end, one was added with the block.
        let unended = !changed[range.clone()].ends_with('\n');
        let start = range.start - usize::from(unended && range.start > 0);
        changed.replace_range(start..range.end, "");
    }
    Ok(Some(changed))
}

/// The positions of blocks, line ends included.
fn blocks(text: &str) -> Result<Vec<Range<usize>>, String> {
    let (mut found, mut start, mut at) = (Vec::new(), None, 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with(BEGIN) && start.replace(at).is_some() {
            return Err(damaged());
        }
        at += line.len();
        if line.trim_end() == END {
            found.push(start.take().ok_or_else(damaged)?..at);
        }
    }
    match start {
        Some(_) => Err(damaged()),
        None => Ok(found),
    }
}

fn damaged() -> String {
    format!(
        "its block is damaged: `{BEGIN}` and `{END}` do not match; delete the remaining lines by hand"
    )
}

/// Refuses a script that is not for a POSIX shell; the reason is a sentence about the hook.
pub fn check_shell(text: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err("it is a program, not a script".to_owned());
    }
    let Some(shebang) = text.lines().next().and_then(|line| line.strip_prefix("#!")) else {
        // Git runs a file without that line with the shell.
        return Ok(());
    };
    let name = |word: &str| word.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let mut words = shebang.split_whitespace();
    let first = name(words.next().unwrap_or_default());
    // `env` may have options and settings in front of the program; busybox has its shell as an argument.
    let interpreter = match first.trim_end_matches(".exe") {
        "env" => words.find(|word| !word.starts_with('-') && !word.contains('=')).map(name),
        "busybox" => words.next().map(name),
        _ => Some(first),
    };
    let interpreter = interpreter.unwrap_or_default();
    match SHELLS.contains(&interpreter.trim_end_matches(".exe")) {
        true => Ok(()),
        false => Err(format!("it is written for {interpreter}, not for a shell")),
    }
}

/// `text` as one word of the shell.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_a_block_restores_every_byte() {
        for text in [
            "#!/bin/sh\necho hi\n",
            "#!/bin/sh\necho hi",
            "#!/bin/sh\n",
            "#!/bin/sh",
            "#!/usr/bin/env bash\r\nexit 0\r\n",
            "echo no shebang\n",
            "\n\n",
            "",
            "#!/bin/sh\n# >>> other >>>\n# <<< other <<<\nexit 0\n",
        ] {
            let block = block("post-merge", "/opt/graph");
            let (with, before) = with_block(text, &block).unwrap();
            assert!(!before && with.contains(block.trim_end()), "{text:?}");
            assert_eq!(with.starts_with("#!"), text.starts_with("#!"), "{text:?}");
            assert_eq!(with_block(&with, &block).unwrap(), (with.clone(), true), "{text:?}");
            assert_eq!(without_block(&with).unwrap().as_deref(), Some(text), "{text:?}");
            // A later version replaces it at its position.
            let newer = block.replace("/opt/graph", "/usr/bin/graph");
            let (updated, before) = with_block(&with, &newer).unwrap();
            assert!(before && updated.contains("/usr/bin/graph"), "{text:?}");
            assert!(!updated.contains("/opt/graph"), "{text:?}");
            assert_eq!(without_block(&updated).unwrap().as_deref(), Some(text), "{text:?}");
        }
    }

    #[test]
    fn duplicate_blocks_become_one_and_damaged_ones_are_refused() {
        let block = block("post-merge", "graph");
        let double = format!("#!/bin/sh\n{block}a\n{block}b\n");
        let (changed, _) = with_block(&double, &block).unwrap();
        assert_eq!(changed, format!("#!/bin/sh\n{block}a\nb\n"));
        assert_eq!(without_block(&double).unwrap().unwrap(), "#!/bin/sh\na\nb\n");
        for text in
            [format!("{BEGIN}\nexit 0\n"), format!("{END}\n"), format!("{BEGIN}\n{BEGIN}\n{END}\n")]
        {
            assert!(with_block(&text, &block).unwrap_err().contains("do not match"), "{text}");
            assert!(without_block(&text).is_err(), "{text}");
        }
        assert_eq!(without_block("#!/bin/sh\n").unwrap(), None);
        assert!(is_own(&own_file(&block)));
        assert!(!is_own(&format!("#!/bin/sh\n{block}")), "a hook of a person, although empty");
    }

    #[test]
    fn shells_and_other_languages() {
        for (text, expected) in [
            ("#!/bin/sh\n", true),
            ("#! /bin/bash -eu\n", true),
            ("#!/usr/bin/env bash\n", true),
            ("#!/usr/bin/env -S FOO=1 dash -e\n", true),
            ("#!/bin/busybox sh\n", true),
            ("#!C:/git/bin/sh.exe\n", true),
            ("echo\n", true),
            ("", true),
            ("#!/usr/bin/env python3\n", false),
            ("#!/usr/bin/env node\n", false),
            ("#!/usr/bin/fish\n", false),
            ("#!/bin/csh\n", false),
            ("#!\n", false),
            ("\0ELF", false),
        ] {
            assert_eq!(check_shell(text).is_ok(), expected, "{text:?}");
        }
        let reason = check_shell("#!/usr/bin/env -S python3 -u\n").unwrap_err();
        assert_eq!(reason, "it is written for python3, not for a shell");
    }

    #[test]
    fn commands_are_quoted() {
        assert_eq!(line("post-merge", "/opt/a b/it's"), "'/opt/a b/it'\\''s' kb sync --hook");
        assert_eq!(line("post-checkout", "graph"), "[ \"$3\" = 1 ] && graph kb sync --hook");
    }
}
