import { formatRatio, NO_FIGURE } from '../../src/foundation/numbers.ts';
import { type ComparedSeries, comparedRuns } from '../model/comparison.ts';
import { runTitle } from '../model/headline.ts';
import type { RunFacts } from '../model/runs.ts';
import { searchRows, selected } from '../model/selection.ts';
import { counted, differenceText, figureTexts, seriesLabel, shortSha, timeText } from '../model/words.ts';
import type { Session } from '../session.ts';
import type { ChartPart } from './chart-plot.ts';
import { compareLatency } from './compare-latency.ts';
import { breakable, button, element, note, scrollTable, section, tableRow } from './element.ts';
import { runParts } from './summary.ts';

/** Number of newest runs in the list; others are selected in the chart. */
const LISTED_RUNS = 200;

/** Two runs side by side: every series with its ratio, and the latency distributions. */
export function compareSection(session: Session): HTMLElement {
  const [base, head] = [runPicker(session, 'base'), runPicker(session, 'head')];
  const result = element('div', { 'aria-live': 'polite' });
  let shown = '';
  const update = () => {
    base.update();
    head.update();
    const { base: from, head: to, query, service, operation, tier, metric } = session.state();
    const { runs } = session.history().store;
    const next = JSON.stringify([from, to, query, service, operation, tier, metric, runs.length]);
    if (next !== shown) {
      shown = next;
      result.replaceChildren(...resultOf(session));
    }
  };
  session.onChange(update);
  update();
  const swap = () => session.change({ base: session.state().head, head: session.state().base }, 'push');
  return section('compare', 'Compare two runs', [
    element('div', { class: 'controls' }, [base.node, head.node, button('Swap', swap)]),
    result,
  ]);
}

/** Scrolls to the comparison, which is far below the chart in which a run is selected. */
export function showComparison(): void {
  document.getElementById('compare')?.scrollIntoView();
  document.getElementById('compare-base')?.focus({ preventScroll: true });
}

const PICKERS = { base: 'From', head: 'To' } as const;

function runPicker(session: Session, field: keyof typeof PICKERS): ChartPart {
  const select = element('select', { id: `compare-${field}` });
  select.addEventListener('change', () =>
    session.change({ [field]: select.value === '' ? undefined : select.value }, 'push'),
  );
  let listed: readonly RunFacts[] = [];
  return {
    node: element('label', {}, [`${PICKERS[field]} `, select]),
    update() {
      const { runs, places } = session.history().store;
      const chosen = runs[places.get(session.state()[field] ?? '') ?? -1];
      const newest = runs.slice(-LISTED_RUNS).reverse();
      const next = chosen === undefined || newest.includes(chosen) ? newest : [...newest, chosen];
      if (next.length !== listed.length || next.some((run, index) => run !== listed[index])) {
        listed = next;
        select.replaceChildren(element('option', { value: '' }, ['choose a run']), ...next.map(runOption));
      }
      select.value = chosen?.run ?? '';
    },
  };
}

function runOption(run: RunFacts): HTMLOptionElement {
  const sha = run.sha === undefined ? '' : ` ${shortSha(run.sha)}`;
  return element('option', { value: run.run }, [`${timeText(run.at)}${sha} ${runTitle(run).slice(0, 50)}`]);
}

function resultOf(session: Session): readonly HTMLElement[] {
  const { store, index } = session.history();
  const { base, head } = session.state();
  const [from, to] = [base, head].map((run) => (run === undefined ? undefined : store.places.get(run)));
  if (base === undefined || head === undefined) {
    return [note('Choose two runs here, or pin a run in the chart above and compare from or to it.')];
  }
  if (from === undefined || to === undefined) {
    return [
      note(
        session.history().unread.length > 0
          ? 'Looking for these runs in older segments…'
          : 'One of these runs is not in this history, or cannot be read.',
      ),
    ];
  }
  const rows = comparedRuns(store, from, to);
  const keys = selected(searchRows(rows.map(({ series }) => series)), session.state());
  const shown = rows.filter(({ key }) => keys.has(key));
  const runs = [store.runs[from], store.runs[to]].filter((run) => run !== undefined);
  return [
    element(
      'ul',
      { class: 'facts two-runs' },
      runs.map((run, place) =>
        element('li', {}, [`${place === 0 ? 'From' : 'To'} ${timeText(run.at)}: `, ...runParts(run, index.repository)]),
      ),
    ),
    note(verdictText(shown)),
    ...comparedTables(shown),
    compareLatency(session, base, head),
  ];
}

/** Tables of the compared series; equal ones are folded. */
function comparedTables(rows: readonly ComparedSeries[]): readonly HTMLElement[] {
  const columns = ['', 'from', 'to', 'ratio', '·change'];
  const of = (...kinds: readonly ComparedSeries['status'][]) => rows.filter(({ status }) => kinds.includes(status));
  const moved = of('worse', 'better');
  const caption = 'Series that differ by more than their noise, largest difference first';
  const folded = (some: readonly ComparedSeries[], what: string) =>
    some.length === 0
      ? []
      : [
          element('details', {}, [
            element('summary', {}, [`${counted(some.length, 'series')} ${what}`]),
            scrollTable(`Series ${what}`, columns, some.map(comparedRow)),
          ]),
        ];
  return [
    ...(moved.length === 0 ? [] : [scrollTable(caption, columns, moved.map(comparedRow))]),
    ...folded(of('unknown'), 'with unknown noise'),
    ...folded(of('same'), 'with little difference'),
    ...folded(of('gone'), 'in only one of the runs'),
  ];
}

function verdictText(rows: readonly ComparedSeries[]): string {
  const count = (status: ComparedSeries['status']) => rows.filter((row) => row.status === status).length;
  return `${counted(rows.length, 'series')}: ${count('worse')} worse, ${count('better')} better, by 2% or more and three times their noise (the spread of their rounds, or the scatter of the 30 runs before, if larger), error rates by a percentage point. Even so, two single runs are weak evidence.`;
}

function comparedRow({ series, base, head, ratio, difference, status }: ComparedSeries): HTMLTableRowElement {
  return tableRow(breakable(seriesLabel(series)), [
    ...figureTexts(series, [base, head]),
    ratio === undefined ? NO_FIGURE : formatRatio(ratio),
    element('td', { class: `text ${status}` }, [
      difference === undefined
        ? isJudged(status)
          ? status
          : ''
        : `${differenceText(series, difference)}${isJudged(status) ? `, ${status}` : ''}`,
    ]),
  ]);
}

function isJudged(status: ComparedSeries['status']): boolean {
  return status === 'worse' || status === 'better';
}
