use thiserror::Error;

/// Why a game has no `.nnue`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NnueLayoutError {
    #[error(
        "Fairy-Stockfish has no Eternal chess, and captured pieces that come back, stones and \
         points have no place among its features: export without --format nnue and play with \
         garuda-engine"
    )]
    Eternal,
    #[error(
        "Fairy-Stockfish plays Sittuyin by the rules that are played online, not by the booklet's: \
         train rules = \"sittuyin\" for a network that it can use"
    )]
    Booklet,
    #[error(
        "Fairy-Stockfish has no variant {0:?}; it can load networks for makruk, sittuyin and torishogi"
    )]
    Unknown(String),
}

/// Why a file is not a network that Fairy-Stockfish would load.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NnueFileError {
    #[error("the file ends after {found} bytes; a network for {game} has {expected}")]
    Truncated {
        game: &'static str,
        expected: usize,
        found: usize,
    },
    #[error("the file has {0} bytes too many for a network of this game")]
    TooLong(usize),
    #[error(
        "{what} is {found:#010x}, not {expected:#010x}: this is no network of Fairy-Stockfish's architecture"
    )]
    Number {
        what: &'static str,
        expected: u32,
        found: u32,
    },
    #[error("the description of {0} bytes is longer than the {max} that are read", max = super::file::MAX_DESCRIPTION)]
    LongDescription(usize),
    #[error(
        "input {input} of output {output} in the second layer of stack {stack} has the weight {weight}; the engine has only 16 inputs there"
    )]
    Padding {
        stack: usize,
        output: usize,
        input: usize,
        weight: i8,
    },
}
