// How long the explorer of a running `garuda serve` takes to answer, under several readers at a time:
//
//     node serve/web-tests/load.js http://127.0.0.1:8642/ [SECONDS [READERS]]
//
// Every reader follows games of the run, each from the start to the last position that is indexed.
const [url, seconds = '20', readers = '8'] = process.argv.slice(2);
if (!url) throw new Error('usage: load.js URL [SECONDS [READERS]]');
const json = async (path) => {
  const response = await fetch(new URL(path, url));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
};

const times = [];
const end = performance.now() + 1000 * Number(seconds);
async function read() {
  while (performance.now() < end) {
    const moves = [];
    for (;;) {
      const started = performance.now();
      const { moves: rows, position } = await json(`/api/r/0/explorer?varied=true&moves=${encodeURIComponent(moves.join(' '))}`);
      times.push(performance.now() - started);
      if (!rows.length || position.outcome || performance.now() > end) break;
      moves.push(rows[Math.floor(Math.random() * rows.length)].move.uci);
    }
  }
}
await Promise.all(Array.from({ length: Number(readers) }, read));
times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1);
console.log(`${times.length} answers to ${readers} readers in ${seconds} s: median ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`);
