// The openings of a run: what was played in a position, how it ended, and what the search thought.
import { html, useEffect, useState } from '/vendor/htm-preact.js';
import { address, get } from '/api.js';
import { Board } from '/board.js';
import { endName, outcomeText, sideName } from '/position.js';
import {
  Command, IndexNote, Problem, ResultBar, number, percentOf, signed, useKeys, useLoaded, useTitle,
} from '/parts.js';

export function Explorer({ run, game, params, characters }) {
  useTitle(`Explorer, ${run.name}`);
  const start = params.get('start') ?? '';
  const moves = (params.get('moves') ?? '').split(/[ ,]+/).filter(Boolean);
  const filter = { from: params.get('from') ?? '', to: params.get('to') ?? '', varied: params.get('varied') ?? '' };
  const [row, setRow] = useState(0);
  const [bottom, setBottom] = useState(0);
  const [asked, setAsked] = useState(false);
  const query = { start, moves: moves.join(' '), ...filter };
  const key = JSON.stringify(query);
  const [tick, setTick] = useState(0);
  const { data, error } = useLoaded((signal) => get(`/api/r/${run.run}/explorer`, query, signal), `${key} ${tick}`);
  const network = useLoaded(
    (signal) => (asked ? get(`/api/r/${run.run}/eval`, { start, moves: moves.join(' ') }, signal) : Promise.resolve(null)),
    `${asked} ${start} ${moves.join(' ')}`);
  useEffect(() => setRow(0), [moves.join(' ')]);
  // While games are being indexed, or played, the counts grow.
  const growing = data && (!data.index.ready || data.index.files_done < data.index.files);
  const pause = growing ? 1500 : run.training ? 5000 : null;
  useEffect(() => {
    if (pause === null) return undefined;
    const timer = setInterval(() => { if (!document.hidden) setTick((n) => n + 1); }, pause);
    return () => clearInterval(timer);
  }, [pause]);

  const go = (next, change = {}) => {
    location.hash = `#/run/${run.run}/explorer${address('', { start, ...filter, ...change, moves: next.join(' ') })}`;
  };
  // Keys can come faster than the page is drawn: the address is what counts.
  const now = () => (new URLSearchParams(location.hash.split('?')[1] ?? '').get('moves') ?? '').split(/[ ,]+/).filter(Boolean);
  const listed = data?.moves ?? [];
  useKeys((event) => {
    const actions = {
      ArrowLeft: () => now().length && go(now().slice(0, -1)),
      ArrowRight: () => listed[row] && now().join(' ') === data.position.moves.join(' ') && go([...now(), listed[row].move.uci]),
      ArrowUp: () => setRow(Math.max(0, row - 1)),
      ArrowDown: () => setRow(Math.min(listed.length - 1, row + 1)),
    };
    if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    }
  });
  if (!data) return html`<h1>Explorer</h1><${Problem} error=${error} /><p class="note">Loading…</p>`;
  const view = data.position;
  const most = listed[0] ? listed[0].white + listed[0].draws + listed[0].black : 0;
  const arrows = listed.slice(0, 5).map((m, i) => ({
    move: m.move, weight: (m.white + m.draws + m.black) / most, name: i === row ? 'chosen-arrow' : 'played',
  }));
  const evaluation = new Map((network.data?.moves ?? []).map((m) => [m.move, m]));
  const shown = new Map(listed.map((m) => [m.move.uci, m.move.display]));
  const unplayed = view.legal.length - listed.length;
  return html`<h1>Explorer</h1>
    <div class="explorer">
      <div class="board-column">
        <${Board} game=${game} view=${view} bottom=${bottom} characters=${characters} arrows=${arrows}
          onMove=${view.outcome ? null : (m) => go([...moves, m.uci])} />
        <p class="status" role="status" aria-live="polite">${view.outcome ? outcomeText(game, view.outcome)
          : `${sideName(game, view.turn)} to move. ${number(data.total)} games.`}</p>
        <div class="buttons">
          <button type="button" disabled=${!moves.length} onClick=${() => go([])}>Start</button>
          <button type="button" disabled=${!moves.length} onClick=${() => go(moves.slice(0, -1))}>Back</button>
          <button type="button" onClick=${() => setBottom(1 - bottom)}>Turn the board</button>
          <a class="button" href=${`#/play${address('', { rules: game.rules, start: start || (data.position.start), moves: moves.join(' '), side: view.turn })}`}>Play from here</a>
        </div>
        <nav class="line" aria-label="Moves so far">${moves.length === 0 ? 'The start' : moves.map((m, i) => html`<button
          type="button" class="link" onClick=${() => go(moves.slice(0, i + 1))}>${view.shown[i] ?? m}</button> `)}</nav>
      </div>
      <div class="side-column">
        <${Problem} error=${error} /><${IndexNote} index=${data.index} />
        <form class="filters" onSubmit=${(e) => e.preventDefault()}>
          <label>Checkpoints from <input type="number" min="0" value=${filter.from} onChange=${(e) => go(moves, { from: e.target.value })} /></label>
          <label>to <input type="number" min="0" value=${filter.to} onChange=${(e) => go(moves, { to: e.target.value })} /></label>
          <label><input type="checkbox" checked=${filter.varied === 'true'} onChange=${(e) => go(moves, { varied: e.target.checked ? 'true' : '' })} /> games from varied starts too</label>
          <label><input type="checkbox" checked=${asked} onChange=${(e) => setAsked(e.target.checked)} /> ask the newest network</label>
        </form>
        <${Problem} error=${network.error} />
        ${listed.length === 0 ? html`<p class="note">${moves.length >= data.max_plies ? `Games are indexed for their first ${data.max_plies} moves.` : 'No game of the run came here.'}</p>`
          : html`<div class="scroll" tabindex="0" role="group" aria-label="Moves played here"><table class="moves">
          <caption class="sr">Moves played in this position</caption>
          <thead><tr><th scope="col">Move</th><th scope="col" class="num">Games</th><th scope="col">Results</th>
            <th scope="col" class="num">Score</th><th scope="col" class="num" title="Mean value of the searches, for the side to move">Value</th>
            ${asked && html`<th scope="col" class="num">Prior</th><th scope="col" class="num">Network</th>`}</tr></thead>
          <tbody>${listed.map((m, i) => html`<tr key=${m.move.uci} class=${i === row ? 'chosen' : ''} onMouseEnter=${() => setRow(i)}>
            <th scope="row"><button type="button" class="link" onClick=${() => go([...moves, m.move.uci])} onFocus=${() => setRow(i)}>${m.move.display}</button></th>
            <td class="num">${number(m.white + m.draws + m.black)}</td>
            <td class="wide"><${ResultBar} white=${m.white} draws=${m.draws} black=${m.black} names=${game.sides} /></td>
            <td class="num">${percentOf(m.score)} <span class="muted">± ${(100 * m.error).toFixed(1)}</span></td>
            <td class="num">${m.value === null ? '–' : signed(m.value)}</td>
            ${asked && html`<td class="num">${evaluation.has(m.move.uci) ? percentOf(evaluation.get(m.move.uci).prior) : '…'}</td>
              <td class="num">${evaluation.has(m.move.uci) ? signed(evaluation.get(m.move.uci).value) : '…'}</td>`}
          </tr>`)}</tbody></table></div>
          ${unplayed > 0 && html`<p class="note">${unplayed} legal moves were never played.</p>`}`}
        ${data.games.length > 0 && html`<h2>Games from here</h2><ul class="game-links">
          ${data.games.map(({ move, game: g }) => html`<li><a href=${`#/run/${run.run}/game/${g.checkpoint}/${g.number}?ply=${moves.length}`}>
            ${shown.get(move) ?? move} · checkpoint ${g.checkpoint}, game ${g.number}</a> <span class="muted">${g.winner === null ? 'draw' : `${sideName(game, g.winner)} wins`}, ${endName(g.termination)}, ${g.plies} plies</span></li>`)}</ul>`}
        ${!view.outcome && html`<h2>Study this position</h2><${Command} text=${data.command} />`}
        <p class="note keys">Keys: ← back, → follow the chosen move, ↑ ↓ choose.</p>
      </div>
    </div>`;
}
