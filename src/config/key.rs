//! The keys of the configuration file: one row each, from which the file, the errors and the settings follow.

use std::ffi::OsString;

use serde_json::Value;

use super::{
    ConfigError, Setting, Source,
    file::File,
    value::{self, Durability, list_of_names, text, whole_number},
};
use crate::base::Domain;

/// The name of a key, and what the documented file says about it.
#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    /// The default as it is written in the file.
    pub default: fn() -> String,
    /// Comment lines.
    pub help: &'static [&'static str],
    /// The command-line option that has the same meaning.
    pub option: Option<&'static str>,
    /// The environment variable that has the same meaning.
    pub variable: Option<&'static str>,
}

/// A key and the type of its value.
pub struct Typed<T: 'static> {
    pub key: &'static Key,
    default: fn() -> T,
    read: fn(&Value) -> Result<T, String>,
}

/// Every key, in the order of the documented file.
pub static KEYS: [&Key; 6] = [
    AGENT_IDENTITY.key,
    DB_PATH.key,
    CLAIM_TTL_MINUTES.key,
    TOOLSETS.key,
    DURABILITY.key,
    MAX_MESSAGE_MB.key,
];

pub const AGENT_IDENTITY: Typed<Option<String>> = Typed {
    key: &Key {
        name: "agent_identity",
        default: || "null".to_owned(),
        help: &[
            "The name that every write is attributed to. Without one: the name of the MCP client, or \"cli\" in a shell.",
        ],
        option: Some("--agent"),
        variable: Some("GRAPH_AGENT"),
    },
    default: || None,
    read: |value| text(value, value::identity).map(Some),
};

/// The path as it is written; what it is relative to depends on where it is written.
pub const DB_PATH: Typed<Option<OsString>> = Typed {
    key: &Key {
        name: "db_path",
        default: || "null".to_owned(),
        help: &[
            "The SQLite file, relative to this file. Without one: graph.db at the root of the repository's main working tree, so",
            "that linked working trees share it; outside git, in the working directory.",
        ],
        option: Some("--db"),
        variable: Some("GRAPH_DB"),
    },
    default: || None,
    read: |value| text(value, |path| Ok(Some(path.into()))),
};

pub const CLAIM_TTL_MINUTES: Typed<u32> = Typed {
    key: &Key {
        name: "claim_ttl_minutes",
        default: || "60".to_owned(),
        help: &[
            "Minutes after which a claim no longer keeps other agents away, from 1 to 525600 (a year).",
        ],
        option: None,
        variable: None,
    },
    default: || 60,
    read: |value| whole_number(value, 1..=525_600),
};

pub const TOOLSETS: Typed<Vec<Domain>> = Typed {
    key: &Key {
        name: "toolsets",
        default: || {
            let names: Vec<_> = Domain::ALL.iter().map(|domain| domain.as_str()).collect();
            format!("[{}]", names.join(", "))
        },
        help: &[
            "The groups of tools that the server offers. With commas between the names in the option and the variable.",
        ],
        option: Some("--toolsets"),
        variable: Some("GRAPH_TOOLSETS"),
    },
    default: || Domain::ALL.to_vec(),
    read: |value| list_of_names(value, value::toolsets),
};

pub const DURABILITY: Typed<Durability> = Typed {
    key: &Key {
        name: "durability",
        default: || "full".to_owned(),
        help: &[
            "What a committed write survives: \"full\" a loss of power, \"normal\" a crash of the process, with faster writes.",
        ],
        option: None,
        variable: None,
    },
    default: || Durability::Full,
    read: |value| text(value, str::parse),
};

pub const MAX_MESSAGE_MB: Typed<u32> = Typed {
    key: &Key {
        name: "max_message_mb",
        default: || "64".to_owned(),
        help: &[
            "Megabytes that one message of a client may have, from 1 to 1024. A longer one is refused with an error.",
        ],
        option: None,
        variable: None,
    },
    default: || 64,
    read: |value| whole_number(value, 1..=1024),
};

impl<T> Typed<T> {
    /// The value in force: what was given by option or variable, else what the file has, else the default.
    pub fn setting(
        &self,
        given: Option<(OsString, Source)>,
        file: &File,
    ) -> Result<Setting<T>, ConfigError> {
        let set = match given {
            Some((text, source)) => {
                let value = text.into_string().map(Value::String);
                let read = value.map_err(|_| "is not UTF-8 text".to_owned());
                Some((read.and_then(|value| (self.read)(&value)), source))
            }
            None => file.value(self.key.name).map(|(value, source)| ((self.read)(value), source)),
        };
        match set {
            Some((Ok(value), source)) => Ok(Setting { value, source }),
            Some((Err(problem), source)) => {
                Err(ConfigError::value(&source, self.key.name, problem))
            }
            None => Ok(Setting { value: (self.default)(), source: Source::Default }),
        }
    }
}

/// The names of all keys.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    KEYS.iter().map(|key| key.name)
}

const ABOUT_THE_FILE: &str = "\
# Settings of graph. Every key is optional; the values below are the defaults, also where they are comments.
#
# For each setting the first of these counts: a command-line option, an environment variable, this file (the nearest one
# from the working directory up to the root of the repository), the default. `graph doctor` shows which one it was.
# An unknown key or an invalid value is an error, never ignored.
";

/// The documented file, with every key and its default.
pub fn documented_text() -> String {
    written("")
}

/// The documented file, with every key as a comment: what is not set follows the defaults of newer versions.
pub fn initial_text() -> String {
    written("# ")
}

fn written(before_key: &str) -> String {
    let mut text = ABOUT_THE_FILE.to_owned();
    for key in KEYS {
        text.push('\n');
        for line in key.help {
            text += &format!("# {line}\n");
        }
        if let (Some(option), Some(variable)) = (key.option, key.variable) {
            text += &format!("# Option {option}, environment {variable}.\n");
        }
        text += &format!("{before_key}{}: {}\n", key.name, (key.default)());
    }
    text
}
