//! The tools of the memory graph.

use super::{
    Effect::{Destructive, Read, Write},
    Surface, ToolDef,
    resources::memory::{MEMORY, ONTOLOGY},
};
use crate::{
    app::App,
    base::{Ctx, Domain, Result},
    memory::{
        self, AddConnectionType, AddNodeType, ByConnection, ByNode, Connection, ConnectionIds,
        CreateConnection, CreateNode, CreatedConnection, CreatedNode, Done, EnsureSingletonNode,
        GetConnectedNodes, GetConnection, ListOntology, Node, NodeContent, NodeIds, Ontology,
        OntologyPage, QueryConnections, QueryNodes, SearchContent, Singleton, UpdateConnection,
        UpdateNode, ValidateConnection, Validity,
    },
};

pub(super) const SURFACE: Surface =
    Surface { instructions: INSTRUCTIONS, tools, resources: &[ONTOLOGY, MEMORY] };

const INSTRUCTIONS: &str = "\
Memory: facts as typed nodes and connections, kept across sessions. get_ontology first (or \
create_ontology); search_content and query_nodes before create_node; ensure_singleton_node for what \
there is one of; create_connection and get_connected_nodes relate them.";

fn tools() -> Vec<ToolDef> {
    const ON: Domain = Domain::Memory;
    vec![
        ToolDef::new(
            ON,
            "create_node",
            "Remember something",
            "Memory: store a typed node with content. similar in the answer: nodes that may be the same.",
            Write,
            create_node,
        ),
        ToolDef::new(
            ON,
            "get_node",
            "Read a node's facts",
            "Memory: a node's type, times and properties.",
            Read,
            get_node,
        ),
        ToolDef::new(
            ON,
            "get_node_content",
            "Read a node's content",
            "Memory: a node's content, text or base64.",
            Read,
            get_node_content,
        ),
        ToolDef::new(
            ON,
            "update_node",
            "Change a node",
            "Memory: change a node's properties, content or format. Its type stays.",
            Write,
            update_node,
        ),
        ToolDef::new(
            ON,
            "delete_node",
            "Forget a node",
            "Memory: delete a node and all its connections.",
            Destructive,
            delete_node,
        ),
        ToolDef::new(
            ON,
            "create_connection",
            "Connect two nodes",
            "Memory: connect two nodes, as the ontology allows.",
            Write,
            create_connection,
        ),
        ToolDef::new(
            ON,
            "get_connection",
            "Read a connection",
            "Memory: a connection's ends, type, times and properties.",
            Read,
            get_connection,
        ),
        ToolDef::new(
            ON,
            "update_connection",
            "Change a connection",
            "Memory: change a connection's properties or notes.",
            Write,
            update_connection,
        ),
        ToolDef::new(
            ON,
            "delete_connection",
            "Disconnect two nodes",
            "Memory: delete a connection; its nodes stay.",
            Destructive,
            delete_connection,
        ),
        ToolDef::new(
            ON,
            "query_nodes",
            "Find nodes",
            "Memory: find nodes by type and properties, oldest first.",
            Read,
            query_nodes,
        ),
        ToolDef::new(
            ON,
            "query_connections",
            "Find connections",
            "Memory: find connections by ends, type and properties.",
            Read,
            query_connections,
        ),
        ToolDef::new(
            ON,
            "get_connected_nodes",
            "Follow connections",
            "Memory: the nodes that a node is connected with.",
            Read,
            get_connected_nodes,
        ),
        ToolDef::new(
            ON,
            "search_content",
            "Search content",
            "Memory: find nodes whose text contains a substring, any case.",
            Read,
            search_content,
        ),
        ToolDef::new(
            ON,
            "validate_connection",
            "Check a connection",
            "Memory: may this type connect these node types?",
            Read,
            validate_connection,
        ),
        ToolDef::new(
            ON,
            "create_ontology",
            "Define the ontology",
            "Memory: define all types, once, before the first node.",
            Write,
            create_ontology,
        ),
        ToolDef::new(
            ON,
            "add_node_type",
            "Add a node type",
            "Memory: add a node type; types are never changed.",
            Write,
            add_node_type,
        ),
        ToolDef::new(
            ON,
            "add_connection_type",
            "Add a connection type",
            "Memory: add a connection type; types are never changed.",
            Write,
            add_connection_type,
        ),
        ToolDef::new(
            ON,
            "get_ontology",
            "Read the ontology",
            "Memory: all node types and connection types. Read it first.",
            Read,
            get_ontology,
        ),
        ToolDef::new(
            ON,
            "ensure_singleton_node",
            "Find or create a node",
            "Memory: the one node of a type with these properties; created if there is none.",
            Write,
            ensure_singleton_node,
        )
        .idempotent(),
    ]
}

fn create_node(app: &mut App, ctx: &Ctx, ask: CreateNode) -> Result<CreatedNode> {
    app.write(ctx, |tx| memory::create_node(tx, &ask)).map_err(memory::creation_failed)
}

fn get_node(app: &mut App, ctx: &Ctx, ask: ByNode) -> Result<Node> {
    app.read(ctx, |tx| memory::get_node(tx, &ask))
}

fn get_node_content(app: &mut App, ctx: &Ctx, ask: ByNode) -> Result<NodeContent> {
    app.read(ctx, |tx| memory::get_node_content(tx, &ask))
}

fn update_node(app: &mut App, ctx: &Ctx, ask: UpdateNode) -> Result<Done> {
    app.write(ctx, |tx| memory::update_node(tx, &ask))
}

fn delete_node(app: &mut App, ctx: &Ctx, ask: ByNode) -> Result<Done> {
    app.write(ctx, |tx| memory::delete_node(tx, &ask))
}

fn create_connection(app: &mut App, ctx: &Ctx, ask: CreateConnection) -> Result<CreatedConnection> {
    app.write(ctx, |tx| memory::create_connection(tx, &ask)).map_err(memory::creation_failed)
}

fn get_connection(app: &mut App, ctx: &Ctx, ask: GetConnection) -> Result<Connection> {
    app.read(ctx, |tx| memory::get_connection(tx, &ask))
}

fn update_connection(app: &mut App, ctx: &Ctx, ask: UpdateConnection) -> Result<Done> {
    app.write(ctx, |tx| memory::update_connection(tx, &ask))
}

fn delete_connection(app: &mut App, ctx: &Ctx, ask: ByConnection) -> Result<Done> {
    app.write(ctx, |tx| memory::delete_connection(tx, &ask))
}

fn query_nodes(app: &mut App, ctx: &Ctx, ask: QueryNodes) -> Result<NodeIds> {
    app.read(ctx, |tx| memory::query_nodes(tx, &ask))
}

fn query_connections(app: &mut App, ctx: &Ctx, ask: QueryConnections) -> Result<ConnectionIds> {
    app.read(ctx, |tx| memory::query_connections(tx, &ask))
}

fn get_connected_nodes(app: &mut App, ctx: &Ctx, ask: GetConnectedNodes) -> Result<NodeIds> {
    app.read(ctx, |tx| memory::get_connected_nodes(tx, &ask))
}

fn search_content(app: &mut App, ctx: &Ctx, ask: SearchContent) -> Result<NodeIds> {
    app.read(ctx, |tx| memory::search_content(tx, &ask))
}

fn validate_connection(app: &mut App, ctx: &Ctx, ask: ValidateConnection) -> Result<Validity> {
    app.read(ctx, |tx| memory::validate_connection(tx, &ask))
}

fn create_ontology(app: &mut App, ctx: &Ctx, ask: Ontology) -> Result<Done> {
    app.write(ctx, |tx| memory::create_ontology(tx, &ask))
}

fn add_node_type(app: &mut App, ctx: &Ctx, ask: AddNodeType) -> Result<Done> {
    app.write(ctx, |tx| memory::add_node_type(tx, &ask))
}

fn add_connection_type(app: &mut App, ctx: &Ctx, ask: AddConnectionType) -> Result<Done> {
    app.write(ctx, |tx| memory::add_connection_type(tx, &ask))
}

fn get_ontology(app: &mut App, ctx: &Ctx, ask: ListOntology) -> Result<OntologyPage> {
    app.read(ctx, |tx| memory::list_ontology(tx, &ask))
}

fn ensure_singleton_node(app: &mut App, ctx: &Ctx, ask: EnsureSingletonNode) -> Result<Singleton> {
    // Finding what exists is a read, and needs no lock.
    match app.read(ctx, |tx| memory::find_singleton_node(tx, &ask))? {
        Some(found) => Ok(found),
        None => app
            .write(ctx, |tx| memory::ensure_singleton_node(tx, &ask))
            .map_err(memory::creation_failed),
    }
}
