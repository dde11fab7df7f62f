//! Process groups of programs that this process started.

use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

fn groups() -> MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process group that a child leads. While this value lives, the group is killed if the process
/// is ended at once: Ctrl-C in the terminal does not reach it.
///
/// It must be dropped before the child is waited for: afterwards its id may name another process.
#[derive(Debug)]
pub struct ChildGroup(Pid);

impl ChildGroup {
    /// The group of a child that was started in one of its own.
    pub fn of(child: &Child) -> ChildGroup {
        let group = Pid::from_child(child);
        groups().push(group);
        ChildGroup(group)
    }
}

impl Drop for ChildGroup {
    fn drop(&mut self) {
        groups().retain(|group| *group != self.0);
    }
}

/// Kills all groups, and then ends the process. No group can be given up meanwhile, so that no other
/// process is hit.
pub(crate) fn kill_all_and_exit(status: i32) -> ! {
    let groups = groups();
    for &group in groups.iter() {
        // There may be nobody left to kill.
        let _ = kill_process_group(group, Signal::KILL);
    }
    // At once: nothing is cleaned up, as little is after a kill.
    signal_hook::low_level::exit(status)
}
