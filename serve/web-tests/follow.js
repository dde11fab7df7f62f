// What the page costs a run that trains, and how soon it shows a checkpoint:
//
//     garuda train CONFIG --run RUN &
//     node serve/web-tests/follow.js RUN [MINUTES [SECONDS]]
//
// In turns of SECONDS `garuda serve` and the dashboard in a browser are running and not. Prints the rates of self-play in both, the share of the processors that
// program and browser took, and the delay of every checkpoint. GARUDA_BUILT is the folder of the program.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, startServer } from './browser.js';
import { chromium } from 'playwright-core';

const [run, minutes = '6', turn = '45'] = process.argv.slice(2);
if (!run) throw new Error('usage: follow.js RUN [MINUTES [SECONDS]]');
const pause = (ms) => new Promise((next) => setTimeout(next, ms));
const events = () => (existsSync(join(run, 'metrics.jsonl')) ? readFileSync(join(run, 'metrics.jsonl'), 'utf8') : '')
  .split('\n').slice(0, -1).map((line) => JSON.parse(line)).filter((event) => event.event === 'selfplay');
const checkpoints = () => (existsSync(join(run, 'checkpoints')) ? readdirSync(join(run, 'checkpoints')) : [])
  .filter((name) => /^\d+$/.test(name)).map(Number);

const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] });
async function openPage() {
  const server = await startServer([run], 0);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(() => {
    window.seen = {};
    new MutationObserver(() => {
      const tile = [...document.querySelectorAll('.tiles div')].find((div) => div.textContent.startsWith('Newest checkpoint'));
      const newest = tile?.querySelector('dd').textContent;
      if (newest && !(newest in window.seen)) window.seen[newest] = Date.now();
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await page.goto(`${server.url}#/run/0`);
  await page.waitForSelector('.tiles dd');
  return {
    seen: () => page.evaluate(() => window.seen),
    close: async () => { await page.close(); await server.stop(); },
  };
}

/** Seconds of processor time of this process's children and theirs. */
function cpuSeconds() {
  const stats = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
      return [{ pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
    } catch {
      return []; // It has just ended.
    }
  });
  const ours = new Set([process.pid]);
  for (let size = 0; size < ours.size;) {
    size = ours.size;
    for (const { pid, parent } of stats) if (ours.has(parent)) ours.add(pid);
  }
  return stats.filter(({ pid }) => ours.has(pid) && pid !== process.pid).reduce((sum, { ticks }) => sum + ticks / 100, 0);
}

const sums = { open: [0, 0], closed: [0, 0] };
const [delays, costs] = [[], []];
const end = Date.now() + 60000 * Number(minutes);
const written = new Map();
const note = (at) => { for (const n of checkpoints()) if (!written.has(n)) written.set(n, at); };
note(null);
for (let turns = 0; Date.now() < end; turns += 1) {
  const shown = turns % 2 ? await openPage() : null;
  const kind = shown ? 'open' : 'closed';
  const turnEnd = Date.now() + 1000 * Number(turn);
  // The games that are being played at a change count for neither kind.
  let counted = null;
  let [cpu, since] = [null, null];
  while (Date.now() < turnEnd) {
    note(shown ? Date.now() : null);
    const all = events();
    counted ??= all.length + 1;
    for (const { evaluations, seconds } of all.slice(counted)) {
      sums[kind] = [sums[kind][0] + evaluations, sums[kind][1] + seconds];
      counted += 1;
    }
    if (all.length >= counted && cpu === null) [cpu, since] = [cpuSeconds(), Date.now()];
    await pause(20);
  }
  const [played, seconds] = sums[kind];
  console.log(`${new Date().toISOString()} page ${kind}: so far ${Math.round(played / seconds)} evaluations/s in ${seconds.toFixed(1)} s of self-play`);
  if (shown) {
    costs.push((cpuSeconds() - cpu) / ((Date.now() - since) / 1000) / availableParallelism());
    const seen = await shown.seen();
    for (const [n, at] of written) if (at && seen[n]) delays.push(seen[n] - at);
    await shown.close();
    written.clear();
    note(null);
  }
}
await browser.close();
const [open, closed] = [sums.open, sums.closed].map(([played, seconds]) => played / seconds);
const percent = (share) => `${(100 * share).toFixed(2)} %`;
console.log(`page open: ${Math.round(open)} evaluations/s, closed: ${Math.round(closed)}, difference ${percent(open / closed - 1)}`);
console.log(`program and browser took ${costs.map(percent).join(', ')} of the processors`);
console.log(`checkpoints are shown after ${delays.map((ms) => `${ms} ms`).join(', ')}`);
