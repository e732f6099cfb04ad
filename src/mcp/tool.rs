//! Tools: what one is, the registry of all, and the one guarded door to each.
//!
//! The server and `graph tool NAME JSON` both go through [`Registry::answer`]. As `mcp` and `cli`
//! never import each other, `main.rs` hands [`mcp::serve`](super::serve) and
//! [`mcp::call`](super::call) to the command line as plain functions.
//!
//! A tool runs at most one write transaction, and nothing before it that must not be repeated:
//! the server tries each call without waiting first and repeats it when the answer is BUSY.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::LazyLock,
    time::Instant,
};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{args, complaint::nearest, schema};
use crate::{
    app::App,
    base::{Ctx, Error, ErrorCode, Fault, Result, text},
    config::Toolset,
};

/// What a call may do to the database; clients ask their user about the last kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Adds or changes in ways that can be taken back.
    Write,
    /// Removes or merges.
    Destructive,
}

/// Takes arguments as the schema has them, gives the answer as compact JSON.
type Run = Box<dyn Fn(&mut App, &Ctx, Value) -> Result<String> + Send + Sync>;

/// One tool: how it is listed, and what it runs.
pub struct ToolDef {
    /// The listed name, of `[a-zA-Z0-9_-]` only.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Begins with the domain's word and says when to use the tool.
    pub description: &'static str,
    /// The group it is switched on with.
    pub toolset: Toolset,
    /// What a call may do.
    pub effect: Effect,
    /// Whether the same call again changes nothing more.
    pub idempotent: bool,
    /// Whether a fault is `{"success": false, "error": …}`.
    pub envelope: bool,
    /// The schema of the arguments, which drives their reader.
    input: LazyLock<Value>,
    /// The schema of the answer.
    pub output: LazyLock<Value>,
    run: Run,
}

impl ToolDef {
    /// A tool whose schemas follow from the types of `run`.
    pub fn new<Args, Answer>(
        toolset: Toolset,
        name: &'static str,
        title: &'static str,
        description: &'static str,
        effect: Effect,
        run: fn(&mut App, &Ctx, Args) -> Result<Answer>,
    ) -> Self
    where
        Args: DeserializeOwned + JsonSchema + 'static,
        Answer: Serialize + JsonSchema + 'static,
    {
        ToolDef {
            name,
            title,
            description,
            toolset,
            effect,
            idempotent: effect == Effect::Read,
            envelope: false,
            // Made when they are first looked at: at start nobody has asked yet.
            input: LazyLock::new(schema::input::<Args>),
            output: LazyLock::new(schema::output::<Answer>),
            run: Box::new(move |app, ctx, arguments| {
                let arguments = serde_json::from_value(arguments).map_err(unfitting)?;
                Ok(serde_json::to_string(&run(app, ctx, arguments)?)?)
            }),
        }
    }

    /// The schema of the arguments as clients see it.
    pub fn listed_input(&self) -> Value {
        schema::listed(&self.input)
    }

    /// The same call again changes nothing more.
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// Faults come in the envelope of the tool's seed.
    pub fn enveloped(mut self) -> Self {
        self.envelope = true;
        self
    }
}

/// What the reader let pass and the type did not take, such as a number too large for it.
fn unfitting(error: serde_json::Error) -> Error {
    let problem = text::shorten(&error.to_string(), 300);
    Fault::new(ErrorCode::ValidationError, format!("the arguments do not fit: {problem}")).into()
}

/// All tools in listing order, and which of them are on.
pub struct Registry {
    tools: Vec<ToolDef>,
    on: Vec<Toolset>,
}

impl Registry {
    /// `tools`, of which those of the toolsets `on` are listed and callable.
    pub fn new(tools: Vec<ToolDef>, on: &[Toolset]) -> Self {
        Registry { tools, on: on.to_vec() }
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
                    .hint("the setting is `toolsets`; `graph doctor` shows where it comes from")
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

    /// What [`answer`](Self::answer) says, for a caller that looks into it.
    pub fn call(&self, app: &mut App, ctx: &Ctx, name: &str, arguments: Value) -> Result<Value> {
        Ok(serde_json::from_str(&self.answer(app, ctx, name, arguments)?)?)
    }

    /// The one guarded door: every call of every tool, from every side, passes here. The answer is compact JSON.
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
    use super::*;

    #[derive(serde::Deserialize, JsonSchema)]
    struct Nothing {}

    fn nothing(_: &mut App, _: &Ctx, _: Nothing) -> Result<Value> {
        Ok(Value::Null)
    }

    fn registry(on: &[Toolset]) -> Registry {
        let tool =
            |name| ToolDef::new(Toolset::Work, name, "Title", "Work: …", Effect::Write, nothing);
        Registry::new(vec![tool("graph_open"), tool("advance")], on)
    }

    #[test]
    fn tools_are_found_by_listed_and_by_dotted_name() {
        let registry = registry(Toolset::ALL);
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
