//! A UCI engine that plays with an exported network.

fn main() {
    println!("garuda-engine {}", env!("CARGO_PKG_VERSION"));
}
