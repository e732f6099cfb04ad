//! Prompts: the skills of the knowledge graph, each with the live context of what it is about.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::{
    app::{App, Read},
    base::{Ctx, Domain, ErrorCode, Fault, Result, paths, text},
    compose::{self, Subject},
    tools::nearest,
    work::Settings,
};

/// One prompt: how it is listed, and what writes it.
struct PromptDef {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    write: fn(&Read<'_>, &Settings, &Subject) -> Result<String>,
}

/// All prompts, in the order of the work that they accompany.
const PROMPTS: &[PromptDef] = &[
    PromptDef {
        name: "discovery",
        title: "Find out what to do next",
        description: "Where the project stands, the task to take up, and what is known about its files",
        write: compose::discovery,
    },
    PromptDef {
        name: "planning",
        title: "Plan with what is known",
        description: "Break work down with the knowledge of its area, and create atoms where there is none",
        write: compose::planning,
    },
    PromptDef {
        name: "execution",
        title: "Keep the knowledge true",
        description: "After the work and before it is resolved: which atoms to update, extend or create",
        write: compose::execution,
    },
];

/// The arguments, which all prompts share.
const ARGUMENTS: [(&str, &str); 3] = [
    ("project", "Name or root id; may be left out when there is one"),
    ("task", "Node id; otherwise the task that is yours or comes next"),
    ("paths", "Files, separated by commas; otherwise those of the task"),
];

/// Whether there are prompts: they speak of knowledge and of work.
pub(super) fn is_on(on: &[Domain]) -> bool {
    [Domain::Work, Domain::Knowledge].iter().all(|toolset| on.contains(toolset))
}

/// The prompts, if the toolsets that they speak of are on.
pub(super) fn listed(on: &[Domain]) -> Vec<Prompt> {
    let arguments = || {
        let one = |(name, description): (&str, &str)| {
            PromptArgument::new(name).with_description(description).with_required(false)
        };
        Some(ARGUMENTS.into_iter().map(one).collect())
    };
    let listing = |prompt: &PromptDef| {
        Prompt::new(prompt.name, Some(prompt.description), arguments()).with_title(prompt.title)
    };
    PROMPTS.iter().filter(|_| is_on(on)).map(listing).collect()
}

/// Writes a prompt; a name, an argument or a thing that is not there is the asker's fault.
pub(super) fn get(
    app: &mut App,
    ctx: &Ctx,
    name: &str,
    arguments: Option<JsonObject>,
) -> Result<GetPromptResult> {
    let on = listed(&app.config().toolsets.value);
    let known = on.iter().map(|prompt| prompt.name.as_str());
    let Some(prompt) = PROMPTS
        .iter()
        .find(|prompt| prompt.name == name && on.iter().any(|listed| listed.name == prompt.name))
    else {
        let meant = text::did_you_mean(nearest(name, known));
        let name = text::shorten(name, 80);
        return Err(Fault::new(ErrorCode::NotFound, format!("no prompt `{name}`{meant}")).into());
    };
    let subject = subject(arguments.unwrap_or_default())?;
    let settings = app.work();
    let written = app.read(ctx, |tx| (prompt.write)(tx, &settings, &subject))?;
    let message = PromptMessage::new_text(Role::User, written);
    Ok(GetPromptResult::new(vec![message]).with_description(prompt.description))
}

/// The arguments as they came; an empty one counts as left out, which is how forms send it.
fn subject(arguments: JsonObject) -> Result<Subject> {
    let mut subject = Subject::default();
    for (name, value) in arguments {
        let value = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let value = Some(value).filter(|value| !value.is_empty());
        match name.as_str() {
            "project" => subject.project = value,
            "task" => subject.task = value,
            "paths" => subject.paths = value.map(|text| paths::extract(&text)).unwrap_or_default(),
            _ => {
                let known = ARGUMENTS.map(|(name, _)| name);
                let meant = text::did_you_mean(nearest(&name, known.into_iter()));
                let problem = format!("is not an argument of this prompt{meant}");
                return Err(Fault::invalid(&text::shorten(&name, 80), problem).into());
            }
        }
    }
    Ok(subject)
}
