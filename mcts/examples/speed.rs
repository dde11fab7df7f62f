use std::time::Duration;
use garuda_mcts::bench;
fn main() {
    for _ in 0..3 {
    println!("tori {:?}", bench::speed::<garuda_rules::tori::ToriPosition>(64, 64, Duration::from_secs(2)));
    }
    println!("makruk {:?}", bench::speed::<garuda_rules::makruk::MakrukPosition>(64, 64, Duration::from_secs(2)));
    println!("eternal {:?}", bench::speed::<garuda_rules::eternal::EternalPosition>(64, 64, Duration::from_secs(2)));
}
