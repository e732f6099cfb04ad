//! Resources as the protocol has them; [`crate::tools`] says which there are.

use rmcp::model::{Resource as Listing, ResourceContents, ResourceTemplate};

use crate::{
    app::App,
    base::{Ctx, Domain, Error, ErrorCode, Fault, Result, text},
    tools::{Body, Resource, surface},
};

/// Characters of a name.
const NAME: usize = 80;

/// The resources of the toolsets that are on.
pub(super) fn all(on: &[Domain]) -> impl Iterator<Item = &'static Resource> {
    let on = Domain::ALL.iter().filter(|domain| on.contains(domain));
    on.flat_map(|domain| surface(*domain).resources)
}

/// Whether there can be any.
pub(super) fn is_on(on: &[Domain]) -> bool {
    all(on).next().is_some()
}

/// The address with the argument's name in place of its value.
pub(super) fn template(resource: &Resource) -> Option<String> {
    Some(format!("{}{{{}}}", resource.address, resource.argument?))
}

/// The addresses of what is not listed.
pub(super) fn templates(on: &[Domain]) -> Vec<ResourceTemplate> {
    let listing = |resource: &Resource| {
        let listing = ResourceTemplate::new(template(resource)?, resource.name);
        Some(listing.with_title(resource.title).with_description(resource.description))
    };
    all(on).filter_map(listing).collect()
}

/// Few of each kind, always in the same order.
pub(super) fn list(app: &mut App, ctx: &Ctx) -> Result<Vec<Listing>> {
    let mut listings = Vec::new();
    if !database_exists(app) {
        return Ok(listings);
    }
    for resource in all(&app.config().toolsets.value.clone()) {
        for listed in (resource.list)(app, ctx)? {
            let uri = format!("{}{}", resource.address, escape(&listed.value));
            let listing = match resource.argument {
                Some(_) => Listing::new(uri, text::shorten(&listed.value, NAME)),
                None => Listing::new(uri, resource.name).with_description(resource.description),
            };
            listings.push(listing.with_title(listed.title).with_mime_type(listed.mime));
        }
    }
    Ok(listings)
}

/// Reads what is at an address.
pub(super) fn read(app: &mut App, ctx: &Ctx, uri: &str) -> Result<Vec<ResourceContents>> {
    let missing = || -> Error {
        let shown = text::shorten(uri, 120);
        Fault::new(ErrorCode::NotFound, format!("there is no resource `{shown}`")).into()
    };
    let on = app.config().toolsets.value.clone();
    let found = all(&on).find_map(|resource| Some((resource, value(resource, uri)?)));
    let (resource, value) = found.filter(|_| database_exists(app)).ok_or_else(missing)?;
    let contents = (resource.read)(app, ctx, value)?.ok_or_else(missing)?;
    let contents = contents.into_iter().map(|content| {
        let body = match content.body {
            Body::Text(text) => ResourceContents::text(text, uri),
            Body::Bytes(base64) => ResourceContents::blob(base64, uri),
        };
        body.with_mime_type(content.mime)
    });
    Ok(contents.collect())
}

/// The argument that an address has, if it is one of this kind of resource.
fn value(resource: &Resource, uri: &str) -> Option<String> {
    let rest = uri.strip_prefix(resource.address)?;
    match resource.argument {
        Some(_) => unescape(rest),
        None => rest.is_empty().then(String::new),
    }
}

/// None is created for a client that only reads.
pub(super) fn database_exists(app: &App) -> bool {
    app.config().db_path.value.is_file()
}

/// Whether an error means that nothing is at the address.
pub(super) fn is_missing(error: &Error) -> bool {
    use ErrorCode::{NodeNotFound, NotFound, OntologyNotFound};
    matches!(error.code(), NotFound | NodeNotFound | OntologyNotFound)
}

/// An id as a part of an address: `%XX` for each byte that would have a meaning there.
fn escape(id: &str) -> String {
    let mut escaped = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                escaped.push(char::from(byte));
            }
            byte => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// The id of an address, if it is one.
fn unescape(written: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    String::from_utf8(bytes).ok().filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_shape_have_an_address() {
        for (id, escaped) in [
            ("mem_0123456789", "mem_0123456789"),
            ("../a b", "..%2Fa%20b"),
            ("50%", "50%25"),
            ("ü?#", "%C3%BC%3F%23"),
        ] {
            assert_eq!(escape(id), escaped);
            assert_eq!(unescape(escaped).as_deref(), Some(id));
        }
        for bad in ["", "%", "%2", "%zz", "%ff"] {
            assert_eq!(unescape(bad), None, "{bad}");
        }
    }
}
