//! Completing paths of the working tree, as a shell does.

use super::App;
use crate::{db::Names, os::files};

impl App {
    /// The files and folders that a path may become, at most `limit` of them; a folder ends with a slash.
    pub fn complete_path(&self, typed: &str, limit: usize) -> Names {
        let folder = typed.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut values = files::entries(&self.config.root, folder);
        values.retain(|path| path.starts_with(typed));
        let total = values.len();
        values.truncate(limit);
        Names { values, total }
    }
}
