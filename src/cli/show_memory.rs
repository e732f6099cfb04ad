//! `graph show ID` of a memory or of a connection between two.

use serde_json::json;

use super::{
    Shell,
    format::{size, value, when},
    next::quoted,
    output::{Done, NEXT, Outcome, Output, QUIET, STRONG, block, brief, plain, styled},
    show::field,
};
use crate::{
    app::Read,
    base::{
        Domain, Error, ErrorCode, Fault, Result, Timestamp,
        hint::{cmd, hint},
        props::Properties,
    },
    memory::{
        self, ByNode, Connection, Encoding, GetConnection, Node, NodeContent, QueryConnections,
    },
};

/// Connections that are listed each way.
const LISTED: usize = 20;

/// What an id can name here.
enum Found {
    Node { node: Node, held: NodeContent, out: Links, back: Links },
    Connection(Connection),
}

/// The first connections of one direction, and how many there are in all.
struct Links {
    shown: Vec<Connection>,
    total: usize,
}

/// Shows the memory with this id; where there is none, the error is `unknown`, or names where the id belongs.
pub fn run(id: &str, shell: &mut Shell, unknown: Error) -> Outcome {
    let Some(found) = shell.read(|tx| find(tx, id))? else {
        return Err(elsewhere(id, shell, unknown)?.into());
    };
    let out = &mut shell.out;
    match (found, out.json) {
        (Found::Node { node, held, .. }, true) => {
            out.object(&json!({ "node": node, "content": held }))?;
        }
        (Found::Connection(connection), true) => out.object(&connection)?,
        (Found::Node { node, held, out: from, back }, false) => {
            facts(&node, &held, out)?;
            links("leads to", &from, |link| &link.to_node_id, out)?;
            links("comes from", &back, |link| &link.from_node_id, out)?;
            history(&node.id, out)?;
        }
        (Found::Connection(connection), false) => between(&connection, out)?,
    }
    Ok(Done::Ok)
}

fn find(tx: &Read<'_>, id: &str) -> Result<Option<Found>> {
    let ask = ByNode { node_id: id.to_owned() };
    match memory::get_node(tx, &ask) {
        Ok(node) => {
            let held = memory::get_node_content(tx, &ask)?;
            let this = Some(node.id.clone());
            let out = QueryConnections { from_node_id: this.clone(), ..Default::default() };
            let back = QueryConnections { to_node_id: this, ..Default::default() };
            let (out, back) = (read_links(tx, out)?, read_links(tx, back)?);
            return Ok(Some(Found::Node { node, held, out, back }));
        }
        Err(error) if error.code() == ErrorCode::NodeNotFound => {}
        Err(error) => return Err(error),
    }
    let ask = GetConnection { connection_id: id.to_owned(), include_content: true };
    match memory::get_connection(tx, &ask) {
        Ok(connection) => Ok(Some(Found::Connection(connection))),
        Err(error) if error.code() == ErrorCode::ConnectionNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_links(tx: &Read<'_>, ask: QueryConnections) -> Result<Links> {
    let found = memory::query_connections(tx, &QueryConnections { limit: Some(LISTED), ..ask })?;
    let shown = found.connection_ids.into_iter().map(|connection_id| {
        memory::get_connection(tx, &GetConnection { connection_id, include_content: false })
    });
    let shown: Vec<_> = shown.collect::<Result<_>>()?;
    let total = found.total.and_then(|total| usize::try_from(total).ok()).unwrap_or(shown.len());
    Ok(Links { shown, total })
}

/// What is said about an id that neither work nor memory has: it may have had it, or be another domain's.
fn elsewhere(id: &str, shell: &mut Shell, unknown: Error) -> Result<Error> {
    let Some(last) = shell.app.log_of(&shell.ctx, id, 1)?.pop() else {
        return Ok(unknown);
    };
    let (kind, domain) = (last.kind, last.domain);
    let history = hint![cmd(format!("graph log {}", quoted(id))), " tells its history"];
    let (message, hint) = match (Domain::named(&domain), last.action.as_str()) {
        (_, "deleted") => (format!("`{id}` is deleted; it was of {domain} ({kind})"), history),
        // It was merged, and work knows into which one.
        (Some(Domain::Work), _) => return Ok(unknown),
        _ => (
            format!("`{id}` is of {domain} ({kind}), which this command does not show"),
            match (Domain::named(&domain), kind.as_str()) {
                (Some(Domain::Kb), "entity") => {
                    hint![cmd(format!("graph kb query --id {}", quoted(id))), " shows it"]
                }
                (Some(Domain::Knowledge), "atom" | "molecule") => {
                    let ask = json!({ "operation": "get", "entityType": kind, "id": id });
                    hint![cmd(format!("graph tool query_graph '{ask}'")), " shows it"]
                }
                _ => history,
            },
        ),
    };
    Ok(Fault::new(ErrorCode::NotFound, message).hint(hint).into())
}

fn facts(node: &Node, held: &NodeContent, out: &mut Output) -> std::io::Result<()> {
    out.line(format_args!(
        "{}  {}",
        styled(NEXT, plain(&node.id)),
        styled(STRONG, format_args!("a memory: {}", plain(&node.r#type)))
    ))?;
    times(node.created, node.modified, out)?;
    field(out, "format", plain(&held.format))?;
    properties(&node.properties, out)?;
    match held.encoding {
        Encoding::Utf8 => content(&held.content, out),
        Encoding::Base64 => {
            out.heading("content")?;
            // Four letters of base64 are three bytes.
            let bytes = held.content.trim_end_matches('=').len() as u64 * 3 / 4;
            out.line(styled(QUIET, format_args!("  {}, which are no text", size(bytes))))
        }
    }
}

fn between(connection: &Connection, out: &mut Output) -> std::io::Result<()> {
    out.line(format_args!(
        "{}  {}",
        styled(NEXT, plain(&connection.id)),
        styled(STRONG, format_args!("a connection: {}", plain(&connection.r#type)))
    ))?;
    field(out, "from", plain(&connection.from_node_id))?;
    field(out, "to", plain(&connection.to_node_id))?;
    times(connection.created, connection.modified, out)?;
    properties(&connection.properties, out)?;
    content(connection.content.as_deref().unwrap_or_default(), out)?;
    history(&connection.id, out)
}

fn times(created: Timestamp, modified: Timestamp, out: &mut Output) -> std::io::Result<()> {
    field(out, "created", when(created))?;
    field(out, "updated", when(modified))
}

fn properties(properties: &Properties, out: &mut Output) -> std::io::Result<()> {
    if properties.is_empty() {
        return Ok(());
    }
    out.heading("properties")?;
    for (key, held) in properties {
        out.line(format_args!("  {}: {}", plain(key), value(held)))?;
    }
    Ok(())
}

fn content(text: &str, out: &mut Output) -> std::io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    out.heading("content")?;
    out.line(format_args!("  {}", block(text, "  ")))
}

fn links(
    title: &str,
    links: &Links,
    far: impl Fn(&Connection) -> &String,
    out: &mut Output,
) -> std::io::Result<()> {
    if links.shown.is_empty() {
        return Ok(());
    }
    out.heading(title)?;
    for link in &links.shown {
        let id = styled(QUIET, plain(&link.id));
        out.line(format_args!("  {id}  {}  {}", brief(&link.r#type), plain(far(link))))?;
    }
    match links.total.saturating_sub(links.shown.len()) {
        0 => Ok(()),
        more => out.line(styled(QUIET, format_args!("  … and {more} more"))),
    }
}

fn history(id: &str, out: &mut Output) -> std::io::Result<()> {
    out.gap()?;
    let command = out.command(&format!("graph log {}", quoted(id)));
    out.line(format_args!("how it came to this: {}", styled(NEXT, command)))
}
