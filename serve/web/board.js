// The board: pieces as tiles that show how they move, squares that can be chosen by mouse, touch and
// keyboard, hands beside it.
import { html, useEffect, useMemo, useRef, useState } from '/vendor/htm-preact.js';
import {
  fileName, fileOf, occupantName, onlyOrigin, originOf, pieceTitle, rankName, rankOf, sideName, squareName,
} from '/position.js';

const SQUARE = 46;
const TILE = 'M0 -21.5L18.2 -16L20 20H-20L-18.2 -16Z';

/** A piece around (0, 0). The side at the top is turned by half a turn, its letter is not. */
export function Tile({ game, type, side, bottom = 0, characters = false }) {
  const piece = game.pieces[type];
  const promoted = piece.letter.startsWith('+');
  const label = characters && piece.character ? piece.character : piece.letter;
  const large = [...label].length === 1;
  const classes = `tile side${side}${promoted ? ' promoted' : ''}`;
  return html`<g class=${classes}>
    <g transform=${side === bottom ? undefined : 'rotate(180)'}>
      <path class="face" d=${TILE} />
      ${piece.discs && html`<path class="discs" d=${piece.discs} />`}
      ${piece.filled && html`<path class="filled" d=${piece.filled} />`}
      ${piece.outlined && html`<path class="outlined" d=${piece.outlined} />`}
    </g>
    <text y=${large ? 6.3 : 5} font-size=${large ? 18 : 14}>${label}</text>
  </g>`;
}

/** A piece as a picture of its own. */
export function TilePicture({ game, type, side, bottom, characters }) {
  return html`<svg class="tile-picture" viewBox="-23 -23 46 46" aria-hidden="true">
    <${Tile} ...${{ game, type, side, bottom, characters }} /></svg>`;
}

function Ground({ game, at }) {
  const { files, ranks, marks } = game;
  const corner = ([file, rank]) => at(file, rank);
  const area = (from, to, name) => {
    const [x1, y1] = corner(from);
    const [x2, y2] = corner(to);
    return html`<rect class=${name} x=${Math.min(x1, x2)} y=${Math.min(y1, y2)}
      width=${Math.abs(x1 - x2)} height=${Math.abs(y1 - y2)} />`;
  };
  const line = (from, to) => `M${corner(from).join(' ')}L${corner(to).join(' ')}`;
  let thin = '';
  for (let file = 1; file < files; file += 1) thin += line([file, 0], [file, ranks]);
  for (let rank = 1; rank < ranks; rank += 1) thin += line([0, rank], [files, rank]);
  let broad = '';
  for (const mark of marks) {
    if (mark.kind !== 'river') broad += line(mark.from, mark.to);
    if (mark.kind === 'zone') broad += line([mark.from[0], mark.to[1]], [mark.to[0], mark.from[1]]);
  }
  return html`${area([0, 0], [files, ranks], 'ground')}
    ${marks.map((mark) => mark.kind !== 'line' && area(mark.from, mark.to, mark.kind))}
    <path class="line" d=${thin} />
    ${broad && html`<path class="line broad" d=${broad} />`}
    ${area([0, 0], [files, ranks], 'frame')}`;
}

function Arrow({ from, to, weight, name }) {
  const [x1, y1] = from;
  const [x2, y2] = to;
  const length = Math.hypot(x2 - x1, y2 - y1);
  const width = 3 + 9 * weight;
  if (length < 1) return html`<circle class=${`arrow ${name}`} cx=${x1} cy=${y1} r="19" fill="none" stroke-width=${width / 2} />`;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = 8 + width;
  const [bx, by] = [x2 - dx * head, y2 - dy * head];
  const side = head * 0.55;
  const points = `${x2},${y2} ${bx - dy * side},${by + dx * side} ${bx + dy * side},${by - dx * side}`;
  return html`<g class=${`arrow ${name}`}>
    <line x1=${x1 + dx * 10} y1=${y1 + dy * 10} x2=${bx} y2=${by} stroke-width=${width} />
    <polygon points=${points} /></g>`;
}

/**
 * The board with the hands.
 * `view` is a position of the API; `onMove(move)` makes it playable for the side to move.
 * `arrows`: [{ move, weight from 0 to 1, name }].
 */
export function Board({ game, view, bottom = 0, characters = false, onMove = null, arrows = [] }) {
  const { files, ranks } = game;
  const [chosen, setChosen] = useState(null);
  const [focus, setFocus] = useState(0);
  const [drag, setDrag] = useState(null);
  const dragged = useRef(false);
  const grid = useRef(null);
  const legal = onMove ? view.legal : [];
  const forced = useMemo(() => onlyOrigin(legal), [view, !!onMove]);
  const origin = chosen ?? forced;
  useEffect(() => { setChosen(null); setDrag(null); }, [view.fen, view.moves.length, !!onMove]);

  const at = (file, rank) => (bottom === 0
    ? [SQUARE * file, SQUARE * (ranks - rank)]
    : [SQUARE * (files - file), SQUARE * rank]);
  const centre = (square) => {
    const [x, y] = at(fileOf(game, square), rankOf(game, square));
    return bottom === 0 ? [x + SQUARE / 2, y - SQUARE / 2] : [x - SQUARE / 2, y + SQUARE / 2];
  };
  const targets = new Map(legal.filter((move) => originOf(move) === origin).map((move) => [move.to, move]));
  const origins = new Set(legal.map(originOf));
  const promotes = origin?.startsWith('s') && targets.has(Number(origin.slice(1)));

  const play = (move) => { setChosen(null); setDrag(null); onMove(move); };
  const press = (key, square) => {
    if (square !== null && targets.has(square)) return play(targets.get(square));
    setChosen(origins.has(key) && key !== chosen ? key : null);
    return undefined;
  };

  // The order of the squares on the screen, row by row.
  const order = useMemo(() => {
    const all = [];
    for (let row = 0; row < ranks; row += 1) {
      for (let column = 0; column < files; column += 1) {
        const rank = bottom === 0 ? ranks - 1 - row : row;
        const file = bottom === 0 ? column : files - 1 - column;
        all.push(rank * files + file);
      }
    }
    return all;
  }, [game, bottom]);
  const onKey = (event) => {
    const place = order.indexOf(focus);
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === 'Escape') return setChosen(null);
    const step = steps[event.key];
    if (!step) return undefined;
    event.preventDefault();
    event.stopPropagation();
    const column = Math.min(files - 1, Math.max(0, (place % files) + step[0]));
    const row = Math.min(ranks - 1, Math.max(0, Math.floor(place / files) + step[1]));
    const next = order[row * files + column];
    setFocus(next);
    grid.current.querySelector(`[data-square="${next}"]`)?.focus();
    return undefined;
  };

  // Dragging: by pointer, from a square or a hand.
  const startDrag = (key, type, side) => (event) => {
    if (!origins.has(key) || event.button !== 0) return;
    const { clientX, clientY, pointerId } = event;
    const begin = { key, type, side, x: clientX, y: clientY, moving: false };
    dragged.current = false;
    const move = (e) => {
      if (e.pointerId !== pointerId) return;
      if (!begin.moving && Math.hypot(e.clientX - clientX, e.clientY - clientY) < 6) return;
      begin.moving = true;
      dragged.current = true;
      setChosen(key);
      const box = grid.current.getBoundingClientRect();
      setDrag({
        ...begin,
        at: [((e.clientX - box.left) / box.width) * files * SQUARE, ((e.clientY - box.top) / box.height) * ranks * SQUARE],
      });
    };
    const end = (e) => {
      if (e.pointerId !== pointerId) return;
      for (const [name, listener] of [['pointermove', move], ['pointerup', end], ['pointercancel', end]]) {
        window.removeEventListener(name, listener);
      }
      setDrag(null);
      if (!begin.moving || e.type === 'pointercancel') return;
      const under = document.elementFromPoint(e.clientX, e.clientY)?.closest('[data-square]');
      const square = under && grid.current.contains(under) ? Number(under.dataset.square) : null;
      const found = legal.find((m) => originOf(m) === key && m.to === square);
      if (found) play(found);
      setTimeout(() => { dragged.current = false; }, 0);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', end);
    window.addEventListener('pointercancel', end);
  };
  const click = (key, square) => (event) => {
    // The click that ends a drag; one by the keyboard (detail 0) may follow before the timer above.
    if (dragged.current && event.detail > 0) return;
    if (square !== null) setFocus(square);
    if (onMove) press(key, square);
  };

  const checked = view.check
    ? view.squares.findIndex((o) => o && o[0] >= 0 && game.pieces[o[0]].royal && o[1] === view.turn) : -1;
  const [chosenSquare, chosenHand] = origin
    ? [origin[0] === 's' ? Number(origin.slice(1)) : null, origin[0] === 'h' ? Number(origin.slice(1)) : null]
    : [null, null];
  const mark = (square, name) => {
    const [x, y] = centre(square);
    return html`<rect class=${name} x=${x - SQUARE / 2} y=${y - SQUARE / 2} width=${SQUARE} height=${SQUARE} />`;
  };
  const handPoint = (side) => [SQUARE / 2, side === bottom ? ranks * SQUARE + 4 : -4];
  const names = [];
  for (let file = 0; file < files; file += 1) {
    const [x] = centre(file);
    names.push(html`<text x=${x} y=${ranks * SQUARE + 12}>${fileName(game, file)}</text>`);
  }
  for (let rank = 0; rank < ranks; rank += 1) {
    const [, y] = centre(rank * files);
    names.push(html`<text x="-8" y=${y + 4}>${rankName(game, rank)}</text>`);
  }
  const hand = (side) => html`<${Hand} ...${{
    game, view, side, bottom, characters, chosen: chosenHand, active: onMove !== null, click, startDrag, origins,
  }} />`;
  const label = (square) => {
    const words = [squareName(game, square), occupantName(game, view.squares[square])];
    if (targets.has(square)) words.push(square === chosenSquare ? 'promote here' : 'can go here');
    return words.join(', ');
  };
  return html`<div class="board" data-turn=${view.turn} style=${{ '--files': files, '--ranks': ranks }}>
    ${hand(1 - bottom)}
    <div class="board-area">
      <svg class="board-svg" viewBox=${`-16 -2 ${files * SQUARE + 18} ${ranks * SQUARE + 18}`} aria-hidden="true">
        <${Ground} game=${game} at=${at} />
        ${view.last && view.last.from !== null && mark(view.last.from, 'last-from')}
        ${view.last && mark(view.last.to, 'last-to')}
        ${chosenSquare !== null && mark(chosenSquare, 'chosen')}
        ${view.deport !== null && mark(view.deport, 'chosen')}
        ${checked >= 0 && mark(checked, 'in-check')}
        <g class="names">${names}</g>
        <path class=${`turn side${view.turn}`} d=${`M0 ${view.turn === bottom ? ranks * SQUARE : 0}H${files * SQUARE}`} />
        ${view.squares.map((occupant, square) => {
          if (!occupant) return null;
          const [x, y] = centre(square);
          if (occupant[0] < 0) {
            return html`<g class="stone" transform=${`translate(${x} ${y})`}><circle r="16" /><path d="M-10 0a10 10 0 0 1 10 -10" /></g>`;
          }
          const faded = drag && drag.key === `s${square}`;
          return html`<g transform=${`translate(${x} ${y})`} class=${faded ? 'faded' : ''}>
            <${Tile} game=${game} type=${occupant[0]} side=${occupant[1]} bottom=${bottom} characters=${characters} /></g>`;
        })}
        ${[...targets.values()].map((move) => {
          const [x, y] = centre(move.to);
          if (move.from === move.to) return html`<g><circle class="promote-ring" cx=${x} cy=${y} r="20.5" />
            <path class="promote-mark" d=${`M${x} ${y - 21}l7 8h-14z`} /></g>`;
          return view.squares[move.to]
            ? html`<circle class="capture-mark" cx=${x} cy=${y} r="20.5" />`
            : html`<circle class="target-mark" cx=${x} cy=${y} r="7" />`;
        })}
        ${arrows.map(({ move, weight, name }) => html`<${Arrow}
          from=${move.from === null ? handPoint(view.turn) : centre(move.from)} to=${centre(move.to)} weight=${weight} name=${name} />`)}
        ${drag?.at && html`<g class="dragged" transform=${`translate(${drag.at[0]} ${drag.at[1]})`}>
          <${Tile} game=${game} type=${drag.type} side=${drag.side} bottom=${bottom} characters=${characters} /></g>`}
      </svg>
      <div class="squares" ref=${grid} role="group" aria-label=${onMove ? 'Board: arrow keys move, Enter chooses' : 'Board'}
        onKeyDown=${onKey} style=${{ gridTemplateColumns: `repeat(${files}, 1fr)`, gridTemplateRows: `repeat(${ranks}, 1fr)` }}>
        ${order.map((square) => {
          const occupant = view.squares[square];
          const type = occupant?.[0] ?? -1;
          const movable = origins.has(`s${square}`);
          return html`<button type="button" key=${square} data-square=${square} tabindex=${square === focus ? 0 : -1}
            class=${targets.has(square) || movable ? 'active' : ''} aria-label=${label(square)}
            title=${type >= 0 ? pieceTitle(game, type) : undefined}
            aria-pressed=${onMove && movable ? String(chosenSquare === square) : undefined}
            onClick=${click(`s${square}`, square)} onFocus=${() => setFocus(square)}
            onPointerDown=${onMove && movable && type >= 0 ? startDrag(`s${square}`, type, occupant[1]) : undefined}></button>`;
        })}
      </div>
    </div>
    ${hand(bottom)}
    ${promotes && html`<p class="note">Press the chosen piece again to promote it where it stands.</p>`}
  </div>`;
}

/** Pieces off the board and points of a side. */
function Hand({ game, view, side, bottom, characters, chosen, active, click, startDrag, origins }) {
  const { placeable, winning_points: winning } = game;
  if (!placeable.length && !winning) return null;
  const mine = active && view.turn === side;
  const held = view.pending
    ? (view.turn === side ? [[placeable.indexOf(view.pending[0]), 1, view.pending[1]]] : [])
    : placeable.map((type, place) => [place, view.hands[side][place], side]).filter(([, n]) => n > 0);
  return html`<div class=${`hand side${side}`} role="group" aria-label=${`${sideName(game, side)}: pieces off the board`}>
    <span class="held">
      ${held.map(([place, count, owner]) => {
        const type = placeable[place];
        const key = `h${place}`;
        const words = `${view.pending ? 'to place: ' : ''}${occupantName(game, [type, owner])}, ${count} in hand`;
        const picture = html`<${TilePicture} game=${game} type=${type} side=${owner} bottom=${bottom} characters=${characters} />
          ${count > 1 && html`<span class="count" data-count=${count}></span>`}`;
        if (!mine || !origins.has(key)) {
          return html`<span class="piece-held" role="img" aria-label=${words} title=${pieceTitle(game, type)}>${picture}</span>`;
        }
        return html`<button type="button" class="piece-held" data-hand=${place} aria-label=${words} title=${pieceTitle(game, type)}
          aria-pressed=${String(chosen === place)} onClick=${click(key, null)} onPointerDown=${startDrag(key, type, owner)}>${picture}</button>`;
      })}
      ${view.pending && !view.outcome && view.turn === side && html`<span class="note">to be put back on the board</span>`}
      ${view.deport !== null && !view.outcome && view.turn === side && html`<span class="note">put the scoring piece back first</span>`}
    </span>
    ${winning > 0 && html`<span class="points" role="img" aria-label=${`${view.points[side]} of ${winning} points`}>
      ${Array.from({ length: winning }, (_, i) => html`<span class=${i < view.points[side] ? 'point full' : 'point'}></span>`)}
    </span>`}
  </div>`;
}
