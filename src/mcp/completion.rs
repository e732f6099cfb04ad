//! Completion of what a person types: the arguments of resource templates and of prompts.

use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};

use super::{prompts, resources};
use crate::{
    app::{App, Names},
    base::{Ctx, Domain, Error, ErrorCode, Fault, Result, text},
    tools::{NODE, PROJECT, Resource},
    work,
};

/// What an argument is.
enum Wanted {
    /// The argument of a resource.
    Of(&'static Resource),
    /// Nodes of a project that was chosen before.
    NodeOf(String),
    /// Files of the working tree, separated by commas.
    Paths,
}

/// Whether there is anything to complete.
pub(super) fn is_on(on: &[Domain]) -> bool {
    resources::is_on(on) || prompts::is_on(on)
}

/// At most 100 values that begin with what was typed, in order. A request creates no database.
pub(super) fn complete(
    app: &mut App,
    ctx: &Ctx,
    request: &CompleteRequestParams,
) -> Result<CompletionInfo> {
    let wanted = wanted(&app.config().toolsets.value, request)?;
    let (typed, limit) = (request.argument.value.as_str(), CompletionInfo::MAX_VALUES);
    let names = match wanted {
        Wanted::Paths => paths(app, typed, limit),
        _ if !resources::database_exists(app) => Names::default(),
        Wanted::NodeOf(project) => {
            app.read(ctx, |tx| work::complete_nodes_of(tx, &project, typed, limit))?
        }
        Wanted::Of(resource) => (resource.complete)(app, ctx, typed, limit)?,
    };
    let more = names.total > names.values.len();
    let total = u32::try_from(names.total).ok();
    CompletionInfo::with_pagination(names.values, total, more).map_err(Error::internal)
}

/// The argument that a request is about; an unknown name or argument is an error of the client.
fn wanted(on: &[Domain], request: &CompleteRequestParams) -> Result<Wanted> {
    let (argument, named) = (request.argument.name.as_str(), text::shorten);
    let refused = |what: String| -> Error { Fault::new(ErrorCode::NotFound, what).into() };
    let (name, arguments) = match &request.r#ref {
        Reference::Resource(template) => {
            let resource = resources::all(on)
                .find(|one| resources::template(one).is_some_and(|it| it == template.uri));
            let resource = resource.ok_or_else(|| {
                refused(format!("there is no resource template `{}`", named(&template.uri, 120)))
            })?;
            if resource.argument == Some(argument) {
                return Ok(Wanted::Of(resource));
            }
            (&template.uri, resource.argument.unwrap_or_default().to_owned())
        }
        Reference::Prompt(prompt) => {
            if !prompts::listed(on).iter().any(|listed| listed.name == prompt.name) {
                return Err(refused(format!("there is no prompt `{}`", named(&prompt.name, 80))));
            }
            match argument {
                "project" => return Ok(Wanted::Of(&PROJECT)),
                "task" => {
                    let chosen = request.context.as_ref().and_then(|it| it.get_argument("project"));
                    let chosen = chosen.filter(|project| !project.trim().is_empty());
                    return Ok(chosen.map_or(Wanted::Of(&NODE), |it| Wanted::NodeOf(it.clone())));
                }
                "paths" => return Ok(Wanted::Paths),
                _ => (&prompt.name, "project, task, paths".to_owned()),
            }
        }
        _ => {
            return Err(refused("only resource templates and prompts can be completed".to_owned()));
        }
    };
    let (argument, name) = (named(argument, 80), named(name, 120));
    Err(refused(format!("`{name}` has no argument `{argument}` (it has: {arguments})")))
}

/// The last of the paths that were typed is completed, those before it stay.
fn paths(app: &App, typed: &str, limit: usize) -> Names {
    let begin = typed.rfind(',').map_or(0, |comma| comma + 1);
    let spaces = typed[begin..].len() - typed[begin..].trim_start().len();
    let (kept, last) = typed.split_at(begin + spaces);
    let mut names = app.complete_path(last, limit);
    for value in &mut names.values {
        value.insert_str(0, kept);
    }
    names
}
