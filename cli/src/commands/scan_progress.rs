use garuda_run::Log;
use garuda_run::records::ScanProgress;

/// Shows how far a scan of a run's games is.
pub(crate) fn scan_progress(log: &Log) -> impl FnMut(ScanProgress) {
    let mut phase = None;
    move |at| {
        let phase = phase.get_or_insert_with(|| log.phase("games", at.files as u64));
        phase.set(at.files_done as u64, || {
            format!("files, {} games", at.games)
        });
    }
}
