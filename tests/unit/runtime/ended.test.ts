import { describe, expect, test } from 'vitest';
import {
  containerEnd,
  type Ended,
  endSentence,
  lostContainer,
  processEnd,
  processOverLimit,
} from '../../../src/runtime/ended.ts';

const container = { name: 'db', exitCode: 137, limitMiB: 48, log: '' };

// Files that are kept have these sentences.
describe('endSentence', () => {
  test.each<[Ended, string]>([
    [
      processOverLimit(104.5, 64),
      'it ran out of memory (OOM): it was stopped when its memory reached 105 MiB, over the limit of 64 MiB',
    ],
    [processEnd(3, 'first | out of luck'), 'it ended with exit code 3; its last output: first | out of luck'],
    [processEnd(0, ''), 'it ended with exit code 0; it printed nothing'],
    [
      processEnd(1, 'Address already in use', 8080),
      'it ended with exit code 1, because port 8080 was in use; its last output: Address already in use',
    ],
    [processEnd('SIGKILL', ''), 'it was killed by SIGKILL; it printed nothing'],
    [
      processEnd('SIGABRT', 'address already in use', 1),
      'it was killed by SIGABRT, because port 1 was in use; its last output: address already in use',
    ],
    [
      containerEnd({ ...container, exitCode: 'out-of-memory', log: 'serving\neating' }),
      'db ran out of memory (OOM): it was killed at its limit of 48 MiB; its last output: serving\neating',
    ],
    [containerEnd(container), 'db ended with exit code 137; it printed nothing'],
    [lostContainer('db', 'connect ENOENT'), 'the Docker engine has lost db: connect ENOENT'],
    [lostContainer('db', 'it was deleted', 'cluster'), 'the cluster has lost db: it was deleted'],
  ])('describes %j', (end, sentence) => {
    expect(endSentence(end)).toBe(sentence);
  });
});
