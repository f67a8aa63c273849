import { type ChartEvent, EVENT_KINDS } from '../model/events.ts';
import type { RunFacts } from '../model/runs.ts';
import type { PageState } from '../model/state.ts';
import { counted, shown, timeText } from '../model/words.ts';
import type { Session } from '../session.ts';
import { bisectButton } from './bisect.ts';
import type { ChartPart, ChartView } from './chart-plot.ts';
import { showComparison } from './compare.ts';
import { button, element } from './element.ts';
import { runParts } from './summary.ts';

/** Time for which a run must be pointed at before it is read out. */
const READ_OUT_AFTER_MS = 400;

/** Run under the cursor: its time, commit and links, and a button to compare it. */
export function runPanel(session: Session, view: ChartView): ChartPart {
  const text = element('div', { class: 'run' });
  const spoken = element('p', { class: 'quiet', 'aria-live': 'polite', id: 'spoken' });
  const node = element('div', { class: 'panel' }, [text, spoken]);
  let known: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    node,
    update() {
      const run = view.content()?.runs[view.place()];
      const isKept = view.isKept(view.place());
      const state = `${run?.run} ${isKept}`;
      if (state === known) {
        return;
      }
      known = state;
      const marks = view.events(view.place());
      const own = view.content()?.changes.filter((change) => change.run === run?.run) ?? [];
      const finding = own.flatMap((change) => bisectButton(session, change) ?? []).slice(0, 1);
      text.replaceChildren(
        ...(run === undefined
          ? []
          : [...runTexts(session, run, marks), ...finding, compareButtons(session, run.run, isKept)]),
      );
      clearTimeout(timer);
      timer = setTimeout(() => {
        spoken.textContent = run === undefined ? '' : `${timeText(run.at)} ${shown(run.subject ?? '')}`;
      }, READ_OUT_AFTER_MS);
    },
  };
}

function runTexts(session: Session, run: RunFacts, marks: readonly ChartEvent[]): readonly HTMLElement[] {
  const parts = runParts(run, session.history().index.repository);
  const facts = [
    ...(run.machine === undefined ? [] : [element('bdi', {}, [shown(run.machine)])]),
    ...(run.rounds > 0 ? [counted(run.rounds, 'round')] : []),
  ];
  return [
    element('p', {}, [element('strong', {}, [timeText(run.at)]), ' ', ...parts]),
    element('ul', { class: 'marklist' }, [
      ...marks.map((event) => element('li', { class: event.kind }, [`${EVENT_KINDS[event.kind].name}${event.text}`])),
      ...facts.map((fact) => element('li', {}, [fact])),
    ]),
  ];
}

function compareButtons(session: Session, run: string, isKept: boolean): HTMLElement {
  const next = element('span', { class: 'note', role: 'status' }, [nextStep(session.state())]);
  const compare = (part: Partial<PageState>) => {
    session.change(part, 'push');
    next.textContent = nextStep(session.state());
    if (next.textContent === '') {
      showComparison();
    }
  };
  return element('p', { class: 'actions' }, [
    button('Compare from here', () => compare({ base: run })),
    ' ',
    button('Compare to here', () => compare({ head: run })),
    ...(isKept ? [' ', button('Unpin this run', () => session.change({ run: undefined }, 'push'))] : []),
    ' ',
    next,
  ]);
}

/** Next step if only one of the two runs is selected. */
function nextStep({ base, head }: PageState): string {
  return (base === undefined) === (head === undefined) ? '' : 'Now choose the other run.';
}
