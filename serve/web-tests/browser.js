// The program, a run to show and a browser, for the tests.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const built = process.env.GARUDA_BUILT ?? join(root, 'target/debug');
export const chromiumPath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  .find((path) => path && existsSync(path));

/** What a run writes besides games, with text that a page must not interpret. */
export const HOSTILE = '<img src=x onerror="document.title=1"> & "quotes"';

/** Where screenshots go, if they are wanted. */
const shots = process.env.SCREENSHOTS;
if (shots) mkdirSync(shots, { recursive: true });
export const shot = (page, name) => shots && page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });

function makeRun(directory, rules, games) {
  const made = spawnSync(join(built, 'examples/synthetic_run'), [rules, directory, String(games)], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`synthetic_run failed: ${made.error ?? made.stderr}`);
  const events = [];
  for (let checkpoint = 1; checkpoint <= 12; checkpoint += 1) {
    events.push({
      event: 'selfplay', checkpoint: checkpoint - 1, games: 400, positions: 21000, total_positions: 21000 * checkpoint,
      mean_plies: 80 - checkpoint, white: 0.4, draws: 0.25, black: 0.35, ends: { checkmate: 0.7, repetition: 0.3 },
      entropy: 2 / checkpoint, simulations: 32, evaluations: 600000, seconds: 61.5,
    });
    const losses = { total: 3 / checkpoint, policy: 2 / checkpoint, value: 1 / checkpoint };
    events.push({
      event: 'training', checkpoint, steps: 300 * checkpoint, window: 50000, rate: 0.001, losses,
      validation: checkpoint % 2 ? losses : null, gradient: 1, skipped: 0, samples: 76800, seconds: 42,
    });
  }
  events.push({ event: 'warning', checkpoint: 12, what: HOSTILE });
  writeFileSync(join(directory, 'metrics.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const match = (first, second, wins, draws, losses) => ({
    first, second, simulations: 64, tally: { wins, draws, losses, pentanomial: [0, 0, 0, 0, 0] },
    distinct_games: wins + draws + losses, ends: { checkmate: wins + losses },
  });
  const matches = [match('000002', 'random', 30, 10, 0), match('000006', '000002', 28, 6, 6), match('000012', '000006', 25, 5, 10)];
  writeFileSync(join(directory, 'ladder.json'), JSON.stringify({ ratings: [], matches }));
}

/** How workers of a run are doing; the last one is hostile. */
export function makeFleet(directory) {
  const now = Math.floor(Date.now() / 1000);
  const worker = {
    name: '', trust: 'proven', here: true, last_seen: now, cores: 8, games_per_second: 3.25, spooled: 0, accepted: 12345, held: 0, withdrawn: 0,
    checks_passed: 210, checks_failed: 0, refused: {}, last_refusal: null,
  };
  const workers = [
    { ...worker, name: 'node-1' },
    { ...worker, name: 'node-2', trust: 'new', held: 64, accepted: 32, spooled: 3 << 20, refused: { late: 2, version: 1 }, last_refusal: 'late' },
    { ...worker, name: 'node-3', here: false, last_seen: now - 7300 },
    { ...worker, name: HOSTILE, trust: 'revoked', here: false, last_seen: null, accepted: 0, withdrawn: 400, checks_failed: 3,
      refused: { signature: 17, [HOSTILE]: 4 }, last_refusal: HOSTILE },
  ];
  const fleet = { version: 1, written: now, checkpoint: 12, missing: 250, held: 64, backlog: 3, local: 800, workers };
  writeFileSync(join(directory, 'fleet.json'), JSON.stringify(fleet));
}

/** The program on some runs and network files, once its page can be opened. */
export async function startServer(sources, port) {
  const server = spawn(join(built, 'garuda'), ['serve', ...sources, '--port', String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    server.on('exit', (code) => reject(new Error(`garuda serve ended with ${code}`)));
    server.stdout.on('data', (data) => {
      text += data;
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    });
  });
  const stop = () => new Promise((resolve) => {
    server.removeAllListeners('exit');
    server.on('exit', resolve);
    server.kill();
  });
  return { url, stop };
}

/** Starts the program on a run of each of some games; ends with the tests. */
export async function start(t, { runs = [], networks = [] } = {}) {
  assert.ok(chromiumPath, 'there is no chromium');
  const home = mkdtempSync(join(tmpdir(), 'garuda-web-'));
  const paths = runs.map(([rules, games], i) => {
    const path = join(home, `run${i}`);
    makeRun(path, rules, games);
    return path;
  });
  const sources = [...paths, ...networks];
  let server = await startServer(sources, 0);
  const { url } = server;
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
  t.after(async () => {
    await browser.close();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const json = async (path) => (await fetch(new URL(path, url))).json();
  /** Ends the program; what is returned starts it again at the same address. */
  const interrupt = async () => {
    await server.stop();
    return async () => { server = await startServer(sources, new URL(url).port); };
  };
  // Counts are compared once all games are in the index.
  for (let run = 0; run < paths.length; run += 1) {
    while (!(await json(`/api/r/${run}/summary`)).index.ready) await new Promise((next) => setTimeout(next, 50));
  }
  return { url, browser, json, paths, home, interrupt };
}

export const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

/** A page that notes everything that must not happen. */
export async function open(site, { size = 'desktop', colours = 'light' } = {}) {
  const context = await site.browser.newContext({
    viewport: SIZES[size], colorScheme: colours, reducedMotion: 'reduce', hasTouch: size === 'phone',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url) && !request.url().startsWith('data:')) faults.push(`request: ${request.url()}`);
  });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
    // Requests that are not answered yet: the page is complete when there are none.
    window.pendingRequests = 0;
    const { fetch } = window;
    window.fetch = (...request) => {
      window.pendingRequests += 1;
      return fetch(...request).finally(() => { window.pendingRequests -= 1; });
    };
  });
  page.setDefaultTimeout(20000);
  let visits = 0;
  /** Loads the page afresh: an address that differs behind '#' alone would not. */
  const go = async (hash) => {
    visits += 1;
    await page.goto(`${site.url}?visit=${visits}#${hash}`);
    await page.waitForSelector('h1');
  };
  /** Waits until everything that the page asked for is drawn. */
  const settled = () => page.waitForFunction(() => {
    const main = document.querySelector('main');
    const calm = window.pendingRequests === 0 && main && !main.textContent.includes('Loading…') && [...document.images].every((image) => image.complete);
    // An answer may lead to another request in the frame that draws it.
    window.calmFrames = calm ? (window.calmFrames ?? 0) + 1 : 0;
    return window.calmFrames > 3;
  });
  return { page, faults, go, settled, close: () => context.close() };
}
