//! Players as arguments.

use anyhow::{bail, ensure};
use clap::builder::{OsStringValueParser, TypedValueParser};
use garuda_arena::players::LoadedPlayer;
use garuda_rules::RuleSet;
use garuda_run::PlayerSpec;

/// Parses a player. Paths need not be UTF-8.
pub(super) fn player() -> impl TypedValueParser<Value = PlayerSpec> {
    OsStringValueParser::new().try_map(|text| PlayerSpec::from_os_str(&text))
}

/// Refuses an odd number of games and a value of draws that is none.
pub(super) fn check_match_args(games: usize, draw_value: f32) -> anyhow::Result<()> {
    ensure!(
        games > 0 && games.is_multiple_of(2),
        "--games must be even, as games are played in pairs, not {games}"
    );
    ensure!(
        (-1.0..=1.0).contains(&draw_value),
        "--draw-value must be from -1 to 1, not {draw_value}"
    );
    Ok(())
}

/// The game of some players, who may have been trained for one, given what `--game` says.
pub(super) fn game_of(
    players: &[(&PlayerSpec, &LoadedPlayer)],
    wanted: Option<RuleSet>,
) -> anyhow::Result<RuleSet> {
    let mut game = wanted.map(|rules| (rules, "--game".to_owned()));
    for (spec, loaded) in players {
        let Some(own) = loaded.rule_set()? else {
            continue;
        };
        match &game {
            Some((other, source)) if *other != own => {
                bail!(
                    "{spec} plays {own}, but {source} {}",
                    match wanted {
                        Some(_) => format!("says {other}"),
                        None => format!("plays {other}"),
                    }
                )
            }
            Some(_) => {}
            None => game = Some((own, spec.to_string())),
        }
    }
    if let Some((rules, _)) = game {
        return Ok(rules);
    }
    let specs: Vec<_> = players.iter().map(|(spec, _)| spec.to_string()).collect();
    let games = RuleSet::ALL.map(RuleSet::name);
    bail!(
        "{} can play any game: choose one with --game ({})",
        specs.join(" and "),
        games.join(", ")
    )
}
