//! The tree of moves, each of which can be opened.

use garuda_rules::Color;
use garuda_run::{HumanCount, counted};
use maud::{Markup, html};

use super::boards::{Boards, LastMove};
use super::marks::{ValueScale, good_badge, move_name, result_bar, value_mark};
use crate::format::{percent, signed};
use crate::openings::report::{MoveReport, OpeningNode, OpeningsReport, RangeCounts};

pub(super) fn section(report: &OpeningsReport, boards: Option<Boards>) -> Markup {
    let [noun, _] = &report.move_words;
    html! {
        h2 { "One by one" }
        p.note { "Open a " (noun) " to see the board after it, its details and the replies." }
        (moves(&report.root, boards, true))
    }
}

fn moves(node: &OpeningNode, boards: Option<Boards>, is_root: bool) -> Markup {
    let scale = ValueScale::of(node);
    html! {
        div.tree {
            @for mv in &node.moves {
                details class=(if mv.good { "good" } else { "plain" }) {
                    summary { (summary(mv, &scale)) }
                    div.inside {
                        // Below the root only moves that are followed get a board: hundreds of
                        // boards would make the page slow.
                        @if is_root || mv.next.is_some() { (board_after(node, mv, boards)) }
                        div.facts { (facts(mv)) }
                    }
                    @if let Some(next) = &mv.next {
                        p.note { "Replies to " code { (mv.mv) } }
                        (moves(next, boards, false))
                    }
                }
            }
        }
    }
}

fn board_after(node: &OpeningNode, mv: &MoveReport, boards: Option<Boards>) -> Markup {
    let last_move = LastMove {
        before: &node.fen,
        mv: &mv.mv,
    };
    let board = boards.and_then(|boards| boards.draw(&mv.after, Color::White, Some(last_move)));
    html! {
        @if let Some(drawing) = board {
            figure.board aria-label=(format!("Board: {}", mv.mv)) { (drawing) }
        }
    }
}

fn summary(mv: &MoveReport, scale: &ValueScale) -> Markup {
    html! {
        (move_name(&mv.mv, &mv.notation))
        @if let Some(value) = mv.searched.value {
            b { (signed(value)) }
            (value_mark(&mv.searched, scale))
        }
        @if let Some(results) = mv.played.results() {
            small { (HumanCount(results.games().into())) }
            (result_bar(&results))
        }
        @if mv.good { (good_badge()) }
    }
}

fn facts(mv: &MoveReport) -> Markup {
    let search = &mv.searched;
    let value =
        (search.value.zip(search.value_low).zip(search.value_high)).map(|((value, low), high)| {
            match search.proven {
                true => format!("{} (proven)", signed(value)),
                false => format!("{} ({} to {})", signed(value), signed(low), signed(high)),
            }
        });
    html! {
        dl {
            @if let Some(value) = value { (fact("value", &html! { (value) })) }
            @if let Some(prior) = search.prior { (fact("prior", &html! { (percent(prior)) })) }
            @if let Some(visits) = search.visits { (fact("visits", &html! { (HumanCount(visits)) })) }
            @if let Some(reply) = &search.reply { (fact("reply", &html! { code { (reply) } })) }
            @if let Some(line) = &search.line { (fact("line", &html! { code { (line) } })) }
            @if let Some(results) = mv.played.results() {
                (fact("games", &html! {
                    (HumanCount(results.games().into())) ", score "
                    (results.score().map_or_else(String::new, percent)) ": "
                    (HumanCount(results.wins.into())) " won, "
                    (HumanCount(results.draws.into())) " drawn, "
                    (HumanCount(results.losses.into())) " lost"
                }))
                @for part in &mv.by_checkpoints {
                    (fact(&part.range.to_string(), &html! { (part_results(part)) }))
                }
            }
            @if let Some(path) = &mv.transposes {
                (fact("replies", &html! { "see " code { (path) } ", the same position" }))
            }
        }
    }
}

fn fact(name: &str, content: &Markup) -> Markup {
    html! { dt { (name) } dd { (content) } }
}

fn part_results(part: &RangeCounts) -> String {
    match part.results.score() {
        Some(score) => format!("{}, score {}", counted(part.games, "game"), percent(score)),
        None => "no games".to_owned(),
    }
}
