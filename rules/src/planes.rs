/// A group of planes: one aspect of a position as a network is shown it. Every plane is seen from
/// the side to move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Planes {
    /// Where the pieces of each side and type stand.
    Pieces,
    /// How many pieces of each placeable type each side has in hand, in units that keep the
    /// numbers near 1: one unit for each of [`Position::PLACEABLE`](crate::Position::PLACEABLE).
    Hands(&'static [u8]),
    /// Where stones stand.
    Stones,
    /// The [`points`](crate::Position::points) of each side.
    Points,
    /// The [`piece_to_deport`](crate::Position::piece_to_deport).
    Deported,
    /// The [`pending`](crate::Position::pending) piece.
    Pending,
    /// The [`move_rule`](crate::Position::move_rule)'s clock.
    MoveRule,
    /// The [`counting`](crate::Position::counting)'s clock and its limit.
    Counting,
    /// How often the position has occurred.
    Occurrences,
}
