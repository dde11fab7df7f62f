// Whole games, played by mouse and keyboard.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { open, shot, start } from './browser.js';

/** What the page says of the ends that these games can come to. */
const REASONS = {
  checkmate: 'checkmate', stalemate: 'stalemate', repetition: 'repetition', 'perpetual-check': 'perpetual check', points: 'points',
  'board-honour': 'board’s honour counting', 'pieces-honour': 'pieces’ honour counting', 'move-rule': 'the move rule', material: 'too little material',
};

/** The game that the page shows, as the address tells it. */
const shown = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split('?')[1])));

/** Waits until it is the player's turn or the game is over, with more moves than there were; returns the position. */
async function ready(site, page, before = -1) {
  for (;;) {
    const found = await page.waitForFunction((played) => {
      const game = Object.fromEntries(new URLSearchParams(location.hash.split('?')[1]));
      const moves = (game.moves ?? '').split(' ').filter(Boolean);
      const status = document.querySelector('.status')?.textContent ?? '';
      const mine = document.querySelector('.squares button.active, button.piece-held');
      return moves.length > played && (document.querySelector('.status.over') || (mine && !status.includes('thinking'))) && game;
    }, before);
    const game = await found.jsonValue();
    const query = new URLSearchParams({ rules: game.rules, start: game.start ?? '', moves: game.moves ?? '' });
    const position = await site.json(`/api/position?${query}`);
    // The address changes before the board does: it may tell of a move whose answer is still to come.
    if (position.outcome || String(position.turn) === (game.side ?? '0')) return position;
    await page.waitForTimeout(20);
  }
}

/** Selectors of where a move starts and ends. */
const from = (move) => (move.from === null ? `button[data-hand="${move.hand}"]` : `[data-square="${move.from}"]`);
const to = (move) => `[data-square="${move.to}"]`;

/** The middle of what some selectors name, on the screen. */
const middles = (page, ...selectors) => page.evaluate((all) => {
  const found = all.map((selector) => document.querySelector(selector));
  for (const element of found) element.scrollIntoView({ block: 'nearest' });
  return found.map((element) => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  });
}, selectors);

/** Whether all moves start at one place, which is chosen already. */
const isForced = (position) => new Set(position.legal.map((m) => m.from ?? `h${m.hand}`)).size === 1;

async function byMouse(page, move, position) {
  const [a, b] = await middles(page, from(move), to(move));
  if (!isForced(position)) {
    await page.mouse.click(...a);
    // Everything that the piece can do is shown, and nothing else.
    const targets = new Set(position.legal.filter((m) => from(m) === from(move)).map((m) => m.to));
    await page.waitForFunction((n) => document.querySelectorAll('.target-mark, .capture-mark, .promote-mark').length === n, targets.size);
  }
  await page.mouse.click(...b);
}

async function byDragging(page, move) {
  const [a, b] = await middles(page, from(move), to(move));
  await page.mouse.move(...a);
  await page.mouse.down();
  await page.mouse.move(a[0] + 12, a[1] + 12);
  await page.mouse.move(...b, { steps: 2 });
  await page.mouse.up();
}

/** Presses the Tab key, forwards or backwards, until what a selector names has the focus. */
async function tabTo(page, selector) {
  for (let presses = 0; presses < 60; presses += 1) {
    const way = await page.evaluate((wanted) => {
      const { activeElement: active } = document;
      if (active.matches(wanted)) return 0;
      return active.compareDocumentPosition(document.querySelector(wanted)) & Node.DOCUMENT_POSITION_PRECEDING ? -1 : 1;
    }, selector);
    if (way === 0) return;
    await page.keyboard.press(way > 0 ? 'Tab' : 'Shift+Tab');
  }
  assert.fail(`${selector} is not reached by the Tab key`);
}

/** By the keyboard alone: the squares have one stop of the Tab key, arrows go on from there. */
async function byKeyboard(page, move, position) {
  const go = async (target) => {
    const [columns, rows] = await page.evaluate((goal) => {
      const order = [...document.querySelectorAll('.squares button')].map((b) => Number(b.dataset.square));
      const files = Number(document.querySelector('.board').style.getPropertyValue('--files'));
      const [at, end] = [order.indexOf(Number(document.activeElement.dataset.square)), order.indexOf(goal)];
      return [(end % files) - (at % files), Math.floor(end / files) - Math.floor(at / files)];
    }, target);
    for (let i = 0; i < Math.abs(columns); i += 1) await page.keyboard.press(columns > 0 ? 'ArrowRight' : 'ArrowLeft');
    for (let i = 0; i < Math.abs(rows); i += 1) await page.keyboard.press(rows > 0 ? 'ArrowDown' : 'ArrowUp');
    await page.keyboard.press('Enter');
  };
  const forced = isForced(position);
  if (move.from === null && !forced) {
    await tabTo(page, from(move));
    await page.keyboard.press('Enter');
  }
  await tabTo(page, '.squares button[tabindex="0"]');
  if (move.from !== null && !forced) await go(move.from);
  await go(move.to);
}

/** No square that is not a target takes the piece. */
async function illegal(page, position, move) {
  if (move.from === null || isForced(position)) return;
  const targets = new Set(position.legal.filter((m) => m.from === move.from).map((m) => m.to));
  const other = position.squares.findIndex((_, n) => !targets.has(n) && n !== move.from && !position.legal.some((m) => m.from === n));
  if (other < 0) return;
  const wrong = { from: move.from, to: other };
  const before = await shown(page);
  for (const point of await middles(page, from(wrong), to(wrong))) await page.mouse.click(...point);
  assert.equal((await shown(page)).moves, before.moves);
  await byDragging(page, wrong);
  assert.equal((await shown(page)).moves, before.moves);
  // The dragged piece is still chosen.
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('.chosen'));
}

test('whole games', { timeout: 900000, concurrency: 2 }, async (t) => {
  const site = await start(t);
  const tests = [];
  for (const [i, rules] of ['makruk', 'sittuyin', 'sittuyin-booklet', 'torishogi', 'eternal'].entries()) {
    tests.push(t.test(rules, async () => {
      const { page, faults, go, close } = await open(site, { size: i % 2 ? 'phone' : 'desktop' });
      await go(`/play?rules=${rules}&player=random&level=1&seed=${11 + i}&side=${i % 2}`);
      let moves = 0;
      let position = await ready(site, page);
      while (!position.outcome) {
        // The test plays well, so that the game ends soon.
        const query = new URLSearchParams({ rules, moves: position.moves.join(' '), player: 'alphabeta', level: 7, seed: 5 });
        const { move } = await site.json(`/api/move?${query}`);
        if (moves % 7 === 3) await illegal(page, position, move);
        const ways = [byMouse, byDragging, byKeyboard];
        const way = move.from === move.to ? byMouse : ways[moves % 3];
        await way(page, move, position);
        position = await ready(site, page, position.moves.length);
        moves += 1;
        if ([3, 24].includes(moves)) await shot(page, `game-${rules}-${moves}`);
        assert.ok(moves < 400, 'the game does not end');
      }
      const over = await page.locator('.status.over').textContent();
      const { outcome } = position;
      const { sides } = (await site.json('/api/rules')).find((game) => game.rules === rules);
      const result = outcome.winner === null ? 'Draw' : `${sides[outcome.winner]} wins`;
      assert.ok(outcome.termination in REASONS, outcome.termination);
      assert.ok(over.includes(`${result} by ${REASONS[outcome.termination]}`), over);
      assert.equal(await page.locator('.squares button.active, button.piece-held').count(), 0);
      await shot(page, `end-${rules}`);
      assert.deepEqual(faults, []);
      t.diagnostic(`${rules}: ${moves} moves of the player, ${over.trim()}`);
      await close();
    }));
  }

  tests.push(t.test('take-back, side, start, evaluation and hints', async () => {
    const { page, faults, go, close } = await open(site);
    await go('/play?rules=torishogi&player=alphabeta&level=1&seed=2');
    let position = await ready(site, page);
    // Squares are named as moves are written.
    const label = await page.locator(to(position.legal[0])).getAttribute('aria-label');
    assert.ok(position.legal[0].display.includes(label.split(',')[0]), `${label}: ${position.legal[0].display}`);
    await byMouse(page, position.legal[0], position);
    position = await ready(site, page, 1);
    assert.equal(position.moves.length, 2);
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.waitForFunction(() => !new URLSearchParams(location.hash.split('?')[1]).get('moves'));
    assert.equal((await ready(site, page)).moves.length, 0);
    await page.getByRole('button', { name: 'Hints' }).click();
    await page.waitForSelector('table.best tbody tr:nth-child(3)');
    assert.equal(await page.locator('.arrow').count(), 3);
    await page.locator('[role="meter"]').waitFor();
    await shot(page, 'hints');
    await page.getByLabel('You play').selectOption('1');
    position = await ready(site, page);
    assert.equal(position.moves.length, 1);
    assert.equal(await page.locator('.squares button').first().getAttribute('data-square'), '6');
    await page.getByLabel('You play').selectOption('0');
    await page.getByLabel('Start').selectOption('falcon');
    position = await ready(site, page);
    assert.equal((await shown(page)).start, 'falcon');
    await page.getByLabel('Start').selectOption('fen');
    await page.getByRole('textbox', { name: 'FEN' }).fill('nonsense');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'FEN' }).fill('3k3/7/7/7/7/3S3/3K3[] w - - 0 1');
    faults.length = 0; // The refusal of the nonsense is in the console.
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.board .tile').length === 3);
    await page.getByLabel('Characters on pieces').check();
    await page.waitForFunction(() => document.querySelector('.board-svg').textContent.includes('鵬'));
    assert.deepEqual(faults, []);
    await close();
  }));
  await Promise.all(tests);
});

// What the check `onnx` exports.
const network = join(dirname(fileURLToPath(import.meta.url)), '../../target/exports/torishogi.onnx');
const missing = !existsSync(network) && 'there is no target/exports/torishogi.onnx';

test('against a network', { timeout: 120000, skip: missing }, async (t) => {
  const site = await start(t, { networks: [network] });
  const { players } = await site.json('/api/players');
  assert.equal(players[0].id, 'file:0');
  const { page, faults, go, close } = await open(site);
  await go('/play?rules=torishogi&player=file:0&level=5&seed=4');
  for (let moves = 0; moves < 4; moves += 2) {
    const position = await ready(site, page);
    assert.equal(position.moves.length, moves);
    await byMouse(page, position.legal[moves], position);
    await page.waitForFunction((n) => new URLSearchParams(location.hash.split('?')[1]).get('moves')?.split(' ').length > n, moves + 1);
  }
  await ready(site, page);
  await page.getByRole('button', { name: 'Evaluation' }).click();
  await page.getByText('Best moves by the network').waitFor();
  assert.deepEqual(faults, []);
  await close();
});
