//! What a tool is: how it is listed, and the function it runs.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{input, output};
use crate::{
    app::App,
    base::{Ctx, Domain, Error, ErrorCode, Fault, Result, text},
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

/// From arguments that fit the schema to the response as compact JSON.
type Run = Box<dyn Fn(&mut App, &Ctx, Value) -> Result<String> + Send + Sync>;

/// One tool: how it is listed, and what it runs.
pub struct ToolDef {
    /// The listed name, of `[a-zA-Z0-9_-]` only.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Begins with the name of the domain and says when to use the tool.
    pub description: &'static str,
    /// The tools of this domain are switched on together.
    pub toolset: Domain,
    /// What a call may do.
    pub effect: Effect,
    /// Whether the same call again changes nothing more.
    pub idempotent: bool,
    /// Whether a fault is `{"success": false, "error": …}`.
    pub envelope: bool,
    /// Whether a call may take long enough that other requests should not wait for it.
    pub long: bool,
    /// The schema of the arguments, which drives their reader.
    pub(super) input: LazyLock<Value>,
    /// The schema of the response.
    pub output: LazyLock<Value>,
    pub(super) run: Run,
}

impl ToolDef {
    /// A tool whose schemas follow from the types of `run`.
    pub fn new<Args, Answer>(
        toolset: Domain,
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
            long: false,
            // Generated on first use: a server starts faster without them.
            input: LazyLock::new(input::schema::<Args>),
            output: LazyLock::new(output::schema::<Answer>),
            run: Box::new(move |app, ctx, arguments| {
                let arguments = serde_json::from_value(arguments).map_err(unfitting)?;
                Ok(serde_json::to_string(&run(app, ctx, arguments)?)?)
            }),
        }
    }

    /// The schema of the arguments as clients see it.
    pub fn listed_input(&self) -> Value {
        input::listed(&self.input)
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

    /// A server runs every call on a thread of its own, so that it responds to others meanwhile.
    pub fn long(mut self) -> Self {
        self.long = true;
        self
    }
}

/// An argument that fits the schema and not the type, such as a number that is too large.
fn unfitting(error: serde_json::Error) -> Error {
    let problem = text::shorten(&error.to_string(), 300);
    Fault::new(ErrorCode::ValidationError, format!("the arguments do not fit: {problem}")).into()
}
