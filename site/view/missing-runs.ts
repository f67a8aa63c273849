import { gapTexts, isWithin, lostSegments } from '../model/gaps.ts';
import type { Session } from '../session.ts';
import type { ChartPart, ChartView } from './chart-plot.ts';
import { element } from './element.ts';

/** Runs missing in the chart: those that cannot be read, and a selected run that it does not show. */
export function missingRuns(session: Session, view: ChartView): ChartPart {
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
