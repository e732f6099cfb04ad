//! Arguments of tools, straight to the door of each: as far as a tool gets that has no file to open.

use std::cell::RefCell;

use graph::{
    app::App,
    base::{Domain, ErrorCode},
    config::{Config, Options, Surroundings},
    tools::{self, Registry},
};

use super::{generate, mutate, session::TOOLS};
use crate::torture::rng::Rng;

thread_local! {
    static DOOR: RefCell<(App, Registry)> = RefCell::new({
        let around = Surroundings { directory: "/nowhere".into(), variables: Default::default() };
        let options = Options { db: Some("/nowhere/at/all.db".into()), ..Options::default() };
        let app = App::new(Config::load(options, &around).unwrap());
        (app, Registry::new(tools::all(), Domain::ALL))
    });
}

/// One call.
pub fn arguments(rng: &mut Rng) {
    let (tool, schema) = rng.pick(&TOOLS);
    let mut arguments = generate::value(schema, rng, 5);
    (0..rng.below(4)).for_each(|_| mutate::tree(&mut arguments, rng));
    let shown = arguments.to_string();
    DOOR.with_borrow_mut(|(app, registry)| {
        let ctx = app.ctx(Some("fuzz"));
        let Err(error) = registry.call(app, &ctx, tool, arguments) else { return };
        let cause = error.to_string();
        let fault = error.into_fault("r");
        assert_ne!(fault.code, ErrorCode::InternalError, "{tool} {shown}: {cause}");
        assert!(fault.message.chars().count() < 2_000, "{tool} {shown}: {cause}");
    });
}
