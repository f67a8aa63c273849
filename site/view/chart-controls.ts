import { runsIn } from '../model/segments.ts';
import type { AxisChoice } from '../model/state.ts';
import { counted } from '../model/words.ts';
import type { Session } from '../session.ts';
import type { ChartPart, ChartView } from './chart-plot.ts';
import { button, element } from './element.ts';

const AXES: readonly (readonly [AxisChoice, string])[] = [
  ['auto', 'automatic'],
  ['linear', 'linear'],
  ['logarithmic', 'logarithmic'],
];

/** Controls for zoom, the axis, and older runs. */
export function chartControls(session: Session, view: ChartView): ChartPart {
  const options = AXES.map(([value, text]) => element('option', { value }, [text]));
  const axis = element('select', { id: 'axis' }, options);
  axis.addEventListener('change', () => {
    session.change({ axis: AXES.find(([value]) => value === axis.value)?.[0] ?? 'auto' });
  });
  const older = olderRuns(session);
  const showAll = async () => {
    await session.readOlder(() => false);
    view.show([0, Number.POSITIVE_INFINITY]);
  };
  const node = element('div', { class: 'controls' }, [
    element('span', { class: 'buttons' }, [
      button('\u2212', () => view.zoom(2, 0.5), { 'aria-label': 'Zoom out' }),
      button('+', () => view.zoom(0.5, 0.5), { 'aria-label': 'Zoom in' }),
      button('Last 100', () => session.change({ from: undefined, to: undefined })),
      button('All', () => void showAll()),
    ]),
    element('label', {}, ['Axis ', axis]),
    older.node,
  ]);
  return {
    node,
    update() {
      axis.value = session.state().axis;
      older.update();
    },
  };
}

/** Number of unread runs, and a button that reads the next of them. */
function olderRuns(session: Session): ChartPart {
  const bar = element('progress', { hidden: true, 'aria-label': 'Reading older runs' });
  const text = element('span', { class: 'note', role: 'status' });
  const more = button('Load older runs', () => {
    const { unread } = session.history();
    void session.readOlder((history) => history.unread.length < unread.length);
  });
  const update = () => {
    const { unread, index } = session.history();
    const count = runsIn(unread);
    more.hidden = count === 0;
    bar.hidden = !session.isReading();
    bar.max = Math.max(1, index.segments.length);
    bar.value = index.segments.length - unread.length;
    text.textContent = count === 0 ? '' : `${counted(count, 'older run')} not read yet`;
  };
  session.onChange(update);
  return { node: element('span', { class: 'older' }, [text, ' ', more, bar]), update };
}
