// Whole games, played by mouse and keyboard.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { open, start } from './browser.js';

const shots = process.env.SCREENSHOTS;
if (shots && !existsSync(shots)) mkdirSync(shots, { recursive: true });

/** The game that the page shows, as the address tells it. */
const shown = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split('?')[1])));

/** Waits until it is the player's turn or the game is over; returns the position. */
async function ready(site, page) {
  for (;;) {
    await page.waitForFunction(() => {
      const status = document.querySelector('.status')?.textContent ?? '';
      const mine = document.querySelector('.squares button.active, button.piece-held');
      return document.querySelector('.status.over') || (mine && !status.includes('thinking'));
    });
    const game = await shown(page);
    const query = new URLSearchParams({ rules: game.rules, start: game.start ?? '', moves: game.moves ?? '' });
    const position = await site.json(`/api/position?${query}`);
    // The address changes before the board does: it may tell of a move whose answer is still to come.
    if (position.outcome || String(position.turn) === (game.side ?? '0')) return position;
    await page.waitForTimeout(20);
  }
}

const square = (page, n) => page.locator(`[data-square="${n}"]`);

async function byMouse(page, move, position) {
  const one = new Set(position.legal.map((m) => m.from ?? `h${m.hand}`)).size === 1;
  if (!one) await (move.from === null ? page.locator(`button[data-hand="${move.hand}"]`) : square(page, move.from)).click();
  await square(page, move.to).click();
}

async function byDragging(page, move) {
  const from = move.from === null ? page.locator(`button[data-hand="${move.hand}"]`) : square(page, move.from);
  const [a, b] = [await from.boundingBox(), await square(page, move.to).boundingBox()];
  await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
  await page.mouse.down();
  await page.mouse.move(a.x + a.width / 2 + 12, a.y + a.height / 2 + 12);
  await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 3 });
  await page.mouse.up();
}

/** By the keyboard alone: the squares have one stop of the Tab key, arrows go on from there. */
async function byKeyboard(page, move, position) {
  const one = new Set(position.legal.map((m) => m.from ?? `h${m.hand}`)).size === 1;
  const to = async (target) => {
    const order = await page.locator('.squares button').evaluateAll((all) => all.map((b) => Number(b.dataset.square)));
    const files = await page.evaluate(() => Number(document.querySelector('.board').style.getPropertyValue('--files')));
    const now = await page.evaluate(() => Number(document.activeElement.dataset.square));
    const [at, goal] = [order.indexOf(now), order.indexOf(target)];
    const [columns, rows] = [(goal % files) - (at % files), Math.floor(goal / files) - Math.floor(at / files)];
    for (let i = 0; i < Math.abs(columns); i += 1) await page.keyboard.press(columns > 0 ? 'ArrowRight' : 'ArrowLeft');
    for (let i = 0; i < Math.abs(rows); i += 1) await page.keyboard.press(rows > 0 ? 'ArrowDown' : 'ArrowUp');
    await page.keyboard.press('Enter');
  };
  if (move.from === null && !one) {
    await page.locator(`button[data-hand="${move.hand}"]`).focus();
    await page.keyboard.press('Enter');
  }
  await page.locator('.squares button[tabindex="0"]').focus();
  if (move.from !== null && !one) await to(move.from);
  await to(move.to);
}

/** No square that is not a target takes the piece. */
async function illegal(page, position, move) {
  if (move.from === null) return;
  const targets = new Set(position.legal.filter((m) => m.from === move.from).map((m) => m.to));
  const others = position.squares.findIndex((_, n) => !targets.has(n) && n !== move.from && !position.legal.some((m) => m.from === n));
  if (others < 0) return;
  const before = await shown(page);
  await square(page, move.from).click();
  await square(page, others).click();
  assert.equal((await shown(page)).moves, before.moves);
}

test('whole games', { timeout: 900000 }, async (t) => {
  const site = await start(t);
  for (const [i, rules] of ['makruk', 'sittuyin', 'sittuyin-booklet', 'torishogi', 'eternal'].entries()) {
    await t.test(rules, async () => {
      const { page, faults, go, close } = await open(site, { size: i % 2 ? 'phone' : 'desktop' });
      await go(`/play?rules=${rules}&player=random&level=1&seed=${11 + i}&side=${i % 2}`);
      let moves = 0;
      for (;;) {
        const position = await ready(site, page);
        if (position.outcome) break;
        // The test plays well, so that the game ends soon.
        const query = new URLSearchParams({ rules, moves: position.moves.join(' '), player: 'alphabeta', level: 7, seed: 5 });
        const { move } = await site.json(`/api/move?${query}`);
        const marks = await page.locator('.target-mark, .capture-mark, .promote-mark').count();
        if (moves % 7 === 3 && !marks) await illegal(page, position, move);
        const ways = [byMouse, byDragging, byKeyboard];
        const way = move.from === move.to ? byMouse : ways[moves % 3];
        await way(page, move, position);
        await page.waitForFunction((n) => new URLSearchParams(location.hash.split('?')[1]).get('moves')?.split(' ').length > n, position.moves.length);
        moves += 1;
        if (shots && [3, 24].includes(moves)) await page.screenshot({ path: join(shots, `game-${rules}-${moves}.png`), fullPage: true });
        assert.ok(moves < 400, 'the game does not end');
      }
      const over = await page.locator('.status.over').textContent();
      const { outcome } = await ready(site, page);
      assert.match(over, outcome.winner === null ? /Draw by / : / wins by /);
      if (shots) await page.screenshot({ path: join(shots, `end-${rules}.png`), fullPage: true });
      assert.deepEqual(faults, []);
      t.diagnostic(`${rules}: ${moves} moves of the player, ${over.trim()}`);
      await close();
    });
  }

  await t.test('take-back, side, start, evaluation and hints', async () => {
    const { page, faults, go, close } = await open(site);
    await go('/play?rules=torishogi&player=alphabeta&level=1&seed=2');
    let position = await ready(site, page);
    await byMouse(page, position.legal[0], position);
    position = await ready(site, page);
    assert.equal(position.moves.length, 2);
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.waitForFunction(() => !new URLSearchParams(location.hash.split('?')[1]).get('moves'));
    assert.equal((await ready(site, page)).moves.length, 0);
    await page.getByRole('button', { name: 'Hints' }).click();
    await page.waitForSelector('table.best tbody tr:nth-child(3)');
    assert.equal(await page.locator('.arrow').count(), 3);
    await page.locator('[role="meter"]').waitFor();
    if (shots) await page.screenshot({ path: join(shots, 'hints.png'), fullPage: true });
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
  });
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
