//! The server: rmcp's handler over the registry, and how a call finds its thread.
//!
//! Calls queue for the one database connection in their order of arrival, and a call leaves the
//! queue only when it is done. So two writes that a client sends without waiting commit in the
//! order in which it sent them.
//!
//! A short call runs right on the runtime's thread, because a hop to another thread costs more
//! than the call. It waits for no other process there: one that finds the database busy, that brings
//! much to do, or whose tool is known to take long, runs on a blocking thread, so that `ping` and
//! cancellation still work.

use std::{
    future::pending,
    io::Read,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        GetPromptRequestParams, GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig, Tool,
    },
    service::{RequestContext, ServerInitializeError},
    transport::Transport,
};
use serde_json::Value;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::{
    completion,
    input::{Input, READER_STACK},
    listing::{config, listing},
    message::Arrived,
    progress::{self, Notifications},
    prompts, resources, result,
    transport::{Lines, Output},
};
use crate::{
    app::{App, Patience},
    base::{Ctx, Domain, Error, ErrorCode, Result},
    tools::{Registry, ToolDef},
};

/// A call with a longer line runs on a thread of its own.
const SHORT_LINE: usize = 64 * 1024;
/// Time between two interrupts of a cancelled call: an interrupt has no effect on a statement that begins later.
const INTERRUPT_EVERY: Duration = Duration::from_millis(20);

/// Serves `registry` until the input ends and every accepted call has its response.
pub(super) fn serve(
    app: App,
    registry: Registry,
    reader: impl Read + Send + 'static,
    writer: impl Output,
) -> Result<()> {
    let max_line = app.config().max_message_mb.value as usize * 1024 * 1024;
    serve_lines(app, registry, reader, writer, max_line)
}

fn serve_lines(
    app: App,
    registry: Registry,
    reader: impl Read + Send + 'static,
    writer: impl Output,
    max_line: usize,
) -> Result<()> {
    let input = Input::new(reader, max_line);
    // Lines are parsed on this thread, which needs room for what is nested deep.
    let thread = thread::Builder::new().name("serve".to_owned()).stack_size(READER_STACK);
    let serving = thread.spawn(move || {
        let server = Server::new(app, registry);
        let lines = Lines::new(input, writer).after_each(server.between_calls());
        run(server, lines)
    });
    let ended = serving.map_err(Error::internal)?.join();
    ended.unwrap_or_else(|_| Err(Error::internal("the serving thread panicked")))
}

fn run(server: Server, lines: impl Transport<RoleServer> + 'static) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(Error::internal)?;
    // Dropping the runtime waits for the blocking threads, so that nothing is cut off mid-write.
    runtime.block_on(async {
        match server.serve(lines).await {
            Ok(running) => {
                running.waiting().await.map_err(Error::internal)?;
                Ok(())
            }
            // The client left before it sent anything that needs a session.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(Error::internal(error)),
        }
    })
}

struct Server {
    app: Arc<Mutex<App>>,
    registry: Arc<Registry>,
    tools: OnceLock<Vec<Tool>>,
    on: Vec<Domain>,
    config: ServerConfig,
}

impl Server {
    fn new(app: App, registry: Registry) -> Self {
        let on = &app.config().toolsets.value;
        Server {
            tools: OnceLock::new(),
            config: config(on),
            on: on.clone(),
            registry: Arc::new(registry),
            app: Arc::new(Mutex::new(app)),
        }
    }

    /// Work after a response, which it must not delay: a database that exists is opened while the client reads
    /// the response to `initialize`, and a checkpoint is written now and then. One that is missing is created by the
    /// first call that needs it, so that no file appears without need.
    fn between_calls(&self) -> impl FnMut() + Send + 'static {
        let (app, mut greeted) = (Arc::clone(&self.app), false);
        move || {
            // A call has the lock: it opens the file itself, and this runs again after its response.
            let Ok(mut app) = Arc::clone(&app).try_lock_owned() else { return };
            let opens =
                !std::mem::replace(&mut greeted, true) && app.config().db_path.value.is_file();
            if opens || app.is_checkpoint_due() {
                // Detached: the next call waits for the lock, meets the same error, and can report it.
                drop(tokio::task::spawn_blocking(move || app.checkpoint()));
            }
        }
    }

    /// Runs a call inline, or on a blocking thread where it would keep the session waiting.
    async fn run(
        &self,
        mut app: OwnedMutexGuard<App>,
        ctx: &Ctx,
        tool: &ToolDef,
        arrived: Arrived,
        context: &RequestContext<RoleServer>,
    ) -> Result<String> {
        // The first call opens the file, which may mean to create or to migrate it.
        let opens = app.interrupt_handle().is_none();
        if opens || tool.long || arrived.bytes > SHORT_LINE {
            return self.run_aside(app, ctx, tool.name, arrived.arguments, context).await;
        }
        app.set_patience(Patience::None)?;
        let again = arrived.arguments.clone();
        let outcome = self.registry.answer(&mut app, ctx, tool.name, arrived.arguments);
        match outcome {
            // A write takes its lock before anything else, so nothing has happened yet.
            Err(error) if error.code() == ErrorCode::Busy => {
                self.run_aside(app, ctx, tool.name, again, context).await
            }
            outcome => outcome,
        }
    }

    /// Runs a call on a blocking thread, with patience, until it ends or is cancelled.
    async fn run_aside(
        &self,
        mut app: OwnedMutexGuard<App>,
        ctx: &Ctx,
        name: &'static str,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<String> {
        app.set_patience(Patience::Full)?;
        let interrupt = app.interrupt_handle();
        let registry = Arc::clone(&self.registry);
        let mut ctx = ctx.clone();
        let mut notifications = context.meta.get_progress_token().map(|token| {
            let (progress, notifications) = Notifications::new(token);
            ctx.progress = progress;
            notifications
        });
        let mut thread = tokio::task::spawn_blocking(move || {
            let outcome = registry.answer(&mut app, &ctx, name, arguments);
            // The lock comes back with the outcome: an interrupt must never hit the next call.
            (outcome, app)
        });
        let mut cancelled = false;
        loop {
            tokio::select! {
                done = &mut thread => {
                    let (outcome, _app) = done.map_err(Error::internal)?;
                    return outcome;
                }
                notification = next(notifications.as_mut()), if !cancelled => {
                    progress::send(&context.peer, notification).await;
                }
                () = context.ct.cancelled(), if !cancelled => cancelled = true,
                () = tokio::time::sleep(INTERRUPT_EVERY), if cancelled => {}
            }
            if let Some(interrupt) = interrupt.as_ref().filter(|_| cancelled) {
                interrupt.interrupt();
            }
        }
    }

    /// Runs a request that is no tool call, in its turn and on a blocking thread: it is rare, and may be large.
    async fn run_other<T: Send + 'static>(
        &self,
        f: impl FnOnce(&mut App, &Ctx) -> Result<T> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let mut app = Arc::clone(&self.app).lock_owned().await;
        let ctx = app.ctx(None);
        let request = ctx.request.clone();
        let outcome = tokio::task::spawn_blocking(move || {
            app.set_patience(Patience::Full)?;
            f(&mut app, &ctx)
        });
        let outcome = outcome.await.map_err(Error::internal).flatten();
        outcome.map_err(|error| {
            if let Error::Internal(cause) = &error {
                tracing::error!(request, cause = %cause, "internal error in request {request}: {cause}");
            }
            let is_missing = resources::is_missing(&error);
            let message = error.into_fault(&request).message;
            match is_missing {
                true => ErrorData::invalid_params(message, None),
                false => ErrorData::internal_error(message, None),
            }
        })
    }
}

/// The next progress notification; never for a client that did not request progress.
async fn next(notifications: Option<&mut Notifications>) -> ProgressNotificationParam {
    match notifications {
        Some(notifications) => notifications.next().await,
        None => pending().await,
    }
}

/// Refuses a cursor: every list is one page, so that the server never returned one.
fn check_first_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.is_some_and(|request| request.cursor.is_some()) {
        true => {
            let message = "`cursor` was not returned by this server";
            Err(ErrorData::invalid_params(message, None))
        }
        false => Ok(()),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        check_first_page(request.as_ref())?;
        let tools = self.tools.get_or_init(|| self.registry.listed().map(listing).collect());
        Ok(ListToolsResult::with_all_items(tools.clone()))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        check_first_page(request.as_ref())?;
        Ok(ListPromptsResult::with_all_items(prompts::listed(&self.on)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut app = Arc::clone(&self.app).lock_owned().await;
        let client = context.client_info().map(|client| client.name);
        let ctx = app.ctx(client.as_deref());
        let request_id = ctx.request.clone();
        // A prompt is asked for by a person, once: it may take its time, and a thread.
        let written = tokio::task::spawn_blocking(move || {
            app.set_patience(Patience::Full)?;
            prompts::get(&mut app, &ctx, &request.name, request.arguments)
        });
        match written.await {
            Ok(Ok(prompt)) => Ok(prompt.into()),
            Ok(Err(error)) => Err(result::protocol_error(error, &request_id)),
            Err(panic) => Err(result::protocol_error(Error::internal(panic), &request_id)),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        check_first_page(request.as_ref())?;
        let listed = self.run_other(resources::list).await?;
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        check_first_page(request.as_ref())?;
        let templates =
            self.run_other(|app, _| Ok(resources::templates(&app.config().toolsets.value)));
        Ok(ListResourceTemplatesResult::with_all_items(templates.await?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents =
            self.run_other(move |app, ctx| resources::read(app, ctx, &request.uri)).await?;
        Ok(ReadResourceResult::new(contents).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let completed = self.run_other(move |app, ctx| completion::complete(app, ctx, &request));
        Ok(CompleteResult::new(completed.await?))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = match self.registry.find(&request.name) {
            Ok(tool) => tool,
            Err(error) => {
                let message = error.into_fault("").message;
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        let arrived = context.extensions.remove().unwrap_or_else(|| Arrived {
            arguments: request.arguments.map_or(Value::Null, Value::Object),
            bytes: 0,
        });
        // First in, first out: see above.
        let app = tokio::select! {
            biased;
            app = Arc::clone(&self.app).lock_owned() => app,
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("cancelled before it began", None));
            }
        };
        let client = context.client_info().map(|client| client.name);
        let ctx = app.ctx(client.as_deref());
        let outcome = self.run(app, &ctx, tool, arrived, &context).await;
        Ok(result::fold(outcome, tool.envelope, &ctx.request).into())
    }
}

#[cfg(test)]
mod tests;
