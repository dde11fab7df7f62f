// Games that the run is playing now, one of each shard.
import { html, useEffect, useState } from '/vendor/htm-preact.js';
import { get } from '/api.js';
import { Board } from '/board.js';
import { sideName } from '/position.js';
import { Problem, useLoaded, useTitle } from '/parts.js';

/** Games that have not moved for longer are not being played. */
const STALE_SECONDS = 30;

export function Live({ run, game, characters }) {
  useTitle(`Live, ${run.name}`);
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => { if (!document.hidden) setTick((n) => n + 1); }, 1000);
    return () => clearInterval(timer);
  }, []);
  const { data, error } = useLoaded((signal) => get(`/api/r/${run.run}/live`, {}, signal), tick);
  if (!data) return html`<h1>Live</h1><${Problem} error=${error} /><p class="note">Loading…</p>`;
  const playing = data.training && data.live && data.age < STALE_SECONDS;
  return html`<h1>Live</h1><${Problem} error=${error ?? data.problem} />
    ${playing ? html`<p class="note">Checkpoint ${data.live.checkpoint} plays against itself. One game of each core is shown, once a second.</p>
      <div class="live">${data.live.games.map((shown, shard) => html`<${LiveGame} key=${shard} shown=${shown} game=${game} characters=${characters} />`)}</div>`
    : html`<p class="note">${data.training ? 'The run is training or evaluating; it plays again soon.' : 'The run is not playing.'}</p>`}`;
}

function LiveGame({ shown, game, characters }) {
  const { data, error } = useLoaded(
    (signal) => get('/api/position', { rules: game.rules, start: shown.start, moves: shown.moves }, signal),
    `${shown.start} ${shown.moves}`);
  const plies = shown.moves ? shown.moves.split(' ').length : 0;
  return html`<section><h2>Game ${shown.number}</h2><${Problem} error=${error} />
    ${data && html`<${Board} game=${game} view=${data} characters=${characters} />
      <p class="status">Ply ${plies}, ${sideName(game, data.turn)} to move.</p>`}</section>`;
}
