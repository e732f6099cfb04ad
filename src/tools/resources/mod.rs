//! Resources: what a client may attach to a conversation, by its address.
//!
//! A resource is read-only and has what the tool of its domain returns. Like a tool it exists only while its toolset is
//! on. The functions here need a database that exists: nothing creates one for a client that only reads.

use serde::Serialize;

use crate::{
    app::{App, Names},
    base::{Ctx, Result, text},
};

pub(super) mod kb;
pub(super) mod knowledge;
pub(super) mod memory;
pub(super) mod work;

/// Most resources of a kind that are listed; any other is read by its address.
const LISTED: usize = 50;
/// Projects that are listed, with what is known about their code.
const PROJECTS: usize = 20;
/// Characters of a title.
const TITLE: usize = 80;
const JSON: &str = "application/json";

/// One kind of resource.
pub struct Resource {
    /// Followed by the value of the argument, where there is one.
    pub address: &'static str,
    pub argument: Option<&'static str>,
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// The resources that a list shows, always in the same order.
    pub list: fn(&mut App, &Ctx) -> Result<Vec<Listed>>,
    /// What is at the address with this argument.
    pub read: fn(&mut App, &Ctx, String) -> Result<Contents>,
    /// Arguments that begin with a text.
    pub complete: fn(&mut App, &Ctx, &str, usize) -> Result<Names>,
}

/// One resource of a list.
pub struct Listed {
    /// The value of the argument; empty where there is none.
    pub value: String,
    pub title: String,
    pub mime: &'static str,
}

/// What is at an address; none where nothing is.
pub type Contents = Option<Vec<Content>>;

pub struct Content {
    pub body: Body,
    pub mime: &'static str,
}

pub enum Body {
    Text(String),
    /// Bytes as base64.
    Bytes(String),
}

/// A resource that is one JSON object.
fn object(object: &impl Serialize) -> Result<Contents> {
    Ok(Some(vec![json(object)?]))
}

fn json(object: &impl Serialize) -> Result<Content> {
    Ok(Content { body: Body::Text(serde_json::to_string(object)?), mime: JSON })
}

fn listed(value: &str, kind: &str, title: &str) -> Listed {
    let title = format!("{kind}: {}", text::shorten(title, TITLE));
    Listed { value: value.to_owned(), title, mime: JSON }
}
