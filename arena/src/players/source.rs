use std::sync::{Mutex, PoisonError};

use garuda_rules::Position;

use super::{LoadedPlayer, Player};

/// Makes the instances of a player that the threads of a match need. The first one is made at once:
/// a player that cannot start is known before the match has changed anything.
pub struct PlayerSource<'a, P> {
    loaded: &'a LoadedPlayer,
    first: Mutex<Option<Box<dyn Player<P>>>>,
}

impl<P> std::fmt::Debug for PlayerSource<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlayerSource")
            .field("loaded", self.loaded)
            .finish_non_exhaustive()
    }
}

impl<'a, P: Position> PlayerSource<'a, P> {
    pub fn start(loaded: &'a LoadedPlayer) -> anyhow::Result<PlayerSource<'a, P>> {
        Ok(PlayerSource {
            loaded,
            first: Mutex::new(Some(loaded.player()?)),
        })
    }

    pub fn player(&self) -> anyhow::Result<Box<dyn Player<P>>> {
        let first = (self.first.lock())
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        first.map_or_else(|| self.loaded.player(), Ok)
    }
}
