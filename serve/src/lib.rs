//! The page `garuda serve`: watch a run, explore its openings, replay its games, play against it.
//!
//! [`Site`] is what is served, [`router`] answers requests for it, [`serve`] listens. Everything is
//! read-only: the one file written is a run's position index, which can be deleted at any time.
//! Logic is here; the page under `web/` draws what the API tells it.

mod api;
mod error;
pub mod export;
mod guard;
mod index;
mod listen;
mod metrics_file;
mod page_files;
mod players;
mod position_view;
mod rules_data;
mod site;

pub use api::router;
pub use guard::Access;
pub use index::{IndexStatus, PositionIndex};
pub use listen::{ServeOptions, serve};
pub use page_files::{PAGE_FILES, PageFile};
pub use players::ShippedNetwork;
pub use site::Site;
