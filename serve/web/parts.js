// Small parts that several pages use.
import { html, useEffect, useRef, useState } from '/vendor/htm-preact.js';
import { isAbort } from '/api.js';

/** Loads something again whenever `key` changes; the old data stays until the new is there. */
export function useLoaded(load, key) {
  const [state, setState] = useState({ data: null, error: null, loading: true });
  useEffect(() => {
    const controller = new AbortController();
    setState((old) => ({ ...old, loading: true }));
    load(controller.signal).then(
      (data) => setState({ data, error: null, loading: false }),
      (error) => {
        if (!isAbort(error)) setState((old) => ({ data: old.data, error, loading: false }));
      },
    );
    return () => controller.abort();
  }, [key]);
  return state;
}

export function useTitle(title) {
  useEffect(() => {
    document.title = `${title} · Garuda`;
  }, [title]);
}

/** Calls `handler` for keys pressed outside of fields. */
export function useKeys(handler) {
  const current = useRef(handler);
  current.current = handler;
  useEffect(() => {
    const listen = (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.target.closest?.('input, select, textarea, .squares, .uplot')) return;
      current.current(event);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

export function Problem({ error }) {
  if (!error) return null;
  return html`<p class="problem" role="alert">${error.message ?? String(error)}</p>`;
}

export function Problems({ list }) {
  if (!list?.length) return null;
  return html`<div class="problem" role="status">
    <p>Some of the run is damaged; the rest is shown.</p>
    <ul>${list.map((text) => html`<li>${text}</li>`)}</ul>
  </div>`;
}

export function IndexNote({ index }) {
  if (!index) return null;
  const damage = [...(index.problem ? [index.problem] : []), ...index.damaged];
  return html`<${Problems} list=${damage} />
    ${index.files_done < index.files || !index.ready ? html`<p class="note" role="status">
      Indexing games: ${index.files_done} of ${index.files} record files.</p>` : null}`;
}

const percent = (part, whole) => `${Math.round((100 * part) / whole)} %`;

/** Wins of both sides and draws, told by length and by text. */
export function ResultBar({ white, draws, black, names }) {
  const total = white + draws + black;
  if (!total) return html`<span class="muted">–</span>`;
  const parts = [[white, 'bar-white', names[0]], [draws, 'bar-draw', 'draws'], [black, 'bar-black', names[1]]];
  const label = `${names[0]} ${percent(white, total)}, draws ${percent(draws, total)}, ${names[1]} ${percent(black, total)}`;
  return html`<span class="bar" role="img" aria-label=${label} title=${label}>
    ${parts.map(([n, name]) => n > 0 && html`<span class=${name} style=${{ flexGrow: n }}>
      <span>${n / total >= 0.18 ? percent(n, total) : ''}</span></span>`)}
  </span>`;
}

/** A command that can be copied. */
export function Command({ text }) {
  const [copied, setCopied] = useState(false);
  const field = useRef(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      field.current.select();
      document.execCommand('copy');
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return html`<div class="command">
    <input ref=${field} readonly value=${text} aria-label="Command" onFocus=${(e) => e.target.select()} />
    <button type="button" onClick=${copy}>${copied ? 'Copied' : 'Copy'}</button>
  </div>`;
}

export const number = (n) => (n ?? 0).toLocaleString('en');
export const signed = (n, digits = 2) => (n >= 0 ? '+' : '−') + Math.abs(n).toFixed(digits);
export const percentOf = (n, digits = 1) => `${(100 * n).toFixed(digits)} %`;

/** A choice that the browser remembers. */
export function useStored(name, initial) {
  const [value, setValue] = useState(() => {
    try {
      return JSON.parse(localStorage.getItem(name)) ?? initial;
    } catch {
      return initial;
    }
  });
  const store = (next) => {
    setValue(next);
    try {
      localStorage.setItem(name, JSON.stringify(next));
    } catch { /* private windows may refuse */ }
  };
  return [value, store];
}
