// The program, a run to show and a browser, for the tests.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const built = join(root, 'target/debug');
export const chromiumPath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  .find((path) => path && existsSync(path));

/** What a run writes besides games, with text that a page must not interpret. */
export const HOSTILE = '<img src=x onerror="document.title=1"> & "quotes"';

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

/** Starts the program on a run of each of some games; ends with the tests. */
export async function start(t, { runs = [], networks = [] } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'garuda-web-'));
  const paths = runs.map(([rules, games], i) => {
    const path = join(home, `run${i}`);
    makeRun(path, rules, games);
    return path;
  });
  const server = spawn(join(built, 'garuda'), ['serve', ...paths, ...networks, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    server.on('exit', (code) => reject(new Error(`garuda serve ended with ${code}`)));
    server.stdout.on('data', (data) => {
      text += data;
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    });
  });
  const profile = join(home, 'browser');
  mkdirSync(profile);
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
  t.after(async () => {
    await browser.close();
    server.removeAllListeners('exit');
    server.kill();
    rmSync(home, { recursive: true, force: true });
  });
  const json = async (path) => {
    const response = await fetch(new URL(path, url));
    return response.json();
  };
  // Counts are compared once all games are in the index.
  for (let run = 0; run < paths.length; run += 1) {
    while (!(await json(`/api/r/${run}/summary`)).index.ready) await new Promise((next) => setTimeout(next, 100));
  }
  return { url, browser, json, paths, home };
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
  });
  page.setDefaultTimeout(20000);
  const go = async (hash) => {
    await page.goto(`${site.url}#${hash}`);
    await page.reload();
    await page.waitForSelector('h1');
  };
  return { page, faults, go, close: () => context.close() };
}
