import { type ChartContent, placesIn } from '../model/chart.ts';
import type { Stretch } from '../model/scales.ts';
import { counted, figureText, lineLabel, seriesLabel, shortSha, shown, timeText } from '../model/words.ts';
import type { ChartPart, ChartView } from './chart-plot.ts';
import { element, note, scrollTable, tableRow } from './element.ts';

/** Maximum number of table rows; zooming shows others. */
const MAX_ROWS = 200;

/** Range of the chart as a table; created only while it is open. */
export function chartTable(view: ChartView): ChartPart {
  const place = element('div');
  const node = element('details', { id: 'chart-table' }, [element('summary', {}, ['This chart as a table']), place]);
  const update = () => {
    const content = node.open ? view.content() : undefined;
    place.replaceChildren(...(content === undefined ? [] : tableOf(content, view.stretch())));
  };
  node.addEventListener('toggle', update);
  return { node, update };
}

function tableOf({ runs, lines, events, series }: ChartContent, stretch: Stretch): readonly HTMLElement[] {
  const [first, last] = placesIn(stretch, runs.length);
  const start = Math.max(first, last - MAX_ROWS + 1);
  const shownLines = lines.filter(({ isShown }) => isShown);
  const rows = Array.from({ length: Math.max(0, last - start + 1) }, (_, index) => last - index).map((place) => {
    const run = runs[place];
    const marks = events.filter((event) => event.place === place).map(({ kind, text }) => `${kind}: ${text}`);
    return tableRow(run === undefined ? '' : timeText(run.at), [
      ...shownLines.map((line) => figureText(line.series, line.figures.values[place])),
      textCell(run?.sha === undefined ? '' : shortSha(run.sha)),
      textCell(shown(run?.subject ?? '', 80)),
      textCell(marks.join('; ')),
    ]);
  });
  const columns = ['', ...shownLines.map((line) => lineLabel(line.series)), '·commit', '·subject', '·marks'];
  const left = start > first ? [note(`The newest ${counted(MAX_ROWS, 'run')} in this range.`)] : [];
  return [...left, scrollTable(`${seriesLabel(series)}, and the other lines of its chart`, columns, rows)];
}

function textCell(text: string): HTMLTableCellElement {
  return element('td', { class: 'text' }, [text]);
}
