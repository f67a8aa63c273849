import type { History } from '../history.ts';
import { changeGroups, environmentOf, lately, sizeText } from '../model/changes.ts';
import { lacksNewer, lostSegments } from '../model/gaps.ts';
import { runTitle, type SuiteHeadline, suiteHeadlines } from '../model/headline.ts';
import { runLinks } from '../model/links.ts';
import type { RunFacts } from '../model/runs.ts';
import { runsIn } from '../model/segments.ts';
import { agoText, counted, DAY_MS, dayText, seriesLabel, shown, timeText } from '../model/words.ts';
import { breakable, commitLink, element, outsideLink } from './element.ts';

const RECENT_DAYS = 30;

/** Verdict of each suite's latest run, and recent changes. */
export function summary(history: History, now: number): HTMLElement {
  const { store, changes, index } = history;
  const latest = store.runs.at(-1);
  if (latest === undefined) {
    return element('section', { class: 'summary', 'aria-label': 'Summary' }, [
      element('p', {}, ['No run could be read.']),
      element('p', { class: 'runline' }, [
        'Reload the page, in case some files did not arrive. If that does not help, restore the last good version of each from the log of their branch.',
      ]),
    ]);
  }
  const since = now - RECENT_DAYS * DAY_MS;
  const isNewest = !lacksNewer(lostSegments(history), latest.at);
  const all = suiteHeadlines(store.runs, store.series, changes);
  const isOld = ({ run }: SuiteHeadline) => run.at < latest.at - RECENT_DAYS * DAY_MS;
  const current = all.filter((one) => !isOld(one));
  const older = all.filter(isOld);
  const lines = (some: readonly SuiteHeadline[]) =>
    some.flatMap((one) => suiteLines(one, { isOnly: all.length === 1, isNewest, repository: index.repository, now }));
  return element('section', { class: 'summary', 'aria-label': 'Summary' }, [
    latestChange(history, now),
    ...(isNewest ? [] : [element('p', {}, ['The newest runs cannot be read; this shows older ones.'])]),
    ...lines(current.slice(0, MAX_SUITES)),
    folded(lines(current.slice(MAX_SUITES)), `${counted(current.length - MAX_SUITES, 'more suite')}`),
    folded(lines(older), `${counted(older.length, 'suite')} without a run in the last ${RECENT_DAYS} days`),
    element('p', { class: 'runline' }, [
      `Last ${RECENT_DAYS} days: ${lately(changeGroups(changes), since)}. ${counted(runsIn(index.segments), 'run')} in total.`,
    ]),
  ]);
}

/** "6.8% faster since 2024-04-23: GetToken, 4f2d9c1 Cache tokens". */
function latestChange({ changes, index: { repository } }: History, now: number): HTMLElement | undefined {
  const group = changeGroups(changes).find(({ isPending }) => !isPending);
  const [change] = group?.changes ?? [];
  if (group === undefined || change === undefined) {
    return undefined;
  }
  const doubt = environmentOf(group)[0];
  return element('p', {}, [
    element('strong', { class: `size ${group.turn}` }, [sizeText(change)]),
    ` since ${dayText(group.at)} (${agoText(group.at, now)}): `,
    breakable(seriesLabel(change.series)),
    ...(group.commit === undefined ? [] : [', ', commitLink(group.commit, repository)]),
    ` ${shown(group.subject ?? '', 80)}`.trimEnd(),
    doubt === undefined ? '.' : `; ${doubt}.`,
  ]);
}

/** Maximum number of suites with a line each. More would push the chart off the screen of a phone. */
const MAX_SUITES = 4;

interface Reported {
  readonly isOnly: boolean;
  readonly isNewest: boolean;
  readonly repository: string | undefined;
  readonly now: number;
}

function suiteLines({ run, status, word, text }: SuiteHeadline, { isOnly, isNewest, repository, now }: Reported) {
  const suite = isOnly ? [] : [element('bdi', { class: 'subject' }, [shown(run.suite, 60)]), ' '];
  // Imported runs have no verdict.
  const isImported = run.kind === 'import';
  const verdict = [element('strong', { class: `status ${status}` }, [`${word}:`]), ` ${text}.`];
  return [
    ...(isImported ? [] : [element('p', {}, [...suite, ...verdict])]),
    element('p', { class: 'runline' }, [
      ...(isImported ? suite : []),
      isOnly ? (isNewest ? 'Latest run: ' : 'Latest run that can be read: ') : '',
      ...runParts(run, repository),
      element('span', {}, [`${timeText(run.at)}, ${agoText(run.at, now)}`]),
    ]),
  ];
}

function folded(lines: readonly HTMLElement[], words: string): HTMLElement | undefined {
  return lines.length === 0 ? undefined : element('details', {}, [element('summary', {}, [words]), ...lines]);
}

/** Subject, commit, pull request, report and workflow run, with a space after each. */
export function runParts(run: RunFacts, repository: string | undefined): readonly (Node | string)[] {
  const commit = [commitLink(run.sha, repository) ?? []].flat();
  const links = runLinks(run, repository).map(({ text, href }) => outsideLink(text, href));
  const title = runTitle(run);
  const subject = title === '' ? [] : [element('bdi', { class: 'subject' }, [title])];
  return [...subject, ...commit, ...links].flatMap((part) => [part, ' ']);
}
