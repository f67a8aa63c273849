import { describe, expect, test } from 'vitest';
import { notStarted, objectsIn, obstacleOf, type Pod, takenAway } from '../../../../src/runtime/kubernetes/pods.ts';

const pod = (status: Partial<Pod['status']>): Pod => ({
  metadata: { name: 'wiregauge-1', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {},
  status: { conditions: [], initContainerStatuses: [], containerStatuses: [], ...status },
});

const waiting = (reason: string, message = '') =>
  pod({ containerStatuses: [{ name: 'service', state: { waiting: { reason, message } } }] });

describe('what keeps a pod from starting', () => {
  test.each([
    ['an image that is not there', waiting('ErrImagePull', 'not found'), 'WG-212', /cannot be pulled.*not found/],
    [
      'a command that is not there',
      waiting('RunContainerError', 'no such file'),
      'WG-309',
      /cannot be started.*no such file/,
    ],
    [
      'an init container that fails',
      pod({
        initContainerStatuses: [{ name: 'migrate', state: { terminated: { exitCode: 3, message: 'no table\n' } } }],
      }),
      'WG-309',
      /init container migrate ended with exit code 3: no table$/,
    ],
    [
      'an eviction',
      pod({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
      'WG-214',
      /Evicted: low on memory/,
    ],
  ])('%s', (_what, seen, code, message) => {
    expect(obstacleOf(seen)).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test.each([waiting('ContainerCreating'), pod({ phase: 'Pending' }), pod({ phase: 'Failed' })])(
    'is not: %#',
    (seen) => {
      expect(obstacleOf(seen)).toBeUndefined();
    },
  );

  test('a lack of CPU is named with what it takes', () => {
    const message = '0/1 nodes are available: 1 Insufficient cpu.';
    const seen = pod({ conditions: [{ type: 'PodScheduled', status: 'False', message }] });

    expect(notStarted('wiregauge-1', seen)).toMatchObject({
      code: 'WG-214',
      message: expect.stringContaining(message),
      next: expect.stringContaining('both versions at once'),
    });
    expect(notStarted('wiregauge-1', undefined).next).toContain('kubectl describe pod wiregauge-1');
  });

  test('an init container that does not end is named', () => {
    const seen = pod({
      initContainerStatuses: [{ name: 'migrate', state: { running: {} } }],
      containerStatuses: [{ name: 'service', state: { waiting: { reason: 'PodInitializing' } } }],
    });

    expect(notStarted('wiregauge-1', seen).message).toMatch(/: the init container migrate still runs$/);
  });
});

test('a pod that the cluster ends is distinguished from one whose program ends', () => {
  const ended = pod({
    phase: 'Failed',
    containerStatuses: [{ name: 'service', state: { terminated: { reason: 'Error', exitCode: 143 } } }],
  });

  expect(takenAway(ended)).toBeUndefined();
  expect(takenAway({ ...ended, metadata: { ...ended.metadata, deletionTimestamp: '2026-01-01T00:01:00Z' } })).toBe(
    'it was deleted',
  );
  const conditions = [{ type: 'DisruptionTarget', status: 'True', message: 'Eviction API: evicting' }];
  expect(takenAway({ ...pod({ conditions }), metadata: { ...ended.metadata, deletionTimestamp: 'now' } })).toBe(
    'Eviction API: evicting',
  );
  expect(takenAway(pod({ conditions, reason: 'Terminated', message: '' }))).toBe('Terminated: Eviction API: evicting');
  const past = conditions.map((one) => ({ ...one, status: 'False' }));
  expect(takenAway(pod({ conditions: past, reason: 'Terminated' }))).toBe('Terminated');
  expect(takenAway(pod({ ...ended.status, reason: 'Evicted', message: 'low on memory' }))).toBe(
    'Evicted: low on memory',
  );
});

test('objects that kubectl prints one after the other are distinguished', () => {
  const heard: unknown[] = [];
  const line = objectsIn((text) => heard.push(JSON.parse(text)));
  for (const text of `${JSON.stringify({ a: { b: '}' } }, undefined, 4)}\n{"c":1}\n${JSON.stringify({ d: 2 }, undefined, 4)}`.split(
    '\n',
  )) {
    line(text);
  }

  expect(heard).toEqual([{ a: { b: '}' } }, { c: 1 }, { d: 2 }]);
});
