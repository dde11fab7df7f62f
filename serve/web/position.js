// Squares, pieces and sides in words.

export const fileOf = (game, square) => square % game.files;
export const rankOf = (game, square) => Math.floor(square / game.files);

/** Files and ranks as the moves of the game are written: in Tori Shogi numbers, from the right and from the top. */
export const fileName = (game, file) => (game.shogi_squares ? String(game.files - file) : String.fromCharCode(97 + file));
export const rankName = (game, rank) => String(game.shogi_squares ? game.ranks - rank : rank + 1);
export const squareName = (game, square) => fileName(game, fileOf(game, square)) + rankName(game, rankOf(game, square));

export const sideName = (game, side) => game.sides[side];

/** What stands on a square, in words. */
export function occupantName(game, occupant) {
  if (!occupant) return 'empty';
  const [type, side] = occupant;
  if (type < 0) return 'stone';
  return `${sideName(game, side)} ${game.pieces[type].name}`;
}

/** A name with the one that players of the game use. */
export function pieceTitle(game, type) {
  const piece = game.pieces[type];
  return piece.native ? `${piece.name}, ${piece.native}` : piece.name;
}

const ENDS = {
  'checkmate': 'checkmate', 'stalemate': 'stalemate', 'repetition': 'repetition',
  'perpetual-check': 'perpetual check', 'swallow-drop-mate': 'mate by a dropped swallow, which loses',
  'board-honour': 'board’s honour counting', 'pieces-honour': 'pieces’ honour counting',
  'move-rule': 'the move rule', 'promotion-only': 'only a promotion being possible',
  'material': 'too little material', 'points': 'points', 'length-limit': 'the length limit',
};
export const endName = (termination) => ENDS[termination] ?? termination;

export function outcomeText(game, outcome) {
  const by = endName(outcome.termination);
  if (outcome.winner === null) return `Draw by ${by}`;
  return `${sideName(game, outcome.winner)} wins by ${by}`;
}

/** Where the moves of a position start: `s` and a square, or `h` and a place in the hand. */
export const originOf = (move) => (move.from === null ? `h${move.hand}` : `s${move.from}`);

/** The origin that all moves share, if they do: a piece that must be placed or put elsewhere. */
export function onlyOrigin(legal) {
  const origins = new Set(legal.map(originOf));
  return origins.size === 1 ? [...origins][0] : null;
}

/** Moves in rows of one number each: a turn may be several decisions, the sides need not alternate. */
export function moveRows(moves, movers) {
  const rows = [];
  moves.forEach((text, i) => {
    const side = movers[i];
    let row = rows[rows.length - 1];
    if (!row || (side === 0 && movers[i - 1] === 1) || rows.length === 0) {
      row = { number: rows.length + 1, cells: [[], []] };
      rows.push(row);
    }
    row.cells[side].push({ text, ply: i + 1 });
  });
  return rows;
}
