// How a run is doing, followed while it trains.
import { html, useEffect, useMemo, useState } from '/vendor/htm-preact.js';
import { get } from '/api.js';
import { Chart } from '/charts.js';
import { endName } from '/position.js';
import { IndexNote, Problem, Problems, ResultBar, number, percentOf, useLoaded, useTitle } from '/parts.js';

/** Two events of one key tell the same thing, the later one more recently. */
const keyOf = (e) => `${e.event} ${e.checkpoint} ${e.event === 'match' ? e.opponent : ''}${e.event === 'warning' ? e.what : ''}`;

/** The events of a run, those to come included. */
function useEvents(run) {
  const [events, setEvents] = useState(new Map());
  const [error, setError] = useState(null);
  const [live, setLive] = useState(null);
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    let source;
    let ended = false;
    const add = (list) => {
      setEvents((old) => {
        const next = new Map(old);
        for (const event of list) next.set(keyOf(event), event);
        return next;
      });
      setChanges((n) => n + 1);
    };
    get(`/api/r/${run}/metrics`).then((answer) => {
      if (ended) return;
      add(answer.events);
      source = new EventSource(`/api/r/${run}/events?from=${answer.offset}`);
      source.onopen = () => setLive(true);
      source.onerror = () => setLive(false);
      source.onmessage = (message) => add([JSON.parse(message.data)]);
      source.addEventListener('restart', () => setEvents(new Map()));
    }, setError);
    return () => { ended = true; source?.close(); };
  }, [run]);
  return { events, error, live, changes };
}

export function Dashboard({ run, game }) {
  useTitle(run.name);
  const { events, error, live, changes } = useEvents(run.run);
  const [recent, setRecent] = useState(false);
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => { if (!document.hidden) setTick((n) => n + 1); }, 5000);
    return () => clearInterval(timer);
  }, []);
  const summary = useLoaded((signal) => get(`/api/r/${run.run}/summary`, {}, signal), `${changes} ${tick}`);
  const ladder = useLoaded((signal) => get(`/api/r/${run.run}/ladder`, {}, signal), `${changes}`);
  const all = useMemo(() => {
    const by = (kind) => [...events.values()].filter((e) => e.event === kind).sort((a, b) => a.checkpoint - b.checkpoint);
    return { selfplay: by('selfplay'), training: by('training'), warnings: by('warning') };
  }, [events]);
  const charts = useMemo(() => chartsOf(all, ladder.data), [all, ladder.data]);
  const data = summary.data;
  if (!data) return html`<h1>${run.name}</h1><${Problem} error=${summary.error ?? error} /><p class="note">Loading…</p>`;
  const { selfplay, last_training: training, rating } = data;
  const rate = (n, seconds) => (seconds > 0 ? number(Math.round(n / seconds)) : '–');
  const tiles = [
    ['Game', data.title], ['State', data.phase],
    ['Newest checkpoint', data.checkpoint ?? 'none yet'],
    ['Rating', rating ? `${Math.round(rating.elo)} ± ${Math.round(rating.error)} Elo` : '–'],
    ['Games', number(data.games)], ['Positions', selfplay ? number(selfplay.total_positions) : '–'],
    ['Evaluations per second', selfplay ? rate(selfplay.evaluations, selfplay.seconds) : '–'],
    ['Samples per second', training ? rate(training.samples, training.seconds) : '–'],
    ['Training step', training ? number(training.steps) : '–'], ['Size', `${number(Math.round(data.bytes / 2 ** 20))} MiB`],
  ];
  const ends = selfplay ? Object.entries(selfplay.ends).sort((a, b) => b[1] - a[1]) : [];
  return html`<h1>${data.name}</h1>
    <${Problem} error=${summary.error ?? error} />
    <${Problems} list=${[...data.problems, ...(ladder.data?.problem ? [ladder.data.problem] : [])]} />
    <${IndexNote} index=${data.index} />
    ${all.warnings.length > 0 && html`<section class="warnings" aria-label="Warnings"><h2>Warnings</h2><ul>
      ${all.warnings.slice(-8).reverse().map((w) => html`<li>Checkpoint ${w.checkpoint}: ${w.what}</li>`)}</ul></section>`}
    <dl class="tiles">${tiles.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    <p class="note"><label><input type="checkbox" checked=${recent} onChange=${(e) => setRecent(e.target.checked)} /> only the last quarter</label>
      ${' '}<span role="status">${live === null ? 'Connecting…' : live ? 'Following the run.' : 'Not connected; trying again.'}</span> Drag over a chart to zoom, double-click to see all.</p>
    <div class="charts">${charts.map((chart) => html`<${Chart} key=${chart.title} ...${chart} recent=${recent} />`)}</div>
    ${selfplay && html`<section><h2>The newest games</h2>
      <p>${number(selfplay.games)} games of checkpoint ${selfplay.checkpoint}, ${selfplay.mean_plies.toFixed(0)} plies on average.</p>
      <${ResultBar} white=${selfplay.white} draws=${selfplay.draws} black=${selfplay.black} names=${game.sides} />
      <table class="best"><caption>How they ended</caption><thead><tr><th scope="col">End</th><th scope="col" class="num">Share</th></tr></thead>
        <tbody>${ends.map(([name, share]) => html`<tr><td>${endName(name)}</td><td class="num">${percentOf(share)}</td></tr>`)}</tbody></table></section>`}
    ${ladder.data?.ratings.length > 0 && html`<section><h2>Ratings</h2><div class="scroll" tabindex="0" role="group" aria-label="Ratings"><table>
      <thead><tr><th scope="col">Player</th><th scope="col" class="num">Elo</th><th scope="col" class="num">±</th><th scope="col" class="num">Games</th><th scope="col" class="num">Score</th></tr></thead>
      <tbody>${ladder.data.ratings.map((r) => html`<tr><th scope="row">${r.player}</th><td class="num">${r.elo.toFixed(0)}</td><td class="num">${r.error.toFixed(0)}</td>
        <td class="num">${number(r.games)}</td><td class="num">${percentOf(r.points / Math.max(1, r.games))}</td></tr>`)}</tbody></table></div></section>`}
    <p class="links"><a href=${`#/run/${run.run}/explorer`}>Openings</a> <a href=${`#/run/${run.run}/games`}>Games</a> <a href=${`#/run/${run.run}/live`}>Live games</a>
      ${data.openings && html`<a href=${`/api/r/${run.run}/openings`}>Report on openings</a>`}
      ${data.checkpoint !== null && html`<a href=${`#/play?rules=${data.rules}&player=run:${run.run}:${data.checkpoint}`}>Play against the newest checkpoint</a>`}</p>`;
}

function chartsOf({ selfplay, training }, ladder) {
  const steps = training.map((t) => t.checkpoint);
  const played = selfplay.map((s) => s.checkpoint);
  const three = (v) => v.toFixed(3);
  const share = (v) => `${(100 * v).toFixed(1)} %`;
  const rated = (ladder?.ratings ?? []).filter((r) => /^\d+$/.test(r.player)).sort((a, b) => Number(a.player) - Number(b.player));
  const anchors = (ladder?.ratings ?? []).filter((r) => !/^\d+$/.test(r.player));
  const ratedAt = rated.map((r) => Number(r.player));
  return [
    { title: 'Rating', xName: 'checkpoint', xs: ratedAt, format: (v) => v.toFixed(0),
      series: [{ name: 'Elo', values: rated.map((r) => r.elo), colour: '--line-a' },
        ...anchors.map((a) => ({ name: a.player, values: ratedAt.map(() => a.elo), colour: '--line-c', dash: [6, 4], points: false }))],
      errors: [{ of: 0, values: rated.map((r) => r.error) }] },
    { title: 'Loss', xName: 'checkpoint', xs: steps, format: three, series: [
      { name: 'policy', values: training.map((t) => t.losses.policy), colour: '--line-a' },
      { name: 'value', values: training.map((t) => t.losses.value), colour: '--line-b' },
      { name: 'policy, validation', values: training.map((t) => t.validation?.policy), colour: '--line-a', dash: [4, 4] },
      { name: 'value, validation', values: training.map((t) => t.validation?.value), colour: '--line-b', dash: [4, 4] }] },
    { title: 'Game length', xName: 'checkpoint', xs: played, format: (v) => v.toFixed(0), series: [
      { name: 'plies', values: selfplay.map((s) => s.mean_plies), colour: '--line-a' }] },
    { title: 'Results', xName: 'checkpoint', xs: played, format: share, range: [0, 1], series: [
      { name: 'first side wins', values: selfplay.map((s) => s.white), colour: '--line-a' },
      { name: 'draws', values: selfplay.map((s) => s.draws), colour: '--line-c' },
      { name: 'second side wins', values: selfplay.map((s) => s.black), colour: '--line-b' }] },
    { title: 'Policy entropy', xName: 'checkpoint', xs: played, format: three, series: [
      { name: 'nats', values: selfplay.map((s) => s.entropy), colour: '--line-a' }] },
    { title: 'Evaluations per second', xName: 'checkpoint', xs: played, format: (v) => v.toFixed(0), series: [
      { name: 'evaluations per second', values: selfplay.map((s) => (s.seconds > 0 ? s.evaluations / s.seconds : null)), colour: '--line-a' }] },
  ];
}
