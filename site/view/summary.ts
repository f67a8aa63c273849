import type { History } from '../history.ts';
import { changeGroups, lately } from '../model/changes.ts';
import { lacksNewer, lostSegments } from '../model/gaps.ts';
import { headline, runTitle } from '../model/headline.ts';
import { commitUrl, runLinks } from '../model/links.ts';
import type { RunFacts } from '../model/runs.ts';
import { agoText, counted, shortSha, timeText } from '../model/words.ts';
import { element, outsideLink } from './element.ts';

const RECENT_DAYS = 30;

const DAY_MS = 86_400_000;

/** The latest run's verdict, and whether anything changed lately. */
export function summary(history: History, now: number): HTMLElement {
  const { store, changes, index } = history;
  const latest = store.runs.at(-1);
  if (latest === undefined) {
    return element('section', { class: 'summary', 'aria-label': 'Summary' }, [
      element('p', {}, ['No run could be read.']),
      element('p', { class: 'runline' }, [
        'Load the page again, in case its files did not all arrive. If that does not help, take the last good version of each from the log of their branch.',
      ]),
    ]);
  }
  const { standing, word, text } = headline(latest, store.series);
  const since = now - RECENT_DAYS * DAY_MS;
  const isNewest = !lacksNewer(lostSegments(history), latest.at);
  return element('section', { class: 'summary', 'aria-label': 'Summary' }, [
    ...(isNewest ? [] : [element('p', {}, ['The newest runs cannot be read; this is of an older one.'])]),
    element('p', {}, [element('strong', { class: `standing ${standing}` }, [`${word}:`]), ` ${text}.`]),
    element('p', { class: 'runline' }, [
      isNewest ? 'Latest run: ' : 'Latest run that can be read: ',
      ...runParts(latest, index.repository),
      element('span', {}, [`${timeText(latest.at)}, ${agoText(latest.at, now)}`]),
    ]),
    element('p', { class: 'runline' }, [
      `Last ${RECENT_DAYS} days: ${lately(changeGroups(changes), since)}. ${counted(
        index.segments.reduce((sum, { runs }) => sum + runs, 0),
        'run',
      )} in all.`,
    ]),
  ]);
}

/** Subject, commit, pull request, report and workflow run, with a space after each. */
export function runParts(run: RunFacts, repository: string | undefined): readonly (Node | string)[] {
  const commit =
    run.sha === undefined
      ? []
      : [element('code', {}, [outsideLink(shortSha(run.sha), commitUrl(run.sha, repository))])];
  const links = runLinks(run, repository).map(({ text, href }) => outsideLink(text, href));
  return [element('bdi', { class: 'subject' }, [runTitle(run)]), ...commit, ...links].flatMap((part) => [part, ' ']);
}
