//! The smallest MCP server over rmcp: one tool, which returns nothing.

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::{stdio, stdio_pipes},
};

struct Bare<F>(F);

impl<F: Fn() + Send + Sync + 'static> ServerHandler for Bare<F> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![Tool::new(
            "empty",
            "Nothing",
            serde_json::Map::new(),
        )]))
    }

    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        (self.0)();
        Ok(CallToolResult::success(Vec::new()).into())
    }
}

/// Serves until the input ends, and does `call` whenever its tool is called. With the argument `pipes` it reads and
/// writes through rmcp's pipe driver instead of its stock streams.
pub fn serve(call: impl Fn() + Send + Sync + 'static) -> Result<(), Box<dyn std::error::Error>> {
    let pipes = std::env::args().nth(1).is_some_and(|transport| transport == "pipes");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let running = match pipes {
            true => Bare(call).serve(stdio_pipes()).await?,
            false => Bare(call).serve(stdio()).await?,
        };
        running.waiting().await?;
        Ok(())
    })
}
