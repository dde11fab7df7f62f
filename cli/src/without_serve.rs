//! What stands in for `serve.rs` in a build without the page.

use crate::commands::{ExportGamesArgs, ServeArgs};
use crate::features::lacks;

pub(crate) fn serve(_: ServeArgs) -> anyhow::Result<()> {
    Err(lacks("serve", "serve"))
}

pub(crate) fn export_games(_: ExportGamesArgs) -> anyhow::Result<()> {
    Err(lacks("export-games", "serve"))
}
