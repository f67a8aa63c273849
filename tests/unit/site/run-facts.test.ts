import { describe, expect, it } from 'vitest';
import { runFacts } from '../../../site/model/runs.ts';
import { anEntry } from './runs.ts';

describe('the pull request of a run', () => {
  it.each([
    ['Cache users (#123)', 123],
    ['Merge pull request #45 from fork/cache', 45],
    ['Revert "Cache users (#123)" (#130)', 130],
    ['Cache users (#123) again', undefined],
    ['Close #12', undefined],
    ['Cache users (#12345678901)', undefined],
  ])('of the commit %j is %s', (subject, pullRequest) => {
    const commit = { sha: '0123456789abcdef', subject };
    expect(runFacts(anEntry('r1', '2026-11-21T10:00:00Z', { commit })).pullRequest).toBe(pullRequest);
  });

  it('is that of the entry where it says so', () => {
    const commit = { sha: '0123456789abcdef', subject: 'Cache users (#123)' };
    expect(runFacts(anEntry('r1', '2026-11-21T10:00:00Z', { commit, pullRequest: 7 })).pullRequest).toBe(7);
  });
});
