import { describe, expect, test } from 'vitest';
import { type BuiltPair, identicalServices } from '../../../../src/measure/identical/identical.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { Suite } from '../../../../src/model/suite/suite.ts';
import type { SuiteFiles } from '../../../../src/project/files.ts';
import type { BuiltEntry, BuiltProgram } from '../../../../src/runtime/built-program.ts';
import type { Runtime } from '../../../../src/runtime/port.ts';
import { fakeBench } from '../../../support/fakes.ts';
import { restService, usersSuite } from '../../../support/suite.ts';

type Program = Partial<BuiltProgram> & { readonly files?: Readonly<Record<string, string>> };

function programOf({ files = {}, ...own }: Program): BuiltProgram {
  const entries = Object.entries(files).map(([path, text]): [string, BuiltEntry] => [path, { kind: 'file', text }]);
  return {
    name: 'rest',
    entries: async () => new Map(entries),
    watchable: () => Promise.reject(new RangeError('opens cannot be seen')),
    ...own,
  };
}

interface Sides {
  readonly base: readonly Program[] | Error;
  readonly head: readonly Program[] | Error;
}

function pairOf(
  { base, head }: Sides,
  change: Partial<BuiltPair> = {},
  configHash = 'one',
): BuiltPair & { lines: string[] } {
  const { runtime, client } = fakeBench();
  const suite: Suite = { ...usersSuite(), services: ['rest'] };
  const version = (programs: readonly Program[] | Error, hash: string) => ({
    runtime: {
      ...runtime,
      built: async () => {
        if (programs instanceof Error) {
          throw programs;
        }
        return programs.map(programOf);
      },
    } satisfies Runtime,
    files: { suite, services: new Map([['rest', restService('rest')]]), configHash: hash } as unknown as SuiteFiles,
  });
  const lines: string[] = [];
  return {
    suite,
    versions: { base: version(base, 'one'), head: version(head, configHash) },
    policy: DEFAULT_POLICY,
    client,
    watcher: { folder: '/nowhere', owner: '1:1' },
    log: (line) => void lines.push(line),
    signal: new AbortController().signal,
    lines,
    ...change,
  };
}

const SAME = { base: [{ files: { '/app': 'a' } }], head: [{ files: { '/app': 'a' } }] };
const CHANGED = { base: [{ files: { '/app': 'a' } }], head: [{ files: { '/app': 'b' } }] };

describe('identicalServices', () => {
  test('finds a service whose builds have the same files', async () => {
    expect(await identicalServices(pairOf(SAME))).toEqual([{ service: 'rest' }]);
  });

  test('reads no file of builds with the same id', async () => {
    const entries = () => Promise.reject(new Error('it was read'));
    const pair = pairOf({ base: [{ id: 'one', entries }], head: [{ id: 'one', entries }] });

    expect(await identicalServices(pair)).toEqual([{ service: 'rest' }]);
    expect(pair.lines).toEqual([]);
  });

  test.each([
    ['another configuration', pairOf(SAME, {}, 'two')],
    ['a program more', pairOf({ ...SAME, head: [...SAME.head, { name: 'cache' }] })],
    ['another program', pairOf({ ...SAME, head: [{ ...SAME.head[0], name: 'other' }] })],
    ['one folder for both', pairOf({ base: [{ folder: '/app' }], head: [{ folder: '/app' }] })],
    ['nothing to compare', pairOf({ base: [], head: [] })],
    ['a budget', pairOf(SAME, { policy: { ...DEFAULT_POLICY, budgets: [{ metric: 'latencyP50Ms', limit: 5 }] } })],
  ] as const)('measures with %s', async (_, pair) => {
    expect(await identicalServices(pair)).toEqual([]);
  });

  test.each([
    ['files that cannot be compared', { ...SAME, head: new Error('the disk is gone') }, /the disk is gone/],
    ['opens that cannot be seen', CHANGED, /opens cannot be seen/],
  ])('measures with %s, and says so', async (_, sides, line) => {
    const pair = pairOf(sides);

    expect(await identicalServices(pair)).toEqual([]);
    expect(pair.lines).toEqual([expect.stringMatching(line)]);
  });

  test('takes a budget of another service for no reason', async () => {
    const budgets = [{ service: 'grpc', metric: 'latencyP50Ms', limit: 5 } as const];

    expect(await identicalServices(pairOf(SAME, { policy: { ...DEFAULT_POLICY, budgets } }))).toHaveLength(1);
  });

  test('measures if an operation is not asked', async () => {
    const { suite } = pairOf(CHANGED);
    const operations = suite.operations.map((operation) => ({ ...operation, verify: 'none' as const }));
    const pair = pairOf(CHANGED, { suite: { ...suite, operations } });

    expect(await identicalServices(pair)).toEqual([]);
    expect(pair.lines).toEqual([]);
  });

  test('rejects with the reason of an abort', async () => {
    const aborted = AbortSignal.abort(new Error('enough'));

    await expect(identicalServices(pairOf({ ...SAME, base: new Error('late') }, { signal: aborted }))).rejects.toThrow(
      'enough',
    );
  });
});
