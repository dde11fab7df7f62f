// The machines that play for a run.
import { html, useEffect, useState } from '/vendor/htm-preact.js';
import { get } from '/api.js';
import { Problem, number, useLoaded, useTitle } from '/parts.js';

/** What has not been written for longer is of a trainer that has ended. */
const STALE_SECONDS = 30;
const TRUST = {
  new: ['new', 'All its games wait until some of them have been checked'],
  proven: ['proven', 'Few of its games are checked'],
  revoked: ['revoked', 'Nothing is taken from it'],
};

/** A number of seconds in words. */
export function ago(seconds) {
  if (seconds < 5) return 'now';
  if (seconds < 120) return `${Math.round(seconds)} s ago`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} days ago`;
}

const rate = (n) => n.toFixed(n < 10 ? 2 : 0);
const megabytes = (n) => (n < 2 ** 20 ? `${Math.ceil(n / 1024)} KiB` : `${(n / 2 ** 20).toFixed(1)} MiB`);

export function Fleet({ run }) {
  useTitle(`Fleet, ${run.name}`);
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => { if (!document.hidden) setTick((n) => n + 1); }, 2000);
    return () => clearInterval(timer);
  }, []);
  const { data, error } = useLoaded((signal) => get(`/api/r/${run.run}/fleet`, {}, signal), tick);
  if (!data) return html`<h1>Fleet</h1><${Problem} error=${error} /><p class="note">Loading…</p>`;
  const { fleet, now } = data;
  if (!fleet) {
    return html`<h1>Fleet</h1><${Problem} error=${error ?? data.problem} />
      <p class="note">No other machine plays for this run: garuda train --listen lets them.</p>`;
  }
  const { workers } = fleet;
  const age = now - fleet.written;
  const running = data.training && age < STALE_SECONDS;
  const here = workers.filter((worker) => running && worker.here);
  const sum = (list, value) => list.reduce((total, worker) => total + value(worker), 0);
  const reasons = refusals(workers);
  const tiles = [
    ['Workers here', `${here.length} of ${workers.filter((w) => w.trust !== 'revoked').length}`],
    ['Cores', number(sum(here, (w) => w.cores))],
    ['Games per second', rate(sum(here, (w) => w.games_per_second))],
    ['Games of workers', number(sum(workers, (w) => w.accepted))],
    ['Games of the trainer', number(fleet.local)],
    ['Being checked', number(fleet.held)],
    ['Refused', number(sum(workers, (w) => sum(Object.values(w.refused), (n) => n)))],
    ['Waiting at the broker', number(fleet.backlog)],
  ];
  return html`<h1>Fleet</h1><${Problem} error=${error ?? data.problem} />
    <p role="status">${!running ? `The trainer is not running; this is how it stood ${ago(age)}.`
      : fleet.checkpoint === null ? 'The trainer is training or evaluating and wants no games now.'
        : `Checkpoint ${fleet.checkpoint} is played; ${number(fleet.missing)} games are missing.`}</p>
    <dl class="tiles">${tiles.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    <h2>Workers</h2>
    ${workers.length === 0 ? html`<p class="note">Nobody was invited yet: garuda fleet invite.</p>`
      : html`<div class="scroll" tabindex="0" role="group" aria-label="Workers"><table class="workers">
      <caption class="sr">Workers by name</caption>
      <thead><tr><th scope="col">Worker</th><th scope="col">Last seen</th><th scope="col">Trust</th><th scope="col" class="num">Cores</th>
        <th scope="col" class="num">Games/s</th><th scope="col" class="num">Accepted</th><th scope="col" class="num">Held</th>
        <th scope="col" class="num">Withdrawn</th><th scope="col" class="num">Checks</th><th scope="col" class="num">Refused</th><th scope="col" class="num">Unsent</th></tr></thead>
      <tbody>${workers.map((w) => html`<${Worker} key=${w.name} worker=${w} here=${running && w.here} now=${now} />`)}</tbody></table></div>
      <p class="note">Held games count once they are checked; withdrawn ones no longer do, because their worker was revoked. Checks are games that
        the trainer played again: equal, and different. Refusals are counted since the trainer was started.</p>`}
    ${reasons.length > 0 && html`<h2>Refused</h2><div class="scroll" tabindex="0" role="group" aria-label="Refused, by reason"><table class="best">
      <caption class="sr">Refused messages and games by reason</caption>
      <thead><tr><th scope="col">Reason</th><th scope="col" class="num">Number</th><th scope="col">Workers</th></tr></thead>
      <tbody>${reasons.map(([reason, { total, names }]) => html`<tr><th scope="row">${reason}</th><td class="num">${number(total)}</td>
        <td>${names.join(', ')}</td></tr>`)}</tbody></table></div>`}`;
}

function Worker({ worker: w, here, now }) {
  const [trust, meaning] = TRUST[w.trust] ?? [w.trust, ''];
  const refused = Object.values(w.refused).reduce((a, b) => a + b, 0);
  const seen = w.last_seen === null ? 'never' : ago(Math.max(0, now - w.last_seen));
  return html`<tr class=${w.trust === 'revoked' ? 'revoked' : ''}><th scope="row">${w.name}</th>
    <td><span class=${`dot ${here ? 'on' : 'off'}`} aria-hidden="true"></span> ${here ? 'here' : seen}</td>
    <td title=${meaning}>${trust}</td><td class="num">${w.cores}</td><td class="num">${here ? rate(w.games_per_second) : '–'}</td>
    <td class="num">${number(w.accepted)}</td><td class="num">${number(w.held)}</td><td class="num">${number(w.withdrawn)}</td>
    <td class="num">${number(w.checks_passed)}${w.checks_failed > 0 && html`, <strong class="failed">${number(w.checks_failed)} differ</strong>`}</td>
    <td class="num" title=${w.last_refusal ?? undefined}>${number(refused)}</td><td class="num">${w.spooled ? megabytes(w.spooled) : '–'}</td></tr>`;
}

/** Refusals of all workers by reason, most frequent first. */
function refusals(workers) {
  const by = new Map();
  for (const worker of workers) {
    for (const [reason, n] of Object.entries(worker.refused)) {
      const entry = by.get(reason) ?? { total: 0, names: [] };
      by.set(reason, { total: entry.total + n, names: [...entry.names, worker.name] });
    }
  }
  return [...by].sort((a, b) => b[1].total - a[1].total);
}
