//! `graph remember [TYPE] TEXT` and `graph forget ID`: memories.

use clap::Args;
use serde_json::json;

use super::{
    super::{
        Shell, completions,
        output::{Done, Failure, Outcome, QUIET, brief, plain, styled},
    },
    target::{self, listed, text},
};
use crate::{
    app::{Read, Write},
    base::{Domain, ErrorCode, Fault, Result},
    memory::{self, AddNodeType, ByNode, CreateNode, CreatedNode, Ontology},
};

/// The type of a memory where none is named.
const NOTE: &str = "note";

/// What to remember.
#[derive(Debug, Args)]
#[command(override_usage = "graph remember [OPTIONS] [TYPE] <TEXT>")]
pub struct Remember {
    /// The text, or - for standard input; before it the type, if not `note`: a type that is missing is added
    #[arg(value_name = "TEXT")]
    pub first: String,
    #[arg(hide = true, help = "The text, behind a type")]
    pub second: Option<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// What to forget.
#[derive(Debug, Args)]
pub struct Forget {
    /// Memories by id, or - for standard input
    #[arg(required = true, value_name = "ID", add = completions::things_of(&[Domain::Memory]))]
    pub ids: Vec<String>,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

pub fn remember(ask: &Remember, shell: &mut Shell) -> Outcome {
    let (kind, words) = match &ask.second {
        Some(words) => (ask.first.as_str(), words),
        None => (NOTE, &ask.first),
    };
    let new = CreateNode {
        r#type: kind.to_owned(),
        content: text(words, shell)?,
        ..CreateNode::default()
    };
    let remember = |tx: &Write<'_>| {
        ensure_type(tx, kind)?;
        memory::create_node(tx, &new)
    };
    let created: CreatedNode = match ask.dry_run {
        true => shell.change(true, remember)?,
        false => shell.app.write(&shell.ctx, remember)?,
    };
    if shell.out.json {
        shell.out.object(&created)?;
        return Ok(Done::Ok);
    }
    let id = styled(QUIET, plain(&created.node_id));
    shell.out.line(format_args!("remembered {id}  {}", brief(&new.content)))?;
    for id in &created.similar {
        shell.out.line(format_args!("  has the same first line: {}", plain(id)))?;
    }
    shell.end_of(ask.dry_run)
}

/// Adds the type where the ontology does not have it, and the ontology where there is none.
fn ensure_type(tx: &Write<'_>, kind: &str) -> Result<()> {
    match memory::get_ontology(tx) {
        Ok(ontology) if ontology.node_types.iter().any(|it| it == kind) => Ok(()),
        Ok(_) => memory::add_node_type(tx, &AddNodeType { type_name: kind.to_owned() }).map(|_| ()),
        Err(error) if error.code() == ErrorCode::OntologyNotFound => {
            let node_types = vec![kind.to_owned()];
            memory::create_ontology(tx, &Ontology { node_types, ..Ontology::default() }).map(|_| ())
        }
        Err(error) => Err(error),
    }
}

pub fn forget(ask: &Forget, shell: &mut Shell) -> Outcome {
    let given = listed(&ask.ids, shell)?;
    let titles = shell.read(|tx| titles(tx, &given))?;
    if !ask.yes && !ask.dry_run {
        confirm(&titles, shell)?;
    }
    shell.change(ask.dry_run, |tx| {
        titles.iter().try_for_each(|(id, _)| {
            memory::delete_node(tx, &ByNode { node_id: id.clone() }).map(|_| ())
        })
    })?;
    if shell.out.json {
        let ids: Vec<_> = titles.iter().map(|(id, _)| id).collect();
        shell.out.object(&json!({ "deleted": ids }))?;
        return Ok(Done::Ok);
    }
    for (id, title) in &titles {
        let id = styled(QUIET, plain(id));
        shell.out.line(format_args!("forgotten {id}  {}", brief(title)))?;
    }
    shell.end_of(ask.dry_run)
}

fn confirm(titles: &[(String, String)], shell: &mut Shell) -> std::result::Result<(), Failure> {
    if !shell.out.can_ask() {
        let message = "there is no terminal to ask at whether to forget";
        return Err(Fault::new(ErrorCode::InvalidOperation, message)
            .hint("repeat the command with --yes, or try it with --dry-run")
            .into());
    }
    for (_, title) in titles {
        shell.out.line(format_args!("  {}", brief(title)))?;
    }
    match shell.out.ask("forget this, with its connections?")? {
        true => Ok(()),
        false => Err(Failure::Stopped),
    }
}

/// The memories that are meant, with their titles.
fn titles(tx: &Read<'_>, given: &[String]) -> Result<Vec<(String, String)>> {
    let titles = given.iter().map(|given| {
        let id = target::memory(tx, given)?;
        let node = memory::get_node(tx, &ByNode { node_id: id })?;
        let title = memory::text_of(tx, &node.id)?.map(|text| text.title);
        Ok((node.id, title.unwrap_or_default()))
    });
    titles.collect()
}
