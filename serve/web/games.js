// The games of a run: a list, and a viewer with the search's thoughts.
import { html, useEffect, useRef, useState } from '/vendor/htm-preact.js';
import { address, get } from '/api.js';
import { Board } from '/board.js';
import { endName, moveRows, outcomeText, sideName } from '/position.js';
import { IndexNote, Problem, number, percentOf, signed, useKeys, useLoaded, useTitle } from '/parts.js';

export function GamesPage({ run, game, params }) {
  useTitle(`Games, ${run.name}`);
  const names = ['from', 'to', 'result', 'termination', 'min_plies', 'max_plies', 'varied'];
  const filter = Object.fromEntries(names.map((name) => [name, params.get(name) ?? '']));
  const [more, setMore] = useState([]);
  const key = JSON.stringify(filter);
  const { data, error } = useLoaded((signal) => get(`/api/r/${run.run}/games`, filter, signal), key);
  useEffect(() => setMore([]), [key]);
  const [failed, setFailed] = useState(null);
  const change = (name) => (event) => {
    const value = event.target.type === 'checkbox' ? (event.target.checked ? '' : 'false') : event.target.value;
    location.hash = `#/run/${run.run}/games${address('', { ...filter, [name]: value })}`;
  };
  if (!data) return html`<h1>Games</h1><${Problem} error=${error} /><p class="note">Loading…</p>`;
  const games = [...data.games, ...more.flatMap((page) => page.games)];
  const last = games[games.length - 1];
  const complete = (more.length ? more[more.length - 1] : data).games.length < data.limit;
  const load = () => get(`/api/r/${run.run}/games`, { ...filter, before: `${last.checkpoint}/${last.number}` })
    .then((page) => setMore([...more, page]), setFailed);
  return html`<h1>Games</h1><${Problem} error=${error ?? failed} /><${IndexNote} index=${data.index} />
    <p class="note">${number(data.index.games)} games of ${run.name}.</p>
    <form class="filters" onSubmit=${(e) => e.preventDefault()}>
      <label>Checkpoints from <input type="number" min="0" value=${filter.from} onChange=${change('from')} /></label>
      <label>to <input type="number" min="0" value=${filter.to} onChange=${change('to')} /></label>
      <label>Result <select value=${filter.result} onChange=${change('result')}><option value="">any</option>
        <option value="white">${game.sides[0]} wins</option><option value="draw">draw</option><option value="black">${game.sides[1]} wins</option></select></label>
      <label>End <select value=${filter.termination} onChange=${change('termination')}><option value="">any</option>
        ${Object.keys(data.index.terminations ?? {}).map((t) => html`<option value=${t}>${endName(t)}</option>`)}</select></label>
      <label>Plies from <input type="number" min="0" value=${filter.min_plies} onChange=${change('min_plies')} /></label>
      <label>to <input type="number" min="0" value=${filter.max_plies} onChange=${change('max_plies')} /></label>
      <label><input type="checkbox" checked=${filter.varied !== 'false'} onChange=${change('varied')} /> varied starts</label>
    </form>
    ${games.length === 0 ? html`<p class="note">No such game.</p>` : html`<div class="scroll" tabindex="0" role="group" aria-label="List of games">
      <table class="games"><caption class="sr">Games, newest first</caption>
      <thead><tr><th scope="col">Game</th><th scope="col">Result</th><th scope="col">End</th><th scope="col" class="num">Plies</th><th scope="col">Start</th></tr></thead>
      <tbody>${games.map((g) => html`<tr key=${`${g.checkpoint}/${g.number}`}>
        <th scope="row"><a href=${`#/run/${run.run}/game/${g.checkpoint}/${g.number}`}>checkpoint ${g.checkpoint}, game ${g.number}</a></th>
        <td>${g.winner === null ? 'draw' : `${sideName(game, g.winner)} wins`}</td><td>${endName(g.termination)}</td>
        <td class="num">${g.plies}</td><td>${g.varied ? 'varied' : 'ordinary'}</td></tr>`)}</tbody></table></div>`}
    ${!complete && html`<p><button type="button" onClick=${load}>More games</button></p>`}`;
}

/** The value for White before each decision; null where there was no search. */
function values(decisions) {
  return decisions.map(({ wdl, turn }) => {
    if (!wdl) return null;
    const value = wdl[0] - wdl[2];
    return turn === 0 ? value : -value;
  });
}

/** Moves after which the mover stands much worse than the search thought before. */
function blunders(decisions, curve) {
  const found = new Set();
  for (let i = 0; i + 1 < curve.length; i += 1) {
    if (curve[i] === null || curve[i + 1] === null) continue;
    const loss = (decisions[i].turn === 0 ? 1 : -1) * (curve[i] - curve[i + 1]);
    if (loss > 0.5) found.add(i);
  }
  return found;
}

export function GamePage({ run, game, params, characters, checkpoint, number: gameNumber }) {
  useTitle(`Game ${gameNumber} of checkpoint ${checkpoint}`);
  const { data, error } = useLoaded((signal) => get(`/api/r/${run.run}/game/${checkpoint}/${gameNumber}`, {}, signal), 'game');
  const [ply, setPly] = useState(Math.max(0, Number(params.get('ply')) || 0));
  const [bottom, setBottom] = useState(0);
  const [policy, setPolicy] = useState(true);
  const list = useRef(null);
  const decisions = data?.decisions ?? [];
  const shown = Math.min(ply, decisions.length);
  const moves = decisions.slice(0, shown).map((d) => d.uci);
  const position = useLoaded(
    (signal) => (data ? get('/api/position', { rules: data.rules, start: data.start, moves: moves.join(' ') }, signal) : Promise.resolve(null)),
    `${!!data} ${shown}`);
  const go = (next) => setPly(Math.max(0, Math.min(decisions.length, next)));
  useKeys((event) => {
    const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: decisions.length }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  if (!data || !position.data) return html`<h1>Game</h1><${Problem} error=${error ?? position.error} /><p class="note">Loading…</p>`;
  const view = position.data;
  const curve = values(decisions);
  const bad = blunders(decisions, curve);
  const next = decisions[shown];
  const arrows = policy && next ? next.policy.slice(0, 5).map((p) => ({
    move: p.move, weight: p.share, name: p.move.uci === next.uci ? 'chosen-arrow' : 'played',
  })) : [];
  const rows = moveRows(decisions.map((d) => d.display), decisions.map((d) => d.turn));
  const outcome = { winner: data.winner, termination: data.termination };
  return html`<h1>Game ${gameNumber} of checkpoint ${checkpoint}</h1>
    <p class="note">${sideName(game, 0)}: checkpoint ${data.white}, ${sideName(game, 1)}: checkpoint ${data.black}. ${outcomeText(game, outcome)} after ${decisions.length} plies.</p>
    <div class="explorer">
      <div class="board-column">
        <${Board} game=${game} view=${view} bottom=${bottom} characters=${characters} arrows=${arrows} />
        <p class="status" role="status" aria-live="polite">Ply ${shown} of ${decisions.length}.
          ${next?.wdl ? ` ${sideName(game, next.turn)} expects ${percentOf(next.wdl[0] + next.wdl[1] / 2, 0)}.` : ''}
          ${next ? ` Next: ${next.display}.` : ` ${outcomeText(game, outcome)}.`}</p>
        <div class="buttons">
          <button type="button" onClick=${() => go(0)} disabled=${shown === 0} aria-label="To the start">«</button>
          <button type="button" onClick=${() => go(shown - 1)} disabled=${shown === 0} aria-label="One move back">‹</button>
          <button type="button" onClick=${() => go(shown + 1)} disabled=${shown === decisions.length} aria-label="One move on">›</button>
          <button type="button" onClick=${() => go(decisions.length)} disabled=${shown === decisions.length} aria-label="To the end">»</button>
          <button type="button" onClick=${() => setBottom(1 - bottom)}>Turn the board</button>
          <button type="button" aria-pressed=${String(policy)} onClick=${() => setPolicy(!policy)}>Policy</button>
        </div>
        <${ValueCurve} game=${game} curve=${curve} bad=${bad} ply=${shown} onPly=${go} />
      </div>
      <div class="side-column">
        <h2>Moves</h2>
        <div class="move-list tall" ref=${list} tabindex="0" role="group" aria-label="Moves of the game"><table>
          <thead class="sr"><tr><th scope="col">Number</th><th scope="col">${game.sides[0]}</th><th scope="col">${game.sides[1]}</th></tr></thead>
          <tbody>${rows.map((row) => html`<tr><th scope="row">${row.number}</th>${row.cells.map((cell) => html`<td>
            ${cell.map((m) => html`<button type="button" class=${`link${bad.has(m.ply - 1) ? ' blunder' : ''}`} tabindex="-1"
              aria-current=${m.ply === shown ? 'step' : undefined} onClick=${() => go(m.ply)}>${m.text}${bad.has(m.ply - 1) ? '??' : ''}</button> `)}</td>`)}</tr>`)}</tbody></table></div>
        ${next && next.policy.length > 0 && html`<table class="best"><caption>The search’s policy here${next.kind === 'reduced-visits' ? ' (reduced visits)' : ''}</caption>
          <thead><tr><th scope="col">Move</th><th scope="col" class="num">Share</th></tr></thead>
          <tbody>${next.policy.map((p) => html`<tr><td>${p.move.display}${p.move.uci === next.uci ? ' (played)' : ''}</td><td class="num">${percentOf(p.share)}</td></tr>`)}</tbody></table>`}
        <p class="links"><a href=${`#/run/${run.run}/explorer${address('', { start: data.start, moves: moves.slice(0, 60).join(' '), varied: 'true' })}`}>This position in the explorer</a>
          ${!view.outcome && html`<a href=${`#/play${address('', { rules: data.rules, start: data.start, moves: moves.join(' '), side: view.turn })}`}>Play from here</a>`}</p>
        <p class="note keys">Keys: ← → Home End.</p>
      </div>
    </div>`;
}

/** The value over the game, from search to search; a table says the same. */
function ValueCurve({ game, curve, bad, ply, onPly }) {
  const n = Math.max(1, curve.length - 1);
  const x = (i) => (300 * i) / n;
  const y = (v) => 40 - 38 * v;
  let path = '';
  let pen = 'M';
  curve.forEach((v, i) => {
    if (v === null) return;
    path += `${pen}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
    pen = 'L';
  });
  const choose = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    onPly(Math.round(((event.clientX - box.left) / box.width) * n));
  };
  return html`<figure class="curve"><figcaption>Value for ${game.sides[0]}, by the search</figcaption>
    <svg viewBox="-2 0 304 80" preserveAspectRatio="none" onClick=${choose} aria-hidden="true">
      <path class="axis" d="M0 40H300" /><path class="value" d=${path} />
      ${[...bad].map((i) => curve[i + 1] !== null && html`<circle class="blunder" cx=${x(i + 1)} cy=${y(curve[i + 1])} r="3" />`)}
      <path class="now" d=${`M${x(Math.min(ply, n))} 0V80`} /></svg>
    <details><summary>As a table</summary><div class="scroll short" tabindex="0" role="group" aria-label="Values"><table>
      <thead><tr><th scope="col">Ply</th><th scope="col" class="num">Value</th></tr></thead>
      <tbody>${curve.map((v, i) => html`<tr><td>${i}</td><td class="num">${v === null ? '–' : signed(v)}</td></tr>`)}</tbody></table></div></details></figure>`;
}
