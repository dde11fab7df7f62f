// The page: navigation by the part of the address behind '#'.
import { html, render, useEffect, useRef, useState } from '/vendor/htm-preact.js';
import { get, loadRules } from '/api.js';
import { Problem, useLoaded, useStored, useTitle } from '/parts.js';
import { Dashboard } from '/dashboard.js';
import { Explorer } from '/explorer.js';
import { Fleet } from '/fleet.js';
import { GamePage, GamesPage } from '/games.js';
import { Live } from '/live.js';
import { Play } from '/play.js';
import { Rules } from '/rules.js';

/** The address behind '#': path parts and parameters. */
function route() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  return { parts: path.split('/').filter(Boolean), params: new URLSearchParams(query ?? '') };
}

function useRoute() {
  const [current, setCurrent] = useState(route);
  useEffect(() => {
    const listen = () => setCurrent(route());
    window.addEventListener('hashchange', listen);
    return () => window.removeEventListener('hashchange', listen);
  }, []);
  return current;
}

function App() {
  const { parts, params } = useRoute();
  const [theme, setTheme] = useStored('theme', 'auto');
  const [characters, setCharacters] = useStored('characters', false);
  const main = useRef(null);
  const page = parts.slice(0, 3).join('/');
  // Runs change while the page is open: a checkpoint, a fleet.
  const { data, error } = useLoaded((signal) => Promise.all([loadRules(), get('/api/runs', {}, signal)]), page);
  useEffect(() => { document.documentElement.dataset.theme = theme; }, [theme]);
  const seen = useRef(page);
  useEffect(() => {
    // A new page is read from its beginning.
    if (seen.current !== page) main.current?.focus();
    seen.current = page;
  }, [page]);
  if (!data) {
    return html`<main>${error ? html`<${Problem} error=${error} />` : html`<p class="note">Loading…</p>`}</main>`;
  }
  const [rules, { runs, version }] = data;
  const run = parts[0] === 'run' ? runs.find((r) => String(r.run) === parts[1]) : null;
  const game = run && rules.get(run.rules);
  const shared = { rules, runs, run, game, params, characters };
  let content;
  if (parts[0] === 'play') content = html`<${Play} ...${shared} />`;
  else if (parts[0] === 'rules') content = html`<${Rules} ...${shared} name=${parts[1]} />`;
  else if (run?.problem) content = html`<${Problem} error=${run.problem} />`;
  else if (run && parts[2] === 'explorer') content = html`<${Explorer} key=${run.run} ...${shared} />`;
  else if (run && parts[2] === 'live') content = html`<${Live} key=${run.run} ...${shared} />`;
  else if (run && parts[2] === 'fleet') content = html`<${Fleet} key=${run.run} ...${shared} />`;
  else if (run && parts[2] === 'games') content = html`<${GamesPage} key=${run.run} ...${shared} />`;
  else if (run && parts[2] === 'game') content = html`<${GamePage} key=${parts.join('/')} ...${shared} checkpoint=${parts[3]} number=${parts[4]} />`;
  else if (run) content = html`<${Dashboard} key=${run.run} ...${shared} />`;
  else content = html`<${Home} ...${shared} />`;
  const link = (href, text, current) => html`<a href=${href} aria-current=${current ? 'page' : undefined}>${text}</a>`;
  return html`
    <a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); main.current.focus(); }}>Skip to the content</a>
    <header class="top">
      <a class="brand" href="#/"><img src="/icon.svg" alt="" width="26" height="26" />Garuda</a>
      <nav aria-label="Pages">
        ${link('#/play', 'Play', parts[0] === 'play')}
        ${link('#/rules', 'Rules', parts[0] === 'rules')}
        ${runs.length === 1 && link('#/run/0', 'Run', run && !parts[2])}
        ${run && runs.length > 1 && link(`#/run/${run.run}`, 'Run', !parts[2])}
        ${run && link(`#/run/${run.run}/explorer`, 'Explorer', parts[2] === 'explorer')}
        ${run && link(`#/run/${run.run}/games`, 'Games', ['games', 'game'].includes(parts[2]))}
        ${run && link(`#/run/${run.run}/live`, 'Live', parts[2] === 'live')}
        ${run?.fleet && link(`#/run/${run.run}/fleet`, 'Fleet', parts[2] === 'fleet')}
      </nav>
      <div class="switches">
        <label title="Characters on the pieces of Tori Shogi and Eternal chess"><input type="checkbox" checked=${characters}
          onChange=${(e) => setCharacters(e.target.checked)} /> Characters<span class="sr"> on pieces</span></label>
        <label><span class="sr">Colours</span><select value=${theme} onChange=${(e) => setTheme(e.target.value)}>
          <option value="auto">Auto</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
      </div>
    </header>
    <main id="main" tabindex="-1" ref=${main}>${content}</main>
    <footer>Garuda ${version} · <a href="/vendor/LICENSES.txt">licences of the libraries on this page</a></footer>`;
}

function Home({ rules, runs }) {
  useTitle('Start');
  return html`<h1>Garuda</h1>
    ${runs.length > 0 && html`<section><h2>Runs</h2><ul class="cards">
      ${runs.map((run) => html`<li><a class="card" href=${`#/run/${run.run}`}>
        <strong>${run.name}</strong>
        <span>${run.problem ?? `${run.title}, ${run.training ? 'training' : 'idle'}${run.checkpoint === null ? '' : `, checkpoint ${run.checkpoint}`}`}</span>
      </a></li>`)}</ul></section>`}
    <section><h2>Games</h2><ul class="cards games">
      ${[...rules.values()].map((game) => html`<li class="card">
        <img src=${`/api/board.svg?rules=${game.rules}&coordinates=false`} alt=${`The start of ${game.title}`} loading="lazy" />
        <strong>${game.title}</strong>
        <span class="links"><a href=${`#/play?rules=${game.rules}`}>Play ${game.title}</a>
          <a href=${`#/rules/${game.rules}`}>Rules<span class="sr"> of ${game.title}</span></a></span>
      </li>`)}</ul></section>`;
}

render(html`<${App} />`, document.getElementById('app'));
