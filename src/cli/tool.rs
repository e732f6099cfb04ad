//! `graph tool NAME [JSON|-]`: any tool of the server, once, from a shell.

use std::io::{self, Read};

use clap::Args;
use serde_json::{Value, json};

use super::{
    Shell,
    output::{Done, Failure, NEXT, Outcome, STRONG, styled},
};
use crate::{
    base::text::shorten,
    tools::{Registry, json},
};

/// Which tool, with what.
#[derive(Debug, Args)]
pub struct Tool {
    /// The tool's name; leave it out for a list
    #[arg(add = super::completions::tools())]
    pub name: Option<String>,
    /// The arguments as a JSON object, or - to read them from standard input [default: {}]
    pub arguments: Option<String>,
}

/// Calls the tool, or lists all.
pub fn run(ask: &Tool, shell: &mut Shell) -> Outcome {
    let Some(name) = &ask.name else {
        return list(shell);
    };
    let arguments = match ask.arguments.as_deref() {
        None => json!({}),
        Some("-") => parse(&shell.standard_input()?)?,
        Some(text) => parse(text)?,
    };
    let registry = Registry::of(&shell.app);
    shell.out.enveloped = registry.find(name)?.envelope;
    let answer = registry.call(&mut shell.app, &shell.ctx, name, arguments)?;
    shell.out.object(&answer)?;
    Ok(Done::Ok)
}

fn list(shell: &mut Shell) -> Outcome {
    let registry = Registry::of(&shell.app);
    let tools: Vec<_> = registry.listed().map(|tool| (tool.name, tool.title)).collect();
    if shell.out.json {
        let tools: Vec<_> =
            tools.iter().map(|(name, purpose)| json!({ "name": name, "title": purpose })).collect();
        shell.out.object(&json!({ "tools": tools }))?;
        return Ok(Done::Ok);
    }
    let width = tools.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, purpose) in &tools {
        shell
            .out
            .line(format_args!("{}  {purpose}", styled(STRONG, format_args!("{name:width$}"))))?;
    }
    if let Some((name, _)) = tools.first() {
        shell.out.gap()?;
        let example = format!("graph tool {name} '{{}}'");
        shell.out.line(format_args!("call one: {}", styled(NEXT, example)))?;
    }
    Ok(Done::Ok)
}

impl Shell {
    /// Standard input as text, up to what a client may send the server in one message.
    pub(super) fn standard_input(&self) -> Result<String, Failure> {
        let megabytes = self.app.config().max_message_mb.value;
        let cap = u64::from(megabytes) * 1024 * 1024;
        let mut bytes = Vec::new();
        io::stdin().take(cap + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > cap {
            let message = format!("standard input has more than {megabytes} MB");
            return Err(usage(message, "the setting `max_message_mb` allows more"));
        }
        String::from_utf8(bytes)
            .map_err(|_| usage("standard input is not UTF-8 text".to_owned(), "send text in UTF-8"))
    }
}

fn parse(text: &str) -> Result<Value, Failure> {
    json::parse(text.trim_start_matches('\u{feff}')).map_err(|problem| {
        let message = format!("the arguments are {problem}: {}", shorten(text, 60));
        usage(message, "write an object in single quotes, such as '{\"count\": 3}'")
    })
}

fn usage(message: String, hint: &str) -> Failure {
    Failure::Usage { message, hint: hint.into() }
}
