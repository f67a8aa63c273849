import { describe, expect, test } from 'vitest';
import { grownCommands, headCalls, judgedCalls } from '../../../../src/judge/counts/need-calls.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { CallsRecord, CallsStart } from '../../../../src/model/run/calls.ts';
import type { RunInRounds } from '../../../../src/model/run/run.ts';
import { comparisonText } from '../../../../src/report/comparison/document.ts';
import { grownBlocks } from '../../../../src/report/comparison/functions.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { valuesText } from '../../../../src/report/comparison/words.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const REQUESTS = 10;

type Commands = Readonly<Record<string, readonly number[]>>;

function start(side: 'base' | 'head', commands: Commands, change: Partial<CallsStart> = {}): CallsStart {
  const zeros = [0, 0, 0];
  const called = { operation: 'GetUser', need: 'db', requests: REQUESTS };
  const counts = { connections: zeros, roundTrips: zeros, bytes: [9, 9, 9] };
  const operations = [{ ...called, ...counts, commands: { ...commands } as Record<string, number[]> }];
  return { service: 'rest', side, start: 1, operations, idle: [], unread: [], ...change };
}

function runOf(...starts: readonly CallsStart[]): RunInRounds {
  const calls: CallsRecord = { starts: [...starts], failures: [] };
  return { ...sampleRounds(), calls };
}

const judged = (...starts: readonly CallsStart[]) => judgedCalls(runOf(...starts), DEFAULT_POLICY);

const ONE = { 'select 1': [10, 10, 10] };

test('headCalls are the figures of the head alone, by start', () => {
  const two = { 'select 1': [20, 20, 20] };
  const run = runOf(start('head', ONE), start('head', two, { start: 2 }));

  expect(headCalls(run)).toEqual([{ cell: CELL, metric: 'queriesPerRequest', better: 'lower', values: [1, 2] }]);
  expect(judgedCalls(run, DEFAULT_POLICY)).toEqual([]);
});

describe('judgedCalls', () => {
  test('finds a query in a loop, and names what grew', () => {
    const head = { ...ONE, 'select owner from item where id = $1': [200, 200, 200] };
    const run = runOf(start('base', ONE), start('head', head));

    expect(judgedCalls(run, DEFAULT_POLICY)).toMatchObject([
      {
        metric: 'queriesPerRequest',
        verdict: 'regressed',
        family: 'gate',
        base: 1,
        head: 21,
        change: { estimate: 20 },
      },
    ]);
    expect(grownCommands(run.calls as CallsRecord, CELL)).toEqual([
      { need: 'db', text: 'select owner from item where id = $1', base: 0, head: 20 },
    ]);
    expect(judgeRun(run).outcome).toBe('regressed');
  });

  test.each<readonly [string, Commands, Commands, string]>([
    ['the same', ONE, ONE, 'unchanged'],
    ['one more in a single window, as of a pool that reconnects', ONE, { ...ONE, begin: [10, 0, 0] }, 'unchanged'],
    ['one more for every fifth request', ONE, { ...ONE, 'select 2': [2, 2, 2] }, 'slower-within-limit'],
    ['one fewer', { ...ONE, 'select 2': [10, 10, 10] }, ONE, 'improved'],
  ])('says of %s', (_, base, head, verdict) => {
    expect(judged(start('base', base), start('head', head))).toMatchObject([{ verdict }]);
  });

  test('is not a regression if another start of the base has as many', () => {
    const more = { ...ONE, 'select 2': [10, 10, 10] };
    const starts = [
      start('base', ONE),
      start('head', more),
      start('base', more, { start: 2 }),
      start('head', more, { start: 2 }),
    ];

    expect(judged(...starts)).toMatchObject([{ verdict: 'unchanged' }]);
  });

  test('does not count what the service sends without a request', () => {
    const head = start('head', { ...ONE, 'select job': [30, 10, 20] }, { idle: ['select job'] });

    expect(judged(start('base', ONE), head)).toMatchObject([{ verdict: 'unchanged' }]);
    expect(grownCommands(runOf(start('base', ONE), head).calls as CallsRecord, CELL)).toEqual([]);
  });

  test('is judged from none to some, too, and can be accepted', () => {
    const run = runOf(start('base', {}), start('head', ONE));
    const result = judgeRun(run);
    const acceptance = { metric: 'queriesPerRequest', until: '9999-12-31', why: 'it reads its item', upTo: 1 };

    expect(judgedCalls(run, DEFAULT_POLICY)).toMatchObject([{ base: 0, head: 1, verdict: 'regressed' }]);
    expect(judgedCalls(runOf(start('base', ONE), start('head', {})), DEFAULT_POLICY)).toMatchObject([
      { base: 1, head: 0, change: { estimate: -1 }, verdict: 'improved' },
    ]);
    expect(result.outcome).toBe('regressed');
    expect(comparisonText(result)).toContain('0 → 1');
    expect(
      listsOf(result)
        .findings.filter(({ metric }) => metric === 'queriesPerRequest')
        .map(valuesText),
    ).toEqual(['0 → 1']);
    expect(judgeRun(run, { ...DEFAULT_POLICY, accepted: [acceptance] }).outcome).not.toBe('regressed');
  });

  test('can be accepted from none to many', () => {
    const run = runOf(start('base', {}), start('head', { 'select 1': [120, 120, 120] }));
    const acceptance = { metric: 'queriesPerRequest', until: '9999-12-31', why: 'it reads its items', upTo: 8 };

    expect(judgedCalls(run, DEFAULT_POLICY)).toMatchObject([{ base: 0, head: 12, change: { estimate: 8 } }]);
    expect(judgeRun(run, { ...DEFAULT_POLICY, accepted: [acceptance] }).outcome).not.toBe('regressed');
  });

  test('obeys thresholds, gates and budgets of the policy', () => {
    const run = runOf(start('base', ONE), start('head', { 'select 1': [20, 20, 20] }));
    const withPolicy = (change: object) => judgeRun(run, { ...DEFAULT_POLICY, ...change });

    expect(withPolicy({ thresholds: [{ metric: 'queriesPerRequest', threshold: 1.5 }] }).outcome).not.toBe('regressed');
    expect(withPolicy({ thresholds: [{ metric: 'queriesPerRequest', gate: false }] }).outcome).not.toBe('regressed');
    const budgets = [{ metric: 'queriesPerRequest', operation: 'GetUser', limit: 1 }];
    expect(listsOf(withPolicy({ budgets })).budgets).toMatchObject([{ limit: 1, found: 2, verdict: 'over' }]);
  });

  test('names needs that it cannot read, and those that no query reaches', () => {
    const unread = [{ need: 'db', reason: 'the connection is encrypted' }];
    const silent = start('head', {});
    const operations = silent.operations.map((one) => ({ ...one, bytes: [0, 0, 0] }));

    const run = runOf(start('base', ONE, { unread }), { ...silent, operations });

    expect(notesOf({ result: judgeRun(run), run }).remarks).toEqual(
      expect.arrayContaining([
        'REST: queries to db are counted by round trips, since the connection is encrypted.',
        'REST: no query to db was seen. It sends none, or its address comes from neither `${needs.db.port}` nor `${members.db.port}`.',
      ]),
    );
  });
});

const CELL = { suite: 'users', service: 'rest', operation: 'GetUser', tier: 'all' };

test('a report calls the change exact', () => {
  const run = runOf(start('base', ONE), start('head', { 'select 1': [30, 30, 30] }));

  expect(comparisonText(judgeRun(run))).toContain('+200% (exact)');
});

test('queryBlocks has the commands that grew of each operation, without what could steer a terminal', () => {
  const run = runOf(start('base', ONE), start('head', { ...ONE, 'select \u001b[31m "a|b"': [100, 100, 100] }));
  const [block] = grownBlocks(viewComparison(judgeRun(run), run));

  expect(JSON.stringify(block)).toContain('"cells":["db","0","10"]');
  expect(JSON.stringify(block)).not.toContain('\\u001b');
});
