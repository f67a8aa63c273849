import { cleanText, shortCommit } from '../../foundation/text.ts';
import type { HistoryChange } from '../store/changes.ts';
import type { EnvironmentReason } from './environment.ts';

/** Reasons why a change may begin at a neighboring run, or may not come from the code. */
type Doubted = Pick<HistoryChange, 'neighbor' | 'environment'>;

/**
 * Neighboring run that a change may equally begin with: "this run or its neighbor, 0123456789 Parse twice"; undefined if the step is clear.
 * Untrusted text.
 */
export function neighborText({ neighbor }: Doubted): string | undefined {
  if (neighbor === undefined) {
    return undefined;
  }
  const { commit, subject = '', run, at } = neighbor;
  const name = commit === undefined ? `the run ${run} of ${at.slice(0, 10)}` : `${shortCommit(commit)} ${subject}`;
  return `this run or its neighbor, ${cleanText(name, 100).trim()}`;
}

/** Possible causes outside the code: "may be the machine: first run after a 21-day gap"; undefined without any. Untrusted text. */
export function environmentText({ environment = [] }: Doubted): string | undefined {
  return environment.length === 0 ? undefined : `may be the machine: ${environment.map(reasonText).join('; ')}`;
}

function reasonText(reason: EnvironmentReason): string {
  switch (reason.reason) {
    case 'gap':
      return `first run after a ${reason.days}-day gap`;
    case 'machine':
      return `other machines since then: ${cleanText(reason.before, 100)} \u2192 ${cleanText(reason.after, 100)}`;
    default:
      return `${reason.moved} of ${reason.of} ${reason.what} moved with it`;
  }
}

export function doubtTexts(change: Doubted): readonly string[] {
  return [neighborText(change), environmentText(change)].filter((text) => text !== undefined);
}
