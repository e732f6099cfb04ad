//! The registry: all tools, which of them are on, and the one guarded entry to each.
//!
//! Every call passes through [`Registry::answer`]: the server's, `graph tool NAME JSON` and the demo.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};

use serde_json::Value;

use super::{ToolDef, args, complaint::nearest};
use crate::{
    app::App,
    base::{
        Ctx, Domain, Error, ErrorCode, Fault, Result,
        hint::{cmd, hint},
        text,
    },
};

/// All tools in listing order, and which of them are on.
pub struct Registry {
    tools: Vec<ToolDef>,
    on: Vec<Domain>,
}

impl Registry {
    /// `tools`, of which those of the toolsets `on` are listed and callable.
    pub fn new(tools: Vec<ToolDef>, on: &[Domain]) -> Self {
        Registry { tools, on: on.to_vec() }
    }

    /// All tools, with those on that the application's settings name.
    pub fn of(app: &App) -> Self {
        Registry::new(super::all(), &app.config().toolsets.value)
    }

    /// The tools that are on, in an order that never changes.
    pub fn listed(&self) -> impl Iterator<Item = &ToolDef> + Clone {
        self.tools.iter().filter(|tool| self.on.contains(&tool.toolset))
    }

    /// The tool of that name; `kb.query` means `kb_query`, as the seeds write it.
    pub fn find(&self, name: &str) -> Result<&ToolDef> {
        let listed = name.replace('.', "_");
        let known = self.tools.iter().find(|tool| tool.name == listed);
        match known {
            Some(tool) if self.on.contains(&tool.toolset) => Ok(tool),
            Some(tool) => {
                let (name, toolset) = (tool.name, tool.toolset);
                let message = format!("tool `{name}` is off: its toolset `{toolset}` is not on");
                Err(Fault::new(ErrorCode::NotFound, message)
                    .hint(hint!["the setting is `toolsets`"; cmd("graph doctor"), " shows where it comes from"])
                    .into())
            }
            None => {
                let nearest = nearest(name, self.listed().map(|tool| tool.name));
                let name = text::shorten(name, 80);
                let message = format!("no tool `{name}`{}", text::did_you_mean(nearest));
                Err(Fault::new(ErrorCode::NotFound, message).into())
            }
        }
    }

    /// Calls a tool like [`answer`](Self::answer) and parses its result.
    pub fn call(&self, app: &mut App, ctx: &Ctx, name: &str, arguments: Value) -> Result<Value> {
        Ok(serde_json::from_str(&self.answer(app, ctx, name, arguments)?)?)
    }

    /// Calls a tool and returns its result as compact JSON. Every call of every tool passes here.
    ///
    /// A panic becomes an internal error and its transaction rolls back with the stack.
    pub fn answer(&self, app: &mut App, ctx: &Ctx, name: &str, arguments: Value) -> Result<String> {
        let tool = self.find(name)?;
        let request = ctx.request.as_str();
        let span = tracing::debug_span!("call", tool = tool.name, request);
        let _inside = span.enter();
        let start = Instant::now();
        let run = || {
            let arguments = args::read(&tool.input, arguments)?;
            (tool.run)(app, ctx, arguments)
        };
        let outcome = catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|panic| Err(Error::internal(describe(tool.name, panic.as_ref()))));
        // Never the arguments: they are the user's own text.
        let micros = start.elapsed().as_micros() as u64;
        let code = outcome.as_ref().err().map(|error| error.code().as_str());
        tracing::debug!(micros, code, "{} {request} took {micros} µs", tool.name);
        outcome
    }
}

fn describe(tool: &str, panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("tool {tool} panicked: {}", words.unwrap_or("no message"))
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::{super::Effect, *};

    #[derive(serde::Deserialize, JsonSchema)]
    struct Nothing {}

    fn nothing(_: &mut App, _: &Ctx, _: Nothing) -> Result<Value> {
        Ok(Value::Null)
    }

    fn registry(on: &[Domain]) -> Registry {
        let tool =
            |name| ToolDef::new(Domain::Work, name, "Title", "Work: …", Effect::Write, nothing);
        Registry::new(vec![tool("graph_open"), tool("advance")], on)
    }

    #[test]
    fn tools_are_found_by_listed_and_by_dotted_name() {
        let registry = registry(Domain::ALL);
        for (name, expected) in [
            ("graph_open", Ok("graph_open")),
            ("graph.open", Ok("graph_open")),
            ("advance", Ok("advance")),
            ("graphOpen", Err("no tool `graphOpen`, did you mean `graph_open`?")),
            ("Advance", Err("no tool `Advance`, did you mean `advance`?")),
            ("", Err("no tool ``")),
        ] {
            let found = registry.find(name).map(|tool| tool.name);
            let found = found.map_err(|error| error.into_fault("r").message);
            assert_eq!(found, expected.map_err(str::to_owned), "{name}");
        }
    }

    #[test]
    fn a_tool_that_is_off_is_not_listed_and_says_why() {
        let registry = registry(&[]);
        assert_eq!(registry.listed().count(), 0);
        let fault = registry.find("graph_open").err().unwrap().into_fault("r");
        assert_eq!(fault.message, "tool `graph_open` is off: its toolset `work` is not on");
    }
}
