//! Who plays which games. Leases are economy: whether a game counts is decided by its number alone.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::names::Name;

/// The trainer's own cores, or a worker.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Player {
    Local,
    Worker(Name),
}

/// How long a lease lasts after it was granted or the worker last named the number.
pub(crate) const LEASE_TIME: Duration = Duration::from_secs(20);
/// When there is nothing else to play, numbers that are out longer than this are leased once more.
const STRAGGLER_AGE: Duration = Duration::from_secs(4);
/// Holders of one number at a time.
const MAX_HOLDERS: usize = 2;

#[derive(Debug)]
struct Holder {
    player: Player,
    since: Instant,
    expires: Instant,
}

/// A number whose game has not arrived.
#[derive(Debug, Default)]
struct OpenNumber {
    holders: Vec<Holder>,
    /// Everyone it was ever leased to.
    granted: Vec<Player>,
    /// Whether a worker could not play it: then the trainer tries itself.
    only_local: bool,
}

/// What a number is to a player who sends its game.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum NumberState {
    /// Its game is wanted from this player.
    Open,
    /// Its game is here already.
    Taken,
    /// It was leased to others only.
    NotLeased,
    /// It is not among the numbers of the plan.
    NotOrdered,
}

/// The numbers of a plan whose games are missing.
#[derive(Debug, Default)]
pub(crate) struct LeaseTable {
    ordered: BTreeSet<u64>,
    open: BTreeMap<u64, OpenNumber>,
    /// Open numbers that nobody holds.
    free: BTreeSet<u64>,
    /// Open numbers that only the trainer may play, and that it does not hold.
    local: BTreeSet<u64>,
    /// Numbers with one holder, by when they were leased.
    held_once: BTreeSet<(Instant, u64)>,
}

impl LeaseTable {
    pub(crate) fn new(numbers: &[u64]) -> LeaseTable {
        LeaseTable {
            ordered: numbers.iter().copied().collect(),
            open: (numbers.iter())
                .map(|&number| (number, OpenNumber::default()))
                .collect(),
            free: numbers.iter().copied().collect(),
            ..LeaseTable::default()
        }
    }

    /// Numbers for a player, at most `want`. While there are plenty a player gets a share by the
    /// number of `players`, so that no one holds what the others could play at the same time.
    pub(crate) fn grant(
        &mut self,
        player: &Player,
        want: usize,
        players: usize,
        now: Instant,
    ) -> Vec<u64> {
        let mut numbers = Vec::new();
        if *player == Player::Local {
            numbers.extend(self.local.iter().copied().take(want));
        }
        let share = (self.free.len() / players.max(1)).max(1);
        let count = want.min(share).saturating_sub(numbers.len());
        numbers.extend(self.free.iter().copied().take(count));
        if numbers.is_empty() {
            let old = self.held_once.iter();
            let old = old.take_while(|(since, _)| *since + STRAGGLER_AGE <= now);
            let is_of_others = |number: &u64| {
                let holders = &self.open[number].holders;
                holders.iter().all(|holder| holder.player != *player)
            };
            let old = old.map(|&(_, number)| number).filter(is_of_others);
            numbers.extend(old.take(want));
        }
        for &number in &numbers {
            self.add_holder(number, player, now);
        }
        numbers
    }

    fn add_holder(&mut self, number: u64, player: &Player, now: Instant) {
        let Some(open) = self.open.get_mut(&number) else {
            return;
        };
        self.free.remove(&number);
        self.local.remove(&number);
        for holder in &open.holders {
            self.held_once.remove(&(holder.since, number));
        }
        open.holders.push(Holder {
            player: player.clone(),
            since: now,
            expires: now + LEASE_TIME,
        });
        if !open.granted.contains(player) {
            open.granted.push(player.clone());
        }
        if open.holders.len() < MAX_HOLDERS && !open.only_local {
            self.held_once.insert((now, number));
        }
    }

    /// Extends the leases of the numbers that a worker still has in hand.
    pub(crate) fn renew(&mut self, player: &Player, numbers: &[u64], now: Instant) {
        for number in numbers {
            let holders = self.open.get_mut(number).map(|open| &mut open.holders);
            for holder in holders.into_iter().flatten() {
                if holder.player == *player {
                    holder.expires = now + LEASE_TIME;
                }
            }
        }
    }

    /// Ends leases that their holder does not keep.
    pub(crate) fn expire(&mut self, now: Instant) {
        self.end_leases(|_, holder| holder.expires <= now && holder.player != Player::Local);
    }

    /// Ends all leases of a worker that leaves.
    pub(crate) fn release(&mut self, player: &Player) {
        self.end_leases(|_, holder| holder.player == *player);
    }

    fn end_leases(&mut self, is_over: impl Fn(u64, &Holder) -> bool) {
        for (&number, open) in &mut self.open {
            if !open.holders.iter().any(|holder| is_over(number, holder)) {
                continue;
            }
            for holder in &open.holders {
                self.held_once.remove(&(holder.since, number));
            }
            open.holders.retain(|holder| !is_over(number, holder));
            match open.holders.as_slice() {
                [] if open.only_local => {
                    self.local.insert(number);
                }
                [] => {
                    self.free.insert(number);
                }
                [holder] if !open.only_local => {
                    self.held_once.insert((holder.since, number));
                }
                _ => {}
            }
        }
    }

    /// Leaves numbers that a worker could not play to the trainer.
    pub(crate) fn give_up(&mut self, worker: &Name, numbers: &[u64]) {
        let player = Player::Worker(worker.clone());
        let numbers: BTreeSet<_> = numbers.iter().copied().collect();
        for number in &numbers {
            if let Some(open) = self.open.get_mut(number)
                && open.granted.contains(&player)
            {
                open.only_local = true;
                if open.holders.is_empty() {
                    self.free.remove(number);
                    self.local.insert(*number);
                }
            }
        }
        self.end_leases(|number, holder| holder.player == player && numbers.contains(&number));
    }

    pub(crate) fn state(&self, player: &Player, number: u64) -> NumberState {
        match self.open.get(&number) {
            None if self.ordered.contains(&number) => NumberState::Taken,
            None => NumberState::NotOrdered,
            // A number without any lease may have been leased by this trainer before it was
            // restarted.
            Some(open) if open.granted.is_empty() || open.granted.contains(player) => {
                NumberState::Open
            }
            Some(_) => NumberState::NotLeased,
        }
    }

    /// Closes a number whose game is here, or that cannot be played. Returns whether it was open.
    pub(crate) fn take(&mut self, number: u64) -> bool {
        let Some(open) = self.open.remove(&number) else {
            return false;
        };
        self.free.remove(&number);
        self.local.remove(&number);
        for holder in open.holders {
            self.held_once.remove(&(holder.since, number));
        }
        true
    }

    /// Opens numbers whose games were taken back.
    pub(crate) fn reopen(&mut self, numbers: &[u64]) {
        for &number in numbers {
            self.ordered.insert(number);
            if self.open.insert(number, OpenNumber::default()).is_none() {
                self.free.insert(number);
            }
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.open.is_empty()
    }

    /// Number of games that have not arrived.
    pub(crate) fn missing(&self) -> usize {
        self.open.len()
    }

    /// Whether there are numbers that nobody plays.
    pub(crate) fn has_free(&self) -> bool {
        !self.free.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn worker(i: u8) -> Player {
        Player::Worker(format!("w{i}").parse().unwrap())
    }

    #[test]
    fn numbers_of_the_silent_and_the_slow_are_leased_again() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut table = LeaseTable::new(&[0, 1, 2, 3]);
        let (a, b) = (worker(0), worker(1));
        assert_eq!(table.grant(&a, 10, 1, start), [0, 1, 2, 3]);
        assert_eq!(table.grant(&b, 10, 1, after(1)), [0; 0]);
        assert_eq!(table.state(&b, 0), NumberState::NotLeased);
        // Nothing else to play: what takes long is played by another as well, but by no third.
        assert_eq!(table.grant(&b, 2, 1, after(5)), [0, 1]);
        assert_eq!(table.grant(&worker(2), 9, 1, after(30)), [2, 3]);
        // The first keeps what it names.
        table.renew(&a, &[3], after(19));
        table.expire(after(25));
        assert_eq!(table.grant(&b, 9, 1, after(26)), [0, 1]);
        for number in [3, 0] {
            assert_eq!(table.state(&a, number), NumberState::Open);
            assert!(table.take(number));
            assert_eq!(table.state(&a, number), NumberState::Taken);
            assert!(!table.take(number));
        }
        assert_eq!(table.state(&a, 4), NumberState::NotOrdered);
    }

    #[test]
    fn what_a_worker_cannot_play_is_left_to_the_trainer() {
        let start = Instant::now();
        let mut table = LeaseTable::new(&[5, 6]);
        assert_eq!(table.grant(&worker(0), 9, 1, start), [5, 6]);
        table.give_up(&"w0".parse().unwrap(), &[5, 9]);
        let late = start + Duration::from_secs(60);
        assert_eq!(table.grant(&worker(1), 9, 1, late), [6]);
        assert_eq!(table.grant(&Player::Local, 9, 1, late), [5]);
    }

    #[test]
    fn plenty_is_shared() {
        let numbers: Vec<_> = (0..100).collect();
        let mut table = LeaseTable::new(&numbers);
        assert_eq!(table.grant(&worker(0), 64, 4, Instant::now()).len(), 25);
        assert_eq!(table.grant(&worker(1), 3, 4, Instant::now()).len(), 3);
    }

    proptest! {
        /// Whatever workers do, as long as someone asks and sends, every number arrives once.
        #[test]
        fn every_number_arrives_once(
            steps in prop::collection::vec((0u8..6, 0u8..3, 0u64..40, 0u64..30), 0..200),
        ) {
            let numbers: Vec<_> = (0..30).collect();
            let mut table = LeaseTable::new(&numbers);
            let mut now = Instant::now();
            let mut arrived = BTreeSet::new();
            for (action, who, number, seconds) in steps {
                let player = if who == 2 { Player::Local } else { worker(who) };
                match action {
                    0 | 1 => {
                        for granted in table.grant(&player, number as usize, 2, now) {
                            prop_assert!(!arrived.contains(&granted));
                            prop_assert_eq!(table.state(&player, granted), NumberState::Open);
                        }
                    }
                    2 => now += Duration::from_secs(seconds),
                    3 => table.expire(now),
                    4 => table.release(&player),
                    _ => {
                        let is_open = table.state(&player, number) == NumberState::Open;
                        if is_open && table.take(number) {
                            prop_assert!(arrived.insert(number));
                        }
                    }
                }
                prop_assert_eq!(table.is_complete(), arrived.len() == numbers.len());
                for open in table.open.values() {
                    prop_assert!(open.holders.len() <= MAX_HOLDERS);
                }
            }
            // The trainer alone can always finish.
            while !table.is_complete() {
                now += Duration::from_secs(60);
                table.release(&Player::Local);
                table.expire(now);
                let granted = table.grant(&Player::Local, 7, 1, now);
                prop_assert!(!granted.is_empty());
                for number in granted {
                    prop_assert!(table.take(number) && arrived.insert(number));
                }
            }
        }
    }
}
