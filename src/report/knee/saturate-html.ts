import type { SaturateRecord } from '../../measure/knee/record.ts';
import { bullets, type Html, html, type PageSection, sentence, table } from '../render/html-markup.ts';
import { pageOf } from '../render/html-page.ts';
import { startOf } from '../views/facts.ts';
import { saturateCharts } from './saturate-chart.ts';
import { type KneeRows, STEP_COLUMNS, type StepRow, stepCells, viewSaturate } from './saturate-view.ts';

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
