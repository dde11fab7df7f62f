// Every page, on phone and desktop, light and dark.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, readdirSync, mkdirSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { HOSTILE, SIZES, open, start } from './browser.js';

const here = dirname(fileURLToPath(import.meta.url));
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const shots = process.env.SCREENSHOTS;
if (shots && !existsSync(shots)) mkdirSync(shots, { recursive: true });

test('pages', { timeout: 600000 }, async (t) => {
  const site = await start(t, { runs: [['torishogi', 400], ['eternal', 60]] });
  const { games } = await site.json('/api/r/0/games');
  const { checkpoint, number } = games[3];
  const pages = {
    home: '/', play: '/play?rules=torishogi', makruk: '/play?rules=makruk', sittuyin: '/play?rules=sittuyin',
    'sittuyin-booklet': '/play?rules=sittuyin-booklet&side=1', eternal: '/play?rules=eternal', rules: '/rules/eternal', 'rules-tori': '/rules/torishogi',
    dashboard: '/run/0', explorer: '/run/0/explorer', 'explorer-eternal': '/run/1/explorer', games: '/run/0/games', game: `/run/0/game/${checkpoint}/${number}?ply=12`,
    live: '/run/0/live',
  };
  for (const size of Object.keys(SIZES)) {
    for (const colours of ['light', 'dark']) {
      await t.test(`${size}, ${colours}`, async () => {
        const { page, faults, go, close } = await open(site, { size, colours });
        for (const [name, hash] of Object.entries(pages)) {
          await go(hash);
          await page.waitForLoadState('networkidle').catch(() => {});
          await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Loading…'));
          if (shots) await page.screenshot({ path: join(shots, `${name}-${size}-${colours}.png`), fullPage: true });
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the screen`);
          await page.evaluate(axeSource);
          const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
          const named = violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html + n.failureSummary).join(' | ')}`);
          assert.deepEqual(named, [], name);
          assert.deepEqual(faults, [], name);
        }
        await close();
      });
    }
  }

  await t.test('the dashboard follows the run, and text stays text', async () => {
    const { page, faults, go, close } = await open(site);
    await go('/run/0');
    await page.getByText(HOSTILE).waitFor();
    await page.getByText('Following the run.').waitFor();
    const event = { event: 'warning', checkpoint: 13, what: 'a new warning' };
    appendFileSync(join(site.paths[0], 'metrics.jsonl'), `${JSON.stringify(event)}\n`);
    await page.getByText('Checkpoint 13: a new warning').waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  await t.test('the explorer by mouse and keyboard', async () => {
    const { page, faults, go, close } = await open(site);
    await go('/run/0/explorer');
    const told = await site.json('/api/r/0/explorer');
    await page.waitForSelector('table.moves tbody tr');
    const rows = await page.locator('table.moves tbody tr').evaluateAll((all) => all.map((row) => [
      row.cells[0].textContent.trim(), Number(row.cells[1].textContent.replaceAll(',', ''))]));
    assert.deepEqual(rows, told.moves.map((m) => [m.move.display, m.white + m.draws + m.black]));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((uci) => location.hash.includes(`moves=${uci}`), told.moves[1].move.uci);
    const next = await site.json(`/api/r/0/explorer?moves=${told.moves[1].move.uci}`);
    await page.waitForFunction((text) => document.querySelector('.status').textContent.includes(text), `${next.total} games`);
    const before = page.url();
    await page.reload();
    await page.waitForFunction((text) => document.querySelector('.status')?.textContent.includes(text), `${next.total} games`);
    assert.equal(page.url(), before);
    await page.locator('table.moves tbody button').first().click();
    await page.waitForFunction(() => decodeURIComponent(location.hash).match(/moves=\S+[ +]\S+/));
    await page.getByRole('button', { name: 'Copy' }).click();
    const command = await page.getByLabel('Command').inputValue();
    assert.match(command, /garuda openings \S+ --from/);
    await page.keyboard.press('Escape');
    await page.locator('h1').click();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((text) => document.querySelector('.status')?.textContent.includes(text), `${told.total} games`);
    assert.deepEqual(faults, []);
    await close();
  });

  await t.test('a game is replayed', async () => {
    const { page, faults, go, close } = await open(site);
    await go('/run/0/games');
    await page.getByRole('link', { name: `checkpoint ${checkpoint}, game ${number}`, exact: true }).click();
    await page.waitForSelector('.curve');
    const { decisions } = await site.json(`/api/r/0/game/${checkpoint}/${number}`);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((n) => document.querySelector('.status').textContent.includes(`Ply 2 of ${n}.`), decisions.length);
    await page.keyboard.press('End');
    await page.waitForFunction((n) => document.querySelector('.status').textContent.includes(`Ply ${n} of ${n}.`), decisions.length);
    assert.equal(await page.locator('.move-list [aria-current]').textContent(), decisions.at(-1).display);
    assert.deepEqual(faults, []);
    await close();
  });
});

test('the page is light', () => {
  const web = join(here, '../web');
  const files = readdirSync(web, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(file.parentPath ?? file.path, file.name))).length, 0);
  assert.ok(bytes < 250000, `${bytes} bytes compressed`);
});
