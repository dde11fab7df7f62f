//! Lets the programs and tests that link libtorch find it at run time with no environment set.
//!
//! Cargo passes link arguments on to a package's own targets only, so every package that has such
//! targets names this file as its build script.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    println!("cargo::rerun-if-env-changed=LIBTORCH_LIB");
    // Where torch-sys looks too.
    let root = env::var_os("LIBTORCH_LIB").or_else(|| env::var_os("LIBTORCH"));
    if let Some(root) = root {
        let lib = PathBuf::from(root).join("lib");
        println!("cargo::rustc-link-arg=-Wl,-rpath,{}", lib.display());
    }
}
