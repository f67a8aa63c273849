import { describe, expect, test } from 'vitest';
import { type Ended, endSentence } from '../../../src/runtime/ended.ts';

// These sentences stand in files that are kept, so that they are compared letter by letter.
describe('endSentence', () => {
  test.each<[string, Ended, string]>([
    [
      'a process that was ended over its limit',
      { of: 'process', kind: 'out-of-memory', limitMiB: 64, memoryMiB: 104.5 },
      'it ran out of memory (OOM): it was stopped when its memory reached 105 MiB, over the limit of 64 MiB',
    ],
    [
      'a process that left',
      { of: 'process', kind: 'exit', code: 3, printed: 'first | out of luck' },
      'it ended with exit code 3; its last output: first | out of luck',
    ],
    [
      'a process without words',
      { of: 'process', kind: 'exit', code: 0, printed: '' },
      'it ended with exit code 0; it printed nothing',
    ],
    [
      'a process whose port was taken',
      { of: 'process', kind: 'exit', code: 1, printed: 'Address already in use', takenPort: 8080 },
      'it ended with exit code 1, because port 8080 was in use; its last output: Address already in use',
    ],
    [
      'a process that was killed',
      { of: 'process', kind: 'signal', signal: 'SIGKILL', printed: '' },
      'it was killed by SIGKILL; it printed nothing',
    ],
    [
      'a process that was killed when its port was taken',
      { of: 'process', kind: 'signal', signal: 'SIGABRT', printed: 'address already in use', takenPort: 1 },
      'it was killed by SIGABRT, because port 1 was in use; its last output: address already in use',
    ],
    [
      'a container that was killed over its limit',
      { of: 'container', name: 'db', kind: 'out-of-memory', limitMiB: 48, printed: 'serving\neating' },
      'db ran out of memory (OOM): it was killed at its limit of 48 MiB; its last output: serving\neating',
    ],
    [
      'a container that ended',
      { of: 'container', name: 'db', kind: 'exit', code: 137, printed: '' },
      'db ended with exit code 137; it printed nothing',
    ],
    [
      'a container that the engine has lost',
      { of: 'container', name: 'db', kind: 'unknown', reason: 'connect ENOENT' },
      'the Docker engine has lost db: connect ENOENT',
    ],
    [
      'what was started by somebody else',
      { of: 'listener', kind: 'unknown', address: '127.0.0.1:8080' },
      'nothing listens at 127.0.0.1:8080 any longer',
    ],
  ])('describes %s', (_what, end, sentence) => {
    expect(endSentence(end)).toBe(sentence);
  });
});
