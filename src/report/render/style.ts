import { AXIS_RULES, DASH_RULES } from '../charts/frame.ts';

/** The most columns of a group that a rule of the page sets apart. Groups of more, or of different widths, say so in each cell. */
export const MOST_SPAN = 12;

const GROUP_STARTS = Array.from({ length: MOST_SPAN }, (_, index) => `.g${index + 1} td:nth-child(${index + 1}n+2)`);

/**
 * The page's style. Blue, orange, purple and green of the lines keep their distance for all common kinds of color
 * blindness; pink, gray, teal and rust, or pale yellow, come behind them; and every line has dashes and a shape of its own; green and red of the changes stand beside words.
 */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #fff; --raised: #f5f6f8; --ink: #17191c; --faint: #575d66; --line: #d9dce1; --strong-line: #9aa1ab;
  --link: #0b57a4; --better: #0b6a43; --worse: #a3173b; --focus: #0b57a4; --ramp: #eceef1;
  --good: #e8f5ed; --bad: #fcebef; --open: #fdf4dc; --doubt: #8a5a00;
  --s0: #0b62b0; --s1: #c2510c; --s2: #7a3fa8; --s3: #4a6b00; --s4: #b3126d; --s5: #3d4550; --s6: #007f8b; --s7: #7a1f00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131518; --raised: #1d2025; --ink: #e9ebee; --faint: #a7aeb8; --line: #33383f; --strong-line: #6b737e;
    --link: #8ec2ff; --better: #6fd3a0; --worse: #ff9db0; --focus: #8ec2ff; --ramp: #22262b;
    --good: #13261c; --bad: #30181f; --open: #2c2412; --doubt: #e3b341;
    --s0: #6cb2f5; --s1: #ff9a5c; --s2: #cf9bf2; --s3: #b5d35c; --s4: #ff8cc0; --s5: #c9ced6; --s6: #2fb8ac; --s7: #fff0a8;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 2rem clamp(1rem, 3vw, 2.5rem) 3rem; max-width: 76rem;
  background: var(--page); color: var(--ink);
  font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word;
}
h1 { margin: 0 0 0.35rem; font-size: 1.6rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; }
h2 { margin: 0 0 0.5rem; font-size: 1.15rem; line-height: 1.3; font-weight: 650; }
h3 { margin: 1.5rem 0 0.4rem; font-size: 0.9375rem; font-weight: 650; }
p { margin: 0 0 0.6rem; max-width: 50rem; }
a { color: var(--link); text-underline-offset: 0.15em; }
main:focus { outline: none; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
main > section { margin-top: 2.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.4rem 0.8rem; background: var(--page); }
.skip:focus { top: 0.5rem; z-index: 2; }
.facts, nav ul { display: flex; flex-wrap: wrap; gap: 0.15rem 1.1rem; margin: 0; padding: 0; list-style: none; }
.facts { color: var(--faint); font-size: 0.85rem; }
nav { margin-top: 1rem; font-size: 0.85rem; }
nav details { margin: 0; }
nav summary { font-size: inherit; padding: 0; }
nav > details > summary, .filters > summary { display: none; }
.filters { margin: 0.75rem 0 0; padding: 0.5rem 0; border-bottom: 1px solid var(--line); background: var(--page); font-size: 0.85rem; }
.filters form { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 1.1rem; }
.filters :is(select, button) { max-width: 15rem; padding: 0.25rem 0.5rem; border: 1px solid var(--strong-line); border-radius: 4px; background: var(--raised); color: inherit; font: inherit; }
.filters output { color: var(--faint); }
main > .summary { margin-top: 1.25rem; padding: 1.1rem 1.25rem 0.6rem; border: 0; background: var(--raised); border-radius: 6px; }
.summary.good { background: var(--good); border-left: 4px solid var(--better); }
.summary.bad { background: var(--bad); border-left: 4px solid var(--worse); }
.summary.open { background: var(--open); border-left: 4px solid var(--doubt); }
.summary p { max-width: none; text-wrap: pretty; font-size: 1.0625rem; line-height: 1.45; }
.note, footer { color: var(--faint); font-size: 0.85rem; }
ul { margin: 0 0 0.75rem; padding-left: 1.1rem; }
li { margin: 0 0 0.3rem; }
.failures { padding: 0.8rem 1rem 0.5rem 2rem; border-left: 3px solid var(--worse); background: var(--raised); }
pre { margin: 0.5rem 0 0.75rem; padding: 0.6rem 0.8rem; background: var(--raised); font-size: 0.8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll {
  overflow-x: auto; margin: 0.5rem 0 0.75rem;
  background: linear-gradient(to left, var(--page) 30%, transparent) right / 2rem 100% no-repeat local,
    linear-gradient(to left, var(--line), transparent) right / 0.75rem 100% no-repeat scroll;
}
table { border-collapse: collapse; font-size: 0.85rem; line-height: 1.35; }
caption {
  position: sticky; left: 0; width: max-content; max-width: calc(100vw - 2.5rem);
  padding: 0 0 0.35rem; text-align: left; color: var(--faint);
}
th, td { padding: 0.28rem 0 0.28rem 1.1rem; text-align: right; vertical-align: baseline; white-space: nowrap; }
th { font-weight: 600; }
caption.quiet { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
thead .text { text-align: left; }
thead .text:not(:last-child) { min-width: 6.5rem; }
thead th { border-bottom: 1px solid var(--strong-line); color: var(--faint); font-weight: 500; white-space: normal; vertical-align: bottom; }
thead td { border-bottom: 1px solid var(--strong-line); }
thead [scope="colgroup"] { border-bottom: 0; color: var(--ink); font-weight: 600; text-align: left; padding-left: 1.6rem; }
thead tr:first-child:not(:last-child) td { border-bottom: 0; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
tbody th, thead td:first-child, thead .first { position: sticky; left: 0; z-index: 1; background: var(--page); padding-left: 0; padding-right: 0.5rem; text-align: left; }
tbody th { white-space: normal; min-width: 6.5rem; max-width: 13rem; font-weight: 500; }
td.start, ${GROUP_STARTS.join(', ')} { padding-left: 1.6rem; }
td.text { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 8rem; max-width: 34rem; }
tbody th.rows { padding-top: 0.7rem; max-width: none; color: var(--ink); font-weight: 600; }
td :is(p, small) { display: block; margin: 0; max-width: none; color: var(--faint); font-size: 0.75rem; }
.faint, .same { color: var(--faint); }
.better { color: var(--better); } .worse { color: var(--worse); }
small { font-size: 0.75rem; }
details { margin: 0.4rem 0 0.9rem; }
summary { width: fit-content; cursor: pointer; color: var(--link); font-size: 0.85rem; padding: 0.15rem 0; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: 0.25rem 1.25rem; margin: 0.5rem 0; font-size: 0.85rem; }
dt { color: var(--faint); } dd { margin: 0; max-width: 52rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1rem 1.5rem; margin: 0.25rem 0 0.5rem; }
.chart { margin: 0; min-width: 0; }
.chart figcaption { font-size: 0.85rem; font-weight: 600; }
.chart svg { display: block; width: 100%; height: auto; }
.chart text { fill: var(--faint); font-size: 11px; }
.flame { margin-top: 0.75rem; }
.flame svg { min-width: 60rem; }
.chart.flame text { fill: var(--ink); pointer-events: none; }
.flame .more { --own: var(--worse); } .flame .less { --own: var(--better); } .flame .alike { --own: var(--faint); }
.flame rect { fill: var(--own); }
.key { display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; margin: 0 0 0.5rem; padding: 0; list-style: none; font-size: 0.85rem; }
.key li { display: flex; align-items: center; gap: 0.5rem; margin: 0; }
.key svg { flex: none; width: 34px; height: 12px; }
.s0 { --own: var(--s0); } .s1 { --own: var(--s1); } .s2 { --own: var(--s2); } .s3 { --own: var(--s3); } .s4 { --own: var(--s4); } .s5 { --own: var(--s5); } .s6 { --own: var(--s6); } .s7 { --own: var(--s7); }
.line, .thin, .missed, .spread { fill: none; stroke: var(--own); stroke-width: 2; stroke-linejoin: round; }
.thin { stroke-width: 1; opacity: 0.6; }
${DASH_RULES}
.spread { stroke-width: 5; opacity: 0.35; }
.mark { fill: var(--own); stroke: var(--page); stroke-width: 1; }
.dots { fill: none; stroke: var(--own); stroke-width: 3; stroke-linecap: round; opacity: 0.55; }
.hollow { fill: var(--page); stroke: var(--own); stroke-width: 1.5; }
.chart text.direct { fill: var(--own); }
.chart .dim { opacity: 0.15; }
.chart text.dim { opacity: 1; fill: var(--faint); }
.grid { stroke: var(--line); } .axis { stroke: var(--strong-line); fill: none; }
${AXIS_RULES}
.value { margin: 0; min-height: 1.5em; color: var(--faint); font-size: 0.8rem; }
.cursor { stroke: var(--ink); stroke-dasharray: 2 2; }
.chart :is(path.at, .at rect) { stroke: var(--ink); stroke-width: 2.5; }
.offered { fill: none; stroke: var(--faint); stroke-width: 1; }
.ramp { fill: var(--ramp); }
footer { margin-top: 3rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
@media (min-width: 60rem) and (min-height: 30rem) {
  html:has(.filters:not([hidden])) { scroll-padding-top: 4.5rem; }
  .filters { position: sticky; top: 0; z-index: 2; }
}
@media (min-width: 40rem) {
  [aria-labelledby="changed"] tbody th { max-width: 17rem; }
  [aria-labelledby="published"] tbody th { min-width: 13rem; }
  .list tbody th { max-width: 24rem; }
}
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 1rem 2rem; margin: 0.25rem 0 0.5rem; }
.intervals svg { max-width: 36rem; }
.interval { fill: none; stroke: var(--own); stroke-width: 2; }
.estimate { fill: var(--own); stroke: var(--page); stroke-width: 1; }
.limit { stroke: var(--faint); stroke-width: 1.5; fill: none; }
.v-regressed { --own: var(--worse); } .v-improved { --own: var(--better); }
.v-accepted, .v-slower { --own: var(--s1); } .v-unchanged { --own: var(--ink); }
.v-inconclusive { --own: var(--faint); }
.estimate.v-inconclusive { fill: var(--page); stroke: var(--own); stroke-width: 1.5; }
@media (max-width: 40rem) {
  body { padding-top: 1.25rem; }
  h1 { font-size: 1.35rem; }
  .filters label:has(select) { display: flex; flex: 1 1 100%; min-width: 0; align-items: center; justify-content: space-between; }
  .filters select { flex: 0 0 75%; min-width: 0; max-width: none; }
  main > section { margin-top: 2rem; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: 0.5rem; }
  .chart text { font-size: 12px; }
  tbody th { max-width: 7.5rem; }
  .list thead { display: none; }
  .list tr, .list th, .list td { display: block; }
  .list tbody th, .list td.text { position: static; max-width: none; padding: 0.28rem 0; }
  .list tbody td { border-top: 0; }
  .list td[data-column] { padding: 0.1rem 0; }
  .list td[data-column]::before { content: attr(data-column) " "; color: var(--faint); }
}
@media screen and (max-width: 40rem) {
  nav > details > summary, .filters > summary { display: list-item; padding: 0.35rem 0; }
  nav, .filters { display: inline-block; margin: 0.6rem 1.5rem 0 0; padding: 0; border: 0; vertical-align: top; }
  nav:has(> [open]), .filters[open] { display: block; margin-right: 0; }
  nav + section, .filters + section { margin-top: 0.6rem; padding-top: 1rem; }
  main > .summary { padding: 0.8rem 1rem 0.4rem; }
}
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --raised: #f5f6f8; --ink: #000; --faint: #444; --line: #ccc; --strong-line: #888; --ramp: #eee;
    --good: #e8f5ed; --bad: #fcebef; --open: #fdf4dc; --doubt: #8a5a00;
    --better: #0b6a43; --worse: #a3173b; --s0: #0b62b0; --s1: #c2510c; --s2: #7a3fa8; --s3: #4a6b00; --s4: #b3126d; --s5: #3d4550; --s6: #007f8b; --s7: #7a1f00; --link: #000;
  }
  body { max-width: none; padding: 0; font-size: 9pt; }
  nav, .skip, .filters { display: none; }
  .scroll { overflow: visible; background: none; }
  table { font-size: 7.5pt; }
  .chart, tr, li { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
}
`;
