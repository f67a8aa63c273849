import { openHistory } from './history.ts';
import { opening } from './model/opening.ts';
import { savedSource } from './saved-copy.ts';
import { type Session, startSession } from './session.ts';
import { folderSource, type Source, webSource } from './source.ts';
import { changesSection } from './view/changes.ts';
import { chartSection } from './view/chart.ts';
import { compareSection } from './view/compare.ts';
import { element } from './view/element.ts';
import { facts, saveControl } from './view/facts.ts';
import { seriesSection } from './view/series-list.ts';
import { brokenState, chooseFolder, emptyState, lostBox, problemsBox } from './view/states.ts';
import { summary } from './view/summary.ts';

const main = document.querySelector('main') ?? document.body;

/** Reads a history and shows it; an error is shown instead. */
async function show(source: Source): Promise<void> {
  try {
    const session = startSession(source, await openHistory(source));
    const { store, problems } = session.history();
    facts(session.history());
    session.onChange(({ history }) => {
      if (history.store.series.size !== session.history().store.series.size) {
        facts(session.history());
      }
    });
    main.replaceChildren(...(store.runs.length === 0 && problems.length === 0 ? [emptyState()] : page(session)));
    await lookFor(session);
  } catch (thrown) {
    main.replaceChildren(brokenState(thrown, source.kind), ...(source.kind === 'folder' ? [folderChoice()] : []));
  }
}

function page(session: Session): readonly HTMLElement[] {
  const now = Date.now();
  const linked = session.state().series;
  const isReadable = session.history().store.runs.length > 0;
  const first = opening(session.history(), session.state());
  if (first !== undefined) {
    session.change(first);
  }
  session.onChange(({ state }) => {
    const now = session.state();
    if (state.run !== now.run || state.series !== now.series) {
      void lookFor(session);
    }
  });
  return [
    summary(session.history(), now),
    lostBox(session.history()),
    problemsBox(session),
    element('div', { class: 'front' }, [isReadable ? chartSection(session) : undefined, changesSection(session, now)]),
    ...(isReadable ? [seriesSection(session, linked), compareSection(session), saveControl(session)] : []),
  ].filter((part) => part !== undefined);
}

/** A linked run may be in a segment that is not read yet. */
async function lookFor(session: Session): Promise<void> {
  const { base, head, run, from, series } = session.state();
  const runs = [base, head, run].filter((one) => one !== undefined);
  const isEnough = ({ store }: ReturnType<Session['history']>) =>
    runs.every((one) => store.places.has(one)) &&
    (from === undefined || (store.runs[0]?.at ?? 0) <= from) &&
    (series === undefined || store.series.has(series));
  if (!isEnough(session.history()) && session.history().unread.length > 0) {
    await session.readOlder(isEnough);
  }
}

function folderChoice(): HTMLElement {
  return chooseFolder((files) => void show(folderSource(files)));
}

document.querySelector('[data-skip]')?.addEventListener('click', (event) => {
  // Its address would replace the state.
  event.preventDefault();
  main.focus();
});

const saved = savedSource();
if (saved === undefined && location.protocol === 'file:') {
  main.replaceChildren(folderChoice());
} else {
  void show(saved ?? webSource());
}
