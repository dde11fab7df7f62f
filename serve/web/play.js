// Playing against a network or a fixed player: a request for every move, nothing kept on the server.
import { html, useEffect, useMemo, useRef, useState } from '/vendor/htm-preact.js';
import { address, get, isAbort } from '/api.js';
import { Board } from '/board.js';
import { moveRows, outcomeText, sideName } from '/position.js';
import { Problem, percentOf, useLoaded, useTitle } from '/parts.js';

const LEVELS = ['1, beginner', '2, weak', '3, casual', '4', '5', '6, strong', '7', '8, full strength'];
const newSeed = () => Math.floor(Math.random() * 2 ** 31);

/** What the address says of the game, which survives a reload. */
function read(params, rules) {
  const name = rules.has(params.get('rules')) ? params.get('rules') : 'torishogi';
  return {
    rules: name,
    start: params.get('start') ?? '',
    moves: (params.get('moves') ?? '').split(/[ ,]+/).filter(Boolean),
    side: params.get('side') === '1' ? 1 : 0,
    player: params.get('player') ?? '',
    level: Math.min(8, Math.max(1, Number(params.get('level') ?? 3) || 3)),
    seed: Number(params.get('seed')) || newSeed(),
  };
}

const isSamePosition = (a, b) => a.rules === b.rules && a.start === b.start && a.side === b.side && a.moves.join(' ') === b.moves.join(' ');

export function Play({ rules, params, characters }) {
  useTitle('Play');
  const [game, setGame] = useState(() => read(params, rules));
  const [view, setView] = useState(null);
  const [error, setError] = useState(null);
  const [thinking, setThinking] = useState(false);
  const [analysing, setAnalysing] = useState(false);
  const [analysis, setAnalysis] = useState(null);
  const [hints, setHints] = useState(false);
  const [flipped, setFlipped] = useState(false);
  const [tries, setTries] = useState(0);
  const { data: players } = useLoaded((signal) => get('/api/players', {}, signal), 'players');
  const data = rules.get(game.rules);
  const mine = useMemo(
    () => (players?.players ?? []).filter((p) => p.rules === null || p.rules === game.rules), [players, game.rules]);
  const player = mine.find((p) => p.id === game.player)?.id ?? mine[0]?.id ?? null;
  const isNetwork = player !== null && !['random', 'alphabeta'].includes(player);
  const position = { rules: game.rules, start: game.start, moves: game.moves.join(' ') };

  // A link to another game while this page is open.
  const asked = useRef(params.toString());
  useEffect(() => {
    if (params.toString() !== asked.current) {
      asked.current = params.toString();
      setGame(read(params, rules));
    }
  }, [params]);
  // The address tells the game.
  useEffect(() => {
    const query = address('', { ...position, side: game.side, level: game.level, player: game.player, seed: game.seed });
    history.replaceState(null, '', `#/play${query}`);
  }, [game]);

  // The position, and the opponent's move while it is its turn.
  useEffect(() => {
    if (player === null) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    (async () => {
      setError(null);
      const now = await get('/api/position', position, signal);
      setView(now);
      if (now.outcome || now.turn === game.side) return setThinking(false);
      setThinking(true);
      const answer = await get('/api/move', { ...position, player, level: game.level, seed: game.seed }, signal);
      setView(answer.position);
      setThinking(false);
      // By now a link may have led to another game, whose effect has not yet cancelled this one.
      return setGame((old) => (isSamePosition(old, game) ? { ...old, moves: answer.position.moves } : old));
    })().catch((problem) => {
      if (isAbort(problem)) return;
      setThinking(false);
      setError(problem);
    });
    return () => controller.abort();
  }, [game.rules, game.start, game.moves.join(' '), game.side, player, tries]);

  // The last evaluation stays until the next one is there: a bar that jumps to the middle tells nothing.
  useEffect(() => {
    if (!analysing || !view || view.outcome || view.turn !== game.side) return undefined;
    const controller = new AbortController();
    get('/api/analysis', { ...position, moves: view.moves.join(' '), player: isNetwork ? player : '', simulations: 400 }, controller.signal)
      .then((found) => setAnalysis({ ...found, fen: view.fen }), (problem) => !isAbort(problem) && setError(problem));
    return () => controller.abort();
  }, [analysing, view, game.side, player]);

  if (!view || view.rules !== game.rules || !players) return html`<h1>Play</h1><${Problem} error=${error} /><p class="note">Loading…</p>`;
  const start = (change) => {
    setThinking(false);
    setFlipped(false);
    setAnalysis(null);
    setGame((old) => ({ ...old, moves: [], seed: newSeed(), ...change }));
  };
  const move = (chosen) => setGame((old) => ({ ...old, moves: [...view.moves, chosen.uci] }));
  const lastOwn = view.movers.lastIndexOf(game.side);
  const takeBack = () => { setThinking(false); setGame((old) => ({ ...old, moves: view.moves.slice(0, lastOwn) })); };
  const settled = view.moves.join(' ') === game.moves.join(' ');
  const myTurn = settled && !view.outcome && !thinking && view.turn === game.side;
  const bottom = flipped ? 1 - game.side : game.side;
  const current = analysis && analysis.fen === view.fen ? analysis : null;
  const arrows = hints && current
    ? current.lines.map((line, i) => ({ move: line.moves[0], weight: 1 - i * 0.35, name: `hint${i}` })) : [];
  let status;
  if (view.outcome) status = outcomeText(data, view.outcome);
  else if (thinking || !settled) status = `${sideName(data, view.turn)} is thinking…`;
  else if (view.pending) status = 'Put the captured piece back on the board.';
  else if (view.deport !== null) status = 'Put the piece that scored back on the board.';
  else status = `${sideName(data, view.turn)} to move${view.turn === game.side ? ' (you)' : ''}${view.check ? ', in check' : ''}.`;
  const lastText = view.last ? `${sideName(data, view.movers[view.movers.length - 1])} played ${view.last.display}. ` : '';

  return html`<h1>${data.title}</h1>
    <div class="play">
      <div class="board-column">
        <div class="with-bar">
          ${analysing && html`<${EvaluationBar} game=${data} analysis=${analysis} outcome=${view.outcome} bottom=${bottom} />`}
          <${Board} game=${data} view=${view} bottom=${bottom} characters=${characters} onMove=${myTurn ? move : null} arrows=${arrows} />
        </div>
        <p class=${`status${view.outcome ? ' over' : ''}`} role="status" aria-live="polite">
          <span class="sr">${lastText}</span>${status}
          ${!view.outcome && view.counting && html` <span class="muted">Counting: ${view.counting[0]} of ${view.counting[1]} plies.</span>`}
          ${!view.outcome && view.move_rule && view.move_rule[0] > 20 && html` <span class="muted">${view.move_rule[0]} of ${view.move_rule[1]} plies without progress.</span>`}
        </p>
        <${Problem} error=${error} />
        ${error && html`<button type="button" onClick=${() => setTries(tries + 1)}>Try again</button>`}
        <div class="buttons">
          <button type="button" onClick=${() => start({})}>New game</button>
          <button type="button" disabled=${lastOwn < 0} onClick=${takeBack}>Take back</button>
          <button type="button" onClick=${() => setFlipped(!flipped)}>Turn the board</button>
          <button type="button" aria-pressed=${String(analysing)} onClick=${() => setAnalysing(!analysing)}>Evaluation</button>
          <button type="button" aria-pressed=${String(hints)} onClick=${() => { setHints(!hints); if (!hints) setAnalysing(true); }}>Hints</button>
        </div>
        ${analysing && !view.outcome && html`<${BestMoves} game=${data} analysis=${current} myTurn=${myTurn} onMove=${move} />`}
      </div>
      <div class="side-column">
        <form class="settings" onSubmit=${(e) => e.preventDefault()}>
          <label>Game<select value=${game.rules} onChange=${(e) => start({ rules: e.target.value, start: '' })}>
            ${[...rules.values()].map((g) => html`<option value=${g.rules}>${g.title}</option>`)}</select></label>
          <label>Opponent<select value=${player} onChange=${(e) => setGame({ ...game, player: e.target.value })}>
            ${mine.map((p) => html`<option value=${p.id}>${p.name}</option>`)}</select></label>
          <label>Strength<select value=${game.level} disabled=${player === 'random'} onChange=${(e) => setGame({ ...game, level: Number(e.target.value) })}>
            ${LEVELS.map((name, i) => html`<option value=${i + 1}>${name}</option>`)}</select></label>
          <label>You play<select value=${game.side} onChange=${(e) => start({ side: Number(e.target.value) })}>
            <option value="0">${data.sides[0]}, moving first</option><option value="1">${data.sides[1]}, moving second</option></select></label>
          <${StartChoice} game=${data} start=${game.start} onStart=${(fen) => start({ start: fen })} />
        </form>
        <${MoveList} game=${data} view=${view} />
        <p class="note"><a href=${`#/rules/${game.rules}`}>Rules of ${data.title}</a></p>
      </div>
    </div>`;
}

/** A named start, a handicap, or any position as a FEN. */
function StartChoice({ game, start, onStart }) {
  const named = game.starts.find((s, i) => s.name === start || s.fen === start || (i === 0 && start === ''));
  const [own, setOwn] = useState(!named);
  const [fen, setFen] = useState(named ? '' : start);
  return html`<label>Start<select value=${own ? 'fen' : named?.name ?? ''} onChange=${(e) => {
      const isOwn = e.target.value === 'fen';
      setOwn(isOwn);
      if (!isOwn) onStart(e.target.value === game.starts[0].name ? '' : e.target.value);
    }}>
      ${game.starts.map((s, i) => html`<option value=${s.name}>${i === 0 ? 'standard' : `handicap: ${s.name.replaceAll('-', ' ')}`}</option>`)}
      <option value="fen">a position (FEN)</option></select></label>
    ${own && html`<label>FEN<span class="row"><input value=${fen} onInput=${(e) => setFen(e.target.value)} />
      <button type="button" onClick=${() => fen.trim() && onStart(fen.trim())}>Set up</button></span></label>`}`;
}

function EvaluationBar({ game, analysis, outcome, bottom }) {
  let share = 0.5;
  if (outcome) {
    if (outcome.winner !== null) share = outcome.winner === bottom ? 1 : 0;
  } else if (analysis?.wdl) {
    const mover = analysis.wdl[0] + analysis.wdl[1] / 2;
    share = analysis.turn === bottom ? mover : 1 - mover;
  }
  const text = outcome || analysis?.wdl ? `${sideName(game, bottom)} ${percentOf(share, 0)}` : 'no evaluation yet';
  return html`<div class=${`evaluation side${bottom}`} role="meter" aria-label="Evaluation" aria-valuemin="0" aria-valuemax="100"
    aria-valuenow=${Math.round(100 * share)} aria-valuetext=${text} title=${text}>
    <span style=${{ height: `${100 * share}%` }}></span></div>`;
}

function BestMoves({ game, analysis, myTurn, onMove }) {
  if (!analysis) return html`<p class="note">${myTurn ? 'Searching…' : 'The evaluation is made when it is your turn.'}</p>`;
  const says = ({ wdl, proof }) => {
    if (proof?.result === 'win') return `wins in ${proof.plies} plies`;
    if (proof?.result === 'loss') return `loses in ${proof.plies} plies`;
    if (proof?.result === 'draw') return 'a draw';
    return percentOf(wdl[0] + wdl[1] / 2, 0);
  };
  return html`<table class="best"><caption>Best moves by ${analysis.by === 'network' ? 'the network' : 'a search on material'}, ${analysis.visits} visits</caption>
    <thead><tr><th scope="col">Move</th><th scope="col">Score</th><th scope="col">Then</th></tr></thead>
    <tbody>${analysis.lines.map((line) => html`<tr>
      <td><button type="button" class="link" disabled=${!myTurn} onClick=${() => onMove(line.moves[0])}>${line.moves[0].display}</button></td>
      <td>${says(line)}</td><td class="muted">${line.moves.slice(1, 6).map((m) => m.display).join(' ')}</td></tr>`)}</tbody></table>`;
}

function MoveList({ game, view }) {
  const rows = moveRows(view.shown, view.movers);
  const end = useRef(null);
  useEffect(() => { if (end.current) end.current.scrollTop = end.current.scrollHeight; }, [view.moves.length]);
  return html`<section aria-label="Moves"><h2>Moves</h2>
    ${rows.length === 0 ? html`<p class="note">No move yet.</p>` : html`<div class="move-list" ref=${end} tabindex="0" role="group" aria-label="Moves of the game">
      <table><thead class="sr"><tr><th scope="col">Number</th><th scope="col">${game.sides[0]}</th><th scope="col">${game.sides[1]}</th></tr></thead>
        <tbody>${rows.map((row) => html`<tr><th scope="row">${row.number}</th>
          ${row.cells.map((cell) => html`<td>${cell.map((m) => m.text).join(' ')}</td>`)}</tr>`)}</tbody></table></div>`}
  </section>`;
}
