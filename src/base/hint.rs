//! The next step after an error, as data: a tool's caller reads the names of tools, a shell's user reads commands.

use std::{borrow::Cow, fmt};

use serde::{Serialize, Serializer};

/// Steps to choose from. `Display` and JSON are the text for callers of tools; the command line renders its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint(Vec<Vec<Part>>);

/// A part of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// A call of a tool, and the command that does the same where there is one.
    Tool {
        call: &'static str,
        command: Option<&'static str>,
    },
    /// A line for a shell.
    Command(String),
}

/// A tool that no command replaces.
pub const fn tool(call: &'static str) -> Part {
    Part::Tool { call, command: None }
}

/// A call of a tool, and the command that does the same.
pub const fn tool_or(call: &'static str, command: &'static str) -> Part {
    Part::Tool { call, command: Some(command) }
}

/// A line for a shell.
pub fn cmd(line: impl Into<String>) -> Part {
    Part::Command(line.into())
}

/// A hint of parts: `,` between the parts of a step, `;` between steps.
macro_rules! hint {
    ($($($part:expr),+ $(,)?);+) => {
        $crate::base::hint::Hint::of(vec![$(vec![$($crate::base::hint::Part::from($part)),+]),+])
    };
}
pub(crate) use hint;

impl Hint {
    pub fn of(steps: Vec<Vec<Part>>) -> Self {
        Hint(steps)
    }

    /// The text in which a surface says each part in its own way.
    pub fn render<'a>(&'a self, part: impl Fn(&'a Part) -> Cow<'a, str>) -> String {
        let step = |step: &'a Vec<Part>| step.iter().map(&part).collect::<String>();
        self.0.iter().map(step).collect::<Vec<_>>().join("; ")
    }

    /// The steps that do not run `command`, if any.
    pub fn without(&self, command: &str) -> Option<Hint> {
        let runs = |part: &Part| matches!(part, Part::Command(line) if line == command);
        let steps = self.0.iter().filter(|step| !step.iter().any(runs));
        let steps: Vec<_> = steps.cloned().collect();
        (!steps.is_empty()).then_some(Hint(steps))
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(|part| match part {
            Part::Text(text) => text.into(),
            Part::Tool { call, .. } => (*call).into(),
            Part::Command(line) => format!("`{line}`").into(),
        }))
    }
}

impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<T: Into<Part>> From<T> for Hint {
    fn from(part: T) -> Self {
        Hint(vec![vec![part.into()]])
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Part::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Part::Text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_of_tools_read_tools_and_quoted_commands() {
        let hint = hint![tool_or("graph_query", "graph list"), " finds nodes"; "or run ", cmd("graph doctor")];
        assert_eq!(hint.to_string(), "graph_query finds nodes; or run `graph doctor`");
        assert_eq!(hint.without("graph doctor").unwrap().to_string(), "graph_query finds nodes");
        assert_eq!(Hint::from(cmd("graph doctor")).without("graph doctor"), None);
    }
}
