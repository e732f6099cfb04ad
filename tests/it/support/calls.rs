//! One method for each tool.

/// Adds to a type with a method `ok` the calls that must succeed: `x.graph_open(arguments)`.
macro_rules! tool_methods {
    ($type:ty) => {
        crate::support::calls::tool_methods! { $type:
            add_connection_type add_node_type advance create_connection create_node
            create_ontology delete_connection delete_node ensure_singleton_node
            get_connected_nodes get_connection get_node get_node_content get_ontology
            graph_brief graph_connect graph_context graph_history graph_next graph_onboard
            graph_open graph_plan graph_query graph_restructure graph_search graph_update
            kb_check kb_delete kb_query kb_upsert manage_changelog manage_graph
            query_connections query_container query_graph query_nodes search_content
            update_connection update_node validate_connection
        }
    };
    ($type:ty: $($tool:ident)+) => {
        #[allow(dead_code, reason = "not every type is asked with every tool")]
        impl $type {
            $(
                #[track_caller]
                pub fn $tool(&mut self, arguments: serde_json::Value) -> serde_json::Value {
                    self.ok(stringify!($tool), arguments)
                }
            )+
        }
    };
}

pub(crate) use tool_methods;
