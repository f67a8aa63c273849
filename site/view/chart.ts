import { eventsText } from '../model/events.ts';
import { gapTexts, isWithin, lostSegments } from '../model/gaps.ts';
import type { PageState } from '../model/state.ts';
import {
  counted,
  dayText,
  figureText,
  isForeign,
  operationLabel,
  seriesLabel,
  seriesMetricTitle,
  shown,
  sinceText,
  timeText,
} from '../model/words.ts';
import type { Session } from '../session.ts';
import { chartControls } from './chart-controls.ts';
import { type ChartPart, type ChartView, type Plot, startPlot } from './chart-plot.ts';
import { chartTable } from './chart-table.ts';
import { onColorChange } from './colors.ts';
import { breakable, element, setAttributes } from './element.ts';
import { legend } from './legend.ts';
import { lineKey } from './line-key.ts';
import { runPanel } from './run-panel.ts';

const DRAWN_FROM: readonly (keyof PageState)[] = ['series', 'hidden', 'axis'];
const SHOWN_FROM: readonly (keyof PageState)[] = ['from', 'to', 'run'];

/** Chart of the selected series, with its controls, the figures of a run, and a table. */
export function chartSection(session: Session): HTMLElement {
  const area = element('div', {
    class: 'plot',
    id: 'plot',
    tabindex: 0,
    role: 'slider',
    'aria-describedby': 'chart-keys',
  });
  const title = element('h2', { id: 'chart' });
  const plot = startPlot(session, area);
  const [panel, lines] = [runPanel(session, plot.view), legend(session, plot.view)];
  const [controls, table] = [chartControls(session, plot.view), chartTable(plot.view)];
  const [key, gaps] = [lineKey(plot.view), missingRuns(session, plot.view)];
  const point = () => {
    describe(area, plot.view);
    panel.update();
    lines.update();
  };
  const update = () => {
    title.replaceChildren(breakable(titleOf(plot.view)));
    point();
    for (const part of [gaps, key, controls, table]) {
      part.update();
    }
  };
  follow(session, { plot, area }, update);
  plot.onPoint(point);
  const parts = [title, gaps.node, controls.node, key.node, area, panel.node, lines.node, table.node, ...handNotes()];
  return element('section', { class: 'chartbox', 'aria-labelledby': 'chart' }, parts);
}

/** Draws now, and again whenever the content changes. */
function follow(
  session: Session,
  { plot, area }: { readonly plot: Plot; readonly area: HTMLElement },
  update: () => void,
): void {
  const redraw = () => {
    plot.draw();
    update();
  };
  session.onChange((before) => {
    const now = session.state();
    const differs = (name: keyof PageState) => before.state[name] !== now[name];
    if (before.history !== session.history() || DRAWN_FROM.some(differs)) {
      redraw();
    } else if (SHOWN_FROM.some(differs)) {
      plot.move();
      update();
    }
  });
  onColorChange(area, redraw);
  redraw();
}

/** Runs missing in the chart: those that cannot be read, and a selected run that it does not show. */
function missingRuns(session: Session, view: ChartView): ChartPart {
  const node = element('div', { class: 'gaps', role: 'status' });
  let known = '';
  const update = () => {
    const texts = textsOf(session, view);
    if (texts.join() !== known) {
      known = texts.join();
      node.replaceChildren(...texts.map((text) => element('p', {}, [text])));
    }
  };
  session.onChange(update);
  return { node, update };
}

function textsOf(session: Session, view: ChartView): readonly string[] {
  const history = session.history();
  const lost = lostSegments(history);
  const runs = view.content()?.runs ?? [];
  const { run: chosen } = session.state();
  const isThere = chosen === undefined || runs.length === 0 || runs.some(({ run }) => run === chosen);
  if (isThere || session.isReading()) {
    return gapTexts(lost, runs);
  }
  const changed = history.changes.find(({ run }) => run === chosen);
  const isLost = changed !== undefined && isWithin(lost, changed.at);
  return [
    ...gapTexts(lost, runs),
    isLost ? 'The selected change starts with a run that cannot be read.' : 'The selected run is not in this chart.',
  ];
}

/** Hints on moving a chart, by mouse and keys or by fingers; the page's style shows one of them. */
function handNotes(): readonly HTMLElement[] {
  return [
    element('p', { class: 'note hint', id: 'chart-keys' }, [
      'Drag to zoom, or use Ctrl and the wheel; double-click to reset. Keyboard: arrows step through the runs, + and \u2212 zoom, Shift and arrows pan, Enter pins a run, Esc unpins it.',
    ]),
    element('p', { class: 'note touch-hint' }, ['Pinch to zoom, swipe to pan, tap to pin a run.']),
  ];
}

function titleOf(view: ChartView): string {
  const content = view.content();
  if (content === undefined) {
    return 'No figures of this series';
  }
  if (isForeign(content.series)) {
    return seriesLabel(content.series);
  }
  const title = `${seriesMetricTitle(content.series)}${sinceText(content.series)}`;
  const where = operationLabel(content.series.operation);
  return where === '' ? title : `${title.slice(0, 1).toUpperCase()}${title.slice(1)}, ${where}`;
}

/** Text alternative of the chart: the position of the cursor, and its values. */
function describe(area: HTMLElement, view: ChartView): void {
  const content = view.content();
  const place = view.place();
  const run = content?.runs[place];
  if (content === undefined || run === undefined) {
    setAttributes(area, { 'aria-label': 'Chart without figures', 'aria-valuenow': '0', 'aria-valuetext': 'nothing' });
    return;
  }
  const { series, runs, lines, events } = content;
  const focus = lines.find(({ isFocus }) => isFocus);
  const marks = view.events(place).map(({ text }) => text);
  const subject = run.subject === undefined ? '' : `, ${shown(run.subject, 80)}`;
  const stretch = `${counted(runs.length, 'run')} from ${dayText(runs[0]?.at ?? run.at)} to ${dayText(runs.at(-1)?.at ?? run.at)}`;
  setAttributes(area, {
    'aria-label': `Chart of ${seriesLabel(series)}, ${stretch}. ${eventsText(events)}`,
    'aria-valuemin': '1',
    'aria-valuemax': String(runs.length),
    'aria-valuenow': String(place + 1),
    'aria-valuetext': [
      `${timeText(run.at)}: ${figureText(series, focus?.figures.values[place])}${subject}`,
      ...marks,
    ].join(', '),
  });
}
