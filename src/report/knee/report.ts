import { cleanText, escapeMarkdown } from '../../foundation/index.ts';
import type { SaturateRecord } from '../../measure/index.ts';
import { bullets, type Html, html, type PageSection, pageOf, sentence, table } from '../render/html.ts';
import { joinSections, type MarkdownSection, markdownTable } from '../render/markdown.ts';
import { COLUMNS, fitted, type Paint, wrapped } from '../render/terminal.ts';
import { startOf } from '../views/facts.ts';
import { saturateCharts } from './chart.ts';
import { type KneeRows, STEP_COLUMNS, type StepRow, stepCells, viewSaturate } from './view.ts';

/** A search for knees as one self-contained HTML page: what each service holds, charts over the offered rate, then every step. */
export function saturateHtml(record: SaturateRecord): string {
  const view = viewSaturate(record);
  const { runner, runtime } = record;
  const facts = [startOf(record), `${runner.cores} cores, ${runner.cpuModel}`];
  const items = view.facts.map(({ name, value }) => html`<dt>${name}</dt><dd>${sentence(value)}</dd>`);
  return pageOf(record, {
    title: view.title,
    facts: [...facts, runtime.name === 'docker' ? 'containers' : 'plain processes'],
    summary: html`${view.claims.map((claim) => html`<p>${sentence(claim)}</p>`)}`,
    sections: [
      { id: 'charts', title: 'Over the offered rate', body: chartsBody(record) },
      ...view.services.map(kneeSection),
      { id: 'method', title: 'How it was measured', body: html`<dl>${items}</dl>` },
    ],
  }).markup;
}

function chartsBody(record: SaturateRecord): Html {
  return html`<p class="note">All operations together, latency counted from the intended time of sending and drawn on a logarithmic scale. Each mark is a step, the line goes through the medians.</p>
${saturateCharts(record)}`;
}

function kneeSection({ name, notes, rows }: KneeRows, place: number): PageSection {
  const body = table({
    caption: `Steps of ${name}, in their order`,
    columns: [{ text: 'offered', isText: true }, ...STEP_COLUMNS.slice(1, -1), { text: 'verdict', isText: true }],
    rows: rows.map((row) => ({ head: row.load, cells: cellsOf(row) })),
  });
  return { id: `knee-${place + 1}`, title: name, body: html`${bullets(notes)}${body}` };
}

function cellsOf(row: StepRow): readonly Html[] {
  const figures = stepCells(row).slice(1, -1);
  const colour = COLOURS[row.standing];
  const style = colour === undefined ? undefined : html` class="${colour}"`;
  return [
    ...figures.map((text) => html`<td>${text}</td>`),
    html`<td class="text"><span${style}>${row.verdict}</span></td>`,
  ];
}

const COLOURS: Partial<Readonly<Record<StepRow['standing'], string>>> = { held: 'better', 'not-held': 'worse' };

/** A search for knees as GitHub's Markdown: what each service holds, then every step. */
export function saturateMarkdown(record: SaturateRecord): string {
  const { claims, services, facts } = viewSaturate(record);
  const rows = facts.map(({ name, value }) => [escapeMarkdown(name), escapeMarkdown(value, 1000)]);
  const sections: readonly MarkdownSection[] = [
    { title: undefined, lines: claims.flatMap((claim) => [`**${escapeMarkdown(claim, 1000)}**`, '']).slice(0, -1) },
    ...services.map((knee) => ({ title: undefined, lines: markdownKneeLines(knee) })),
    { title: 'How it was measured', lines: markdownTable(['', ''], rows) },
  ];
  return joinSections(sections);
}

function markdownKneeLines({ name, notes, rows }: KneeRows): readonly string[] {
  const cells = rows.map((row) => stepCells(row).map((text) => escapeMarkdown(text)));
  // Only figures stand flush right.
  const table = markdownTable([...STEP_COLUMNS], cells, 1);
  return [`### ${escapeMarkdown(name)}`, '', ...notes.map((note) => escapeMarkdown(note, 1000)), '', ...table];
}

/** A search for knees for a terminal, at most 100 columns; what each service holds comes first. */
export function saturateText(record: SaturateRecord, paint: Paint): string {
  const { claims, services } = viewSaturate(record);
  const parts = [
    claims.flatMap((claim) => wrapped(cleanText(claim, 600), '  ')).map(paint.strong),
    ...services.map((knee) => terminalKneeLines(knee, paint)),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function terminalKneeLines({ name, notes, rows }: KneeRows, paint: Paint): readonly string[] {
  const head = paint.strong(line([cleanText(name, 80), ...STEP_COLUMNS.slice(1)]));
  return [
    head,
    ...rows.flatMap((row) => rowLines(row, paint)),
    ...notes.flatMap((note) => wrapped(cleanText(note, 600), '  ')),
  ];
}

const LOAD = 24;

const WIDTHS = [10, 10, 10, 9, 8];

const GAP = '  ';

const FIGURES = WIDTHS.reduce((sum, width) => sum + width, LOAD) + GAP.length;

/** What is said of a step stands in lines of its own column. */
function rowLines(row: StepRow, paint: Paint): readonly string[] {
  const said: string[] = [];
  for (const part of cleanText(row.verdict, 200).split('; ')) {
    const longer = `${said.at(-1)}; ${part}`;
    if (said.length > 0 && longer.length <= COLUMNS - FIGURES) {
      said.splice(-1, 1, longer);
    } else {
      said.push(part);
    }
  }
  const [first = '', ...others] = said.map(coloured(row, paint));
  const figures = line(stepCells({ ...row, verdict: '' }));
  return [`${figures}${GAP}${first}`.trimEnd(), ...others.map((text) => `${' '.repeat(FIGURES)}${text}`)];
}

function coloured({ standing }: StepRow, paint: Paint): (text: string) => string {
  switch (standing) {
    case 'held':
      return paint.better;
    case 'not-held':
      return paint.worse;
    default:
      return (text) => text;
  }
}

function line([first = '', ...others]: readonly string[]): string {
  return (
    fitted(first, LOAD, 'left') + WIDTHS.map((width, index) => fitted(others[index] ?? '', width, 'right')).join('')
  );
}
