import { cleanText } from '../../foundation/escape.ts';
import type { Finding } from '../../judge/verdict/finding.ts';
import { type Axis, axisMarks, axisOf, bar, INTERVAL_PLOT, mark, rowMarks } from '../comparison/compare-plot.ts';
import { byService, rowOf, type ServiceFindings } from '../comparison/compare-row.ts';
import { type ComparisonView, viewComparison } from '../comparison/compare-view.ts';
import { counted, verdictWord } from '../comparison/compare-words.ts';
import { type Html, html, joinLines } from '../render/html-markup.ts';
import { round } from './chart-frame.ts';
import { picture } from './charts-svg.ts';

/** Down to the first line of the key. */
const OVERVIEW_HEAD = 38;

/** All comparisons that may fail a pull request as one SVG file: service by service, on one scale. */
export function overviewPicture(view: ComparisonView): string {
  const services = byService(viewComparison({ ...view.result, findings: view.gate }, view.run));
  const axis = axisOf(view.gate);
  const lines = services.reduce((sum, [, findings]) => sum + 1 + findings.length, 0);
  const bottom = INTERVAL_PLOT.top + lines * INTERVAL_PLOT.row;
  const groups = services.map((service, index) => {
    const before = services.slice(0, index).reduce((sum, [, findings]) => sum + 1 + findings.length, 0);
    return serviceMarks(view, service, { axis, top: INTERVAL_PLOT.top + before * INTERVAL_PLOT.row });
  });
  const key = keyEntries([...new Set(view.gate.map(verdictWord)), 'threshold']);
  const head = OVERVIEW_HEAD + (key.at(-1)?.line ?? 0) * KEY.line;
  return picture({
    title: 'Head against base',
    description: spokenOverview(view),
    width: INTERVAL_PLOT.width,
    height: head + bottom + INTERVAL_PLOT.foot,
    body: html`<text class="title" x="0" y="13">Head against base: change with its 95 % interval</text>
${keyMarks(key, view.gate)}
<g transform="translate(0 ${head})">
${axisMarks(axis, bottom)}
${joinLines(groups)}
</g>`,
  });
}

interface GroupPlace {
  readonly axis: Axis;
  readonly top: number;
}

function serviceMarks(view: ComparisonView, [service, findings]: ServiceFindings, { axis, top }: GroupPlace): Html {
  const rows = findings.map((finding, index) =>
    rowMarks(finding, { label: rowOf(view, finding).label, y: top + (index + 1.5) * INTERVAL_PLOT.row, axis }),
  );
  const name = cleanText(view.labels.service(service), 28);
  return html`<text class="group" x="0" y="${round(top + INTERVAL_PLOT.row / 2 + 5)}">${name}</text>
${joinLines(rows)}`;
}

/** An entry of the key: its mark, the letters of its word, and the space behind it. */
const KEY = { mark: 36, letter: 6, gap: 12, line: 16 } as const;

interface KeyEntry {
  readonly word: string;
  readonly x: number;
  readonly line: number;
}

/** Which shape is which verdict, for those that occur, on as many lines as it takes. */
function keyEntries(words: readonly string[]): readonly KeyEntry[] {
  const entries: KeyEntry[] = [];
  let [x, line] = [0, 0];
  for (const word of words) {
    const width = KEY.mark + word.length * KEY.letter;
    [x, line] = x > 0 && x + width > INTERVAL_PLOT.width ? [0, line + 1] : [x, line];
    entries.push({ word, x, line });
    x += width + KEY.gap;
  }
  return entries;
}

function keyMarks(entries: readonly KeyEntry[], findings: readonly Finding[]): Html {
  const items = entries.map(({ word, x, line }) => {
    const finding = findings.find((one) => verdictWord(one) === word);
    const shape =
      finding === undefined
        ? html`<path class="limit" d="M17 -6v12"/>`
        : html`${bar(finding, 'M3 0H31')}${mark(finding, 17, 0)}`;
    return html`<g transform="translate(${x} ${28 + line * KEY.line})">${shape}<text x="${KEY.mark}" y="4">${word}</text></g>`;
  });
  return joinLines(items);
}

function spokenOverview({ gate }: ComparisonView): string {
  const words = [...new Set(gate.map(verdictWord))];
  const counts = words.map((word) => `${gate.filter((finding) => verdictWord(finding) === word).length} ${word}`);
  return `${counted(gate.length, 'comparison')}: ${counts.join(', ')}. Worse is to the right.`;
}
