import { NO_FIGURE } from '../../src/foundation/numbers.ts';
import { anchorOf } from '../../src/history/store/entry.ts';
import { BAND_RUNS } from '../model/band.ts';
import type { ChartContent, DrawnLine } from '../model/chart.ts';
import { EVENT_KINDS, kindOfChange } from '../model/events.ts';
import { differenceOf, differenceText, figureText, lineLabel } from '../model/words.ts';
import type { Session } from '../session.ts';
import type { ChartPart, ChartView } from './chart-plot.ts';
import { dashOf } from './colors.ts';
import { breakable, button, element, scrollTable, swatch, tableRow } from './element.ts';

interface LegendRow {
  readonly line: DrawnLine;
  readonly row: HTMLTableRowElement;
  readonly cells: readonly HTMLTableCellElement[];
}

/** Lines by name, each with a toggle, and the figures of the run under the cursor; and the meaning of marks. */
export function legend(session: Session, view: ChartView): ChartPart {
  const table = scrollTable('Lines and their figures', ['', 'this run', 'spread', 'vs. previous run'], [], 'quiet');
  const marks = element('ul', { class: 'key' });
  const node = element('div', { class: 'legend' }, [table, marks]);
  let known: ChartContent | undefined;
  let rows: readonly LegendRow[] = [];
  return {
    node,
    update() {
      const content = view.content();
      if (content !== known) {
        known = content;
        rows = content?.lines.map((line) => legendRow(session, line)) ?? [];
        table.querySelector('tbody')?.replaceChildren(...rows.map(({ row }) => row));
        marks.replaceChildren(...(content === undefined ? [] : keyOf(content)));
      }
      for (const row of rows) {
        fill(row, view.place());
      }
    },
  };
}

function legendRow(session: Session, line: DrawnLine): LegendRow {
  const name = lineLabel(line.series);
  const box = element('input', { type: 'checkbox', checked: line.isShown, 'aria-label': `Show ${name}` });
  box.addEventListener('change', () => {
    const { hidden } = session.state();
    session.change({ hidden: box.checked ? hidden.filter((key) => key !== line.key) : [...hidden, line.key] });
  });
  const cells = [element('td'), element('td'), element('td')];
  const choose = button(breakable(name), () => session.change({ series: line.key }, 'push'), {
    class: 'line-name',
    'aria-pressed': String(line.isFocus),
  });
  const label = element('span', { class: 'line-label' }, [box]);
  label.append(swatch(line.color, dashOf(line.dash)), choose);
  return { line, cells, row: tableRow(label, cells) };
}

function fill({ line: { figures, series }, cells }: LegendRow, place: number): void {
  const value = figures.values[place];
  const spread = figures.spreads[place];
  const before = figures.values.findLast((one, index) => index < place && !Number.isNaN(one));
  const change = value === undefined || before === undefined ? undefined : differenceOf(series, before, value);
  const texts = [
    figureText(series, value),
    spread === undefined || Number.isNaN(spread) ? NO_FIGURE : `±${(spread * 100).toFixed(1)}%`,
    differenceText(series, change),
  ];
  for (const [index, cell] of cells.entries()) {
    cell.textContent = texts[index] ?? '';
  }
}

function bandWords({ band, series }: ChartContent): string {
  if (band.kind === 'runs') {
    return `band: twice the scatter of the ${BAND_RUNS} runs before, around their median`;
  }
  return anchorOf(series) === undefined ? 'band: spread over the rounds of a run' : 'band: 95% interval';
}

function keyOf(content: ChartContent): readonly HTMLElement[] {
  const { events, changes, isLogarithmic, lines, places } = content;
  const focus = lines.find(({ isFocus }) => isFocus);
  const marked = changes.filter(({ run }) => places.has(run));
  const kinds = new Set<string>([...events.map(({ kind }) => kind), ...marked.map(kindOfChange)]);
  const items = [
    ...Object.entries(EVENT_KINDS).flatMap(([kind, { key: text }]) => (kinds.has(kind) ? [{ kind, text }] : [])),
    ...(focus?.isShown ? [{ kind: 'band', text: `▒ ${bandWords(content)}` }] : []),
    ...(changes.length > 0 ? [{ kind: 'level', text: '— level between changes' }] : []),
    ...(isLogarithmic ? [{ kind: 'axis', text: 'logarithmic axis' }] : []),
  ];
  return items.map(({ kind, text }) => element('li', { class: kind }, [text]));
}
