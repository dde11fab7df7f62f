// The rules in short, with boards that show how each piece moves.
import { html } from '/vendor/htm-preact.js';
import { Tile } from '/board.js';
import { pieceTitle } from '/position.js';
import { useTitle } from '/parts.js';

const TEXTS = {
  makruk: [
    'The chess of Thailand, on 8 × 8 squares. White moves first; checkmate wins, stalemate is a draw.',
    'Each king stands left of the middle, seen by its owner, and the general (met) on its right. Pawns stand on the third rank and take one step; they become generals on the sixth rank.',
    'When no pawns are left the weaker side counts: with pieces left, mate must come within 64 of its moves; a bare king must be mated within 8 to 64 moves, depending on what the other side has. The number of plies is shown while it is counted.',
    'The third occurrence of a position is a draw, and so is material with which neither side can win.',
  ],
  sittuyin: [
    'The chess of Burma, as it is played online. Only pawns stand on the board at first: in turn, each side places a piece from its hand, rooks on its back rank, the others on its first three ranks.',
    'When all are placed, Red moves first. Checkmate wins, stalemate is a draw.',
    'A pawn in the far half of a long diagonal (the last pawn anywhere) may become a general, as a move of its own, while its side has none: where it stands, or one step diagonally to an empty square. The new general may attack nothing and give no check.',
    'A hundred plies without capture, pawn move or promotion are a draw, and so is the third occurrence of a position. A bare king is protected by counting.',
  ],
  'sittuyin-booklet': [
    'Sittuyin by the rules of the AncientChess booklet. Red places all its pieces first, then Black: rooks on the back rank, the others behind the pawns’ line. Black may not place a rook on the file of the red king with only pawns between them.',
    'A pawn on a promotion square may become a general there, as a move of its own, while its side has none; the new general may give check.',
    'Stalemate may not be given: such moves are not legal. Checkmate wins. There is no counting.',
  ],
  torishogi: [
    'The shogi of birds, on 7 × 7 squares. Captured pieces change sides and can be dropped on an empty square instead of a move.',
    'Swallows and falcons that reach the last two ranks become geese and eagles, always. A file takes at most two swallows of a side, and none is dropped on the last rank.',
    'Checkmate wins, and so does leaving the other side without a legal move; but mate by a dropped swallow loses.',
    'The fourth occurrence of a position loses for the side whose move brought it about; a side that gave check with every move loses first.',
  ],
  eternal: [
    'Eternal chess 永恒棋, on 8 × 9 squares with eight stones in the river. Nothing but stones ever leaves the game, and four points win.',
    'A piece that ends its move in the enemy’s zone, the four marked squares, scores a point. Before its next move the other side puts that piece back anywhere in its owner’s half.',
    'A captured piece, also one of your own, is put back at once by the side that captured it, in its owner’s half. A captured stone is gone.',
    'A piece in its own zone is a guardian: it cannot be captured, and no second piece of its side may enter the zone.',
    'The advisor moves like any rook, horse, cannon or elephant beside it. The soldier jumps over these, in any direction, as often as it can.',
    'The third occurrence of a position is a draw; after 400 turns the side with more points wins. A side that cannot move loses.',
  ],
};

export function Rules({ rules, name, characters }) {
  useTitle('Rules');
  const all = [...rules.values()];
  const game = rules.get(name) ?? all[0];
  return html`<h1>Rules of ${game.title}</h1>
    <nav class="links" aria-label="Games">${all.map((g) => html`<a href=${`#/rules/${g.rules}`}
      aria-current=${g === game ? 'page' : undefined}>${g.title}</a> `)}</nav>
    <div class="rules">
      <div><img class="start" src=${`/api/board.svg?rules=${game.rules}&coordinates=false`} alt=${`The start of ${game.title}`} /></div>
      <div class="text">${(TEXTS[game.rules] ?? []).map((text) => html`<p>${text}</p>`)}
        <p class="links"><a class="button" href=${`#/play?rules=${game.rules}`}>Play ${game.title}</a></p></div>
    </div>
    <h2>How the pieces move</h2>
    <p class="note">Filled: moves and captures. Ring: moves only. Cross: captures only. Lines go on as far as the way is free.
      ${game.rules === 'eternal' && ' A grey square is a piece that must stand there: the cannon captures beyond one, the soldier jumps it. Green squares are the neighbours that an advisor copies.'}</p>
    <ul class="piece-cards">${game.pieces.map((piece, type) => html`<li>
      <${MoveDiagram} game=${game} type=${type} characters=${characters} />
      <strong>${piece.name}</strong>${piece.native && html`<span lang=${game.language}>${piece.native}</span>`}
      <span class="muted">${piece.letter}${piece.royal ? ', must not be lost' : ''}</span></li>`)}</ul>`;
}

/** A piece in the middle of a small board with its steps. */
function MoveDiagram({ game, type, characters }) {
  const { steps } = game.pieces[type];
  const far = Math.max(2, ...steps.map((s) => Math.max(Math.abs(s.files), Math.abs(s.ranks)) * (s.reach || 1)));
  const n = steps.some((s) => s.purpose === 'over-screen') ? 3 : Math.min(3, far);
  const size = 20;
  const edge = (n + 0.5) * size;
  const lines = [];
  for (let i = 0; i <= 2 * n + 1; i += 1) {
    lines.push(`M${-edge} ${-edge + i * size}H${edge}M${-edge + i * size} ${-edge}V${edge}`);
  }
    const marks = steps.map((s) => {
    const reach = s.reach === 0 ? n : Math.min(n, s.reach);
    const at = (k) => [s.files * k * size, -s.ranks * k * size];
    const inside = (k) => Math.max(Math.abs(s.files), Math.abs(s.ranks)) * k <= n;
    if (s.purpose === 'copy') {
      const [x, y] = at(1);
      return html`<rect class="ring" x=${x - 6} y=${y - 6} width="12" height="12" />`;
    }
    if (s.purpose === 'hop') {
      const [x, y] = at(1);
      return html`<g><circle class="dot" cx=${x} cy=${y} r="4.5" /><rect class="screen" x=${x / 2 - 5} y=${y / 2 - 5} width="10" height="10" /></g>`;
    }
    if (s.purpose === 'over-screen') {
      const [bx, by] = at(2);
      const [x, y] = at(3);
      return n < 3 ? null : html`<g><rect class="screen" x=${bx - 5} y=${by - 5} width="10" height="10" /><path class="cross" d=${`M${x - 4} ${y - 4}l8 8m0 -8l-8 8`} /></g>`;
    }
    const slides = s.reach === 0;
    const name = s.purpose === 'move' ? 'ring' : 'dot';
    const dots = [];
    for (let k = 1; k <= reach && inside(k); k += 1) {
      const [x, y] = at(k);
      if (s.purpose === 'capture') dots.push(html`<path class="cross" d=${`M${x - 4} ${y - 4}l8 8m0 -8l-8 8`} />`);
      else if (!slides) dots.push(html`<circle class=${name} cx=${x} cy=${y} r="4.5" />`);
    }
    const [ex, ey] = [Math.sign(s.files) * edge, -Math.sign(s.ranks) * edge];
    return html`<g>${slides && html`<path class=${`slide ${name}`} d=${`M${ex * 0.25} ${ey * 0.25}L${ex} ${ey}`} />`}${dots}</g>`;
  });
  return html`<svg class="diagram" viewBox=${`${-edge - 1} ${-edge - 1} ${2 * edge + 2} ${2 * edge + 2}`} role="img"
    aria-label=${`How the ${pieceTitle(game, type)} moves: ${directions(steps)}`}>
    <rect class="ground" x=${-edge} y=${-edge} width=${2 * edge} height=${2 * edge} /><path class="line" d=${lines.join('')} />
    ${marks}<g transform="scale(0.42)"><${Tile} game=${game} type=${type} side=${0} characters=${characters} /></g></svg>`;
}

/** The steps of a piece in words. */
function directions(steps) {
  const words = steps.map(({ files, ranks, reach, purpose }) => {
    const part = (n, plus, minus) => (n === 0 ? '' : `${Math.abs(n) > 1 ? `${Math.abs(n)} ` : ''}${n > 0 ? plus : minus}`);
    const way = [part(ranks, 'forward', 'back'), part(files, 'right', 'left')].filter(Boolean).join(' ');
    const how = { any: '', move: ' only to move', capture: ' only to capture', 'over-screen': ' over a piece to capture', hop: ' over a piece', copy: ' as the piece there moves' };
    return `${way}${reach === 0 ? ' any number of squares' : reach > 1 ? ` up to ${reach} squares` : ''}${how[purpose]}`;
  });
  return words.join('; ');
}
