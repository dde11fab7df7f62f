// Charts of a run, each with a table of the same numbers.
import { html, useEffect, useRef, useState } from '/vendor/htm-preact.js';
import uPlot from '/vendor/uplot.js';

/** A colour of the style sheet. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * A chart over `xs`. `series`: [{ name, values, colour: '--name', dash, points }], `bands`: pairs of
 * series that an error bar joins. `recent` shows the last part only.
 */
export function Chart({ title, xName, xs, series, errors = [], range, recent, format = (v) => String(v) }) {
  const place = useRef(null);
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const again = () => setTheme((n) => n + 1);
    const observer = new MutationObserver(again);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    dark.addEventListener('change', again);
    return () => { observer.disconnect(); dark.removeEventListener('change', again); };
  }, []);
  const first = recent && xs.length > 8 ? Math.floor(xs.length * 0.75) : 0;
  const part = (values) => values.slice(first);
  useEffect(() => {
    if (!xs.length) return undefined;
    const ink = colour('--ink');
    const grid = { stroke: colour('--rule'), width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, font: '12px system-ui' };
    const errorBars = {
      hooks: {
        draw: (u) => {
          const { ctx } = u;
          ctx.save();
          ctx.setLineDash([]);
          errors.forEach(({ of, values }) => {
            ctx.strokeStyle = colour(series[of].colour);
            ctx.lineWidth = devicePixelRatio;
            part(xs).forEach((x, i) => {
              const value = part(series[of].values)[i];
              const error = part(values)[i];
              if (value == null || error == null) return;
              const px = u.valToPos(x, 'x', true);
              ctx.beginPath();
              ctx.moveTo(px, u.valToPos(value - error, 'y', true));
              ctx.lineTo(px, u.valToPos(value + error, 'y', true));
              ctx.stroke();
            });
          });
          ctx.restore();
        },
      },
    };
    const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
    // Error bars belong to the picture.
    const ends = errors.flatMap(({ of, values }) => part(values).flatMap((error, i) => {
      const value = part(series[of].values)[i];
      return value == null || error == null ? [] : [value - error, value + error];
    }));
    const withErrors = (u, min, max) => {
      const [low, high] = [Math.min(min ?? 0, ...ends), Math.max(max ?? 1, ...ends)];
      const margin = (high - low || 1) * 0.06;
      return [low - margin, high + margin];
    };
    const options = {
      width: place.current.clientWidth,
      height: 220,
      scales: { x: { time: false }, y: { range: range ?? withErrors } },
      axes: [{ ...axis, label: xName, labelSize: 20, labelFont: '12px system-ui' }, { ...axis, size: 56, values: (u, all) => all.map((v) => compact.format(v)) }],
      series: [{ label: xName }, ...series.map((s) => ({
        label: s.name, stroke: colour(s.colour), width: 2, dash: s.dash, spanGaps: true,
        points: { show: xs.length - first < 40 && s.points !== false, size: 5 }, value: (_, v) => (v == null ? '–' : format(v)),
      }))],
      plugins: errors.length ? [errorBars] : [],
    };
    const plot = new uPlot(options, [part(xs), ...series.map((s) => part(s.values))], place.current);
    const resize = new ResizeObserver(() => plot.setSize({ width: place.current.clientWidth, height: 220 }));
    resize.observe(place.current);
    return () => { resize.disconnect(); plot.destroy(); };
  }, [xs, series, recent, theme]);
  return html`<figure class="chart"><figcaption>${title}</figcaption>
    ${xs.length === 0 ? html`<p class="note">Nothing yet.</p>` : html`<div ref=${place} aria-hidden="true"></div>
    <details><summary>As a table<span class="sr">: ${title}</span></summary><div class="scroll short" tabindex="0" role="group" aria-label=${title}><table>
      <thead><tr><th scope="col">${xName}</th>${series.map((s) => html`<th scope="col" class="num">${s.name}</th>`)}</tr></thead>
      <tbody>${xs.map((x, i) => html`<tr><th scope="row">${x}</th>${series.map((s, n) => {
        const error = errors.find((e) => e.of === n)?.values[i];
        return html`<td class="num">${s.values[i] == null ? '–' : format(s.values[i])}${error == null ? '' : ` ± ${format(error)}`}</td>`;
      })}</tr>`)}</tbody></table></div></details>`}</figure>`;
}
