import { describe, expect, it } from 'vitest';
import {
  changeGroups,
  environmentOf,
  isWorse,
  lastChanges,
  lately,
  levelsText,
  shiftText,
  sizeText,
  statusText,
  withNewestLoads,
} from '../../../site/model/changes.ts';
import { chartEvents, eventsText, machineNumbers } from '../../../site/model/events.ts';
import { headline, runTitle } from '../../../site/model/headline.ts';
import { opening } from '../../../site/model/opening.ts';
import { parseState } from '../../../site/model/state.ts';
import { EMPTY_STORE, withSegment } from '../../../site/model/store.ts';
import { agoText, figureText, seriesLabel } from '../../../site/model/words.ts';
import { seriesKey } from '../../../src/history/store/entry.ts';
import { aChange, anEntry, anErrorRate, aRun, aSegment, aSeries } from './runs.ts';

const RATE = aSeries({ metric: 'achievedRps', unit: '1/s', better: 'higher' });

describe('changes', () => {
  it.each([
    [aChange({ shift: 0.2 }), true, '20% slower'],
    [aChange({ shift: -0.09 }), false, '9.0% faster'],
    [aChange({ series: RATE, shift: -0.2 }), true, '20% slower'],
    [aChange({ series: aSeries({ metric: 'peakMemoryMiB', unit: 'MiB' }), shift: 0.2 }), true, '20% worse'],
    [aChange({ series: anErrorRate(), before: 0, after: 0.5, shift: 0.5 }), true, '50 points worse'],
    [aChange({ series: anErrorRate(), before: 0.5, after: 0, shift: -0.5 }), false, '50 points better'],
  ])('know which way is worse', (change, worse, word) => {
    expect(isWorse(change)).toBe(worse);
    expect(sizeText(change)).toBe(word);
  });

  it('call a tier as the newest runs do, though those in which they were found did not say what it asks for', () => {
    const loaded = aSeries({ load: '1,000 users' });
    const found = [aChange(), aChange({ series: aSeries({ tier: 'gone' }) })];

    const changes = withNewestLoads(found, new Map([[seriesKey(loaded), loaded]]));

    expect(changes).toEqual([{ ...aChange(), series: loaded }, found[1]]);
    expect(changes.map(({ series }) => seriesLabel(series))).toEqual([
      'REST, all operations, 1,000 users (high): p95 latency',
      'REST, all operations, gone: p95 latency',
    ]);
  });

  it('say why they may come from the environment, each reason once', () => {
    const doubted = { environment: [{ reason: 'many', moved: 3, of: 4, what: 'services' }] } as const;
    const [group] = changeGroups([aChange(doubted), aChange({ ...doubted, series: aSeries({ tier: 'low' }) })]);

    expect(group && environmentOf(group)).toEqual(['may be the machine: 3 of 4 services moved with it']);
    expect(lately(group === undefined ? [] : [group], 0)).toBe('1 change for the worse');
  });

  it('are grouped by the run they begin with, the newest first, pending ones last', () => {
    const groups = changeGroups([
      aChange({ run: 'a', at: '2026-11-01T00:00:00.000Z' }),
      aChange({ run: 'b', at: '2026-11-09T00:00:00.000Z', shift: -0.5 }),
      aChange({
        run: 'b',
        at: '2026-11-09T00:00:00.000Z',
        series: aSeries({ tier: 'low' }),
        shift: 0.1,
        pending: true,
      }),
    ]);

    expect(groups.map(({ run, isPending }) => [run, isPending])).toEqual([
      ['b', false],
      ['a', false],
    ]);
    expect(groups[0]?.changes.map(({ shift }) => shift)).toEqual([-0.5, 0.1]);
  });

  it('of one commit begin with a settled one, and have the date of the newest', () => {
    const commit = '89fe35b';
    const settled = aChange({ commit, run: 'a', at: '2026-11-01T00:00:00.000Z', shift: -0.1 });
    const pending = aChange({ commit, run: 'b', at: '2026-11-09T00:00:00.000Z', shift: 0.4, pending: true });
    const between = aChange({ run: 'c', at: '2026-11-05T00:00:00.000Z' });

    const groups = changeGroups([pending, settled, between]);

    expect(groups.map(({ run }) => run)).toEqual(['a', 'c']);
    expect(groups[0]).toMatchObject({ changes: [settled, pending], turn: 'better', at: Date.parse(pending.at) });
  });

  it('are of one commit, across its runs, with both levels in one unit', () => {
    const series = aSeries({ service: 'cargo', metric: 'value', unit: 'ns' });
    const groups = changeGroups([
      aChange({ run: 'a', commit: '89fe35b', series, before: 1043, after: 970.5, shift: -0.07 }),
      aChange({ run: 'b', commit: '89fe35b' }),
    ]);

    expect(groups.map(({ changes }) => changes.map(levelsText))).toEqual([
      ['10.0 ms to 12.0 ms', '1.043 µs to 0.9705 µs'],
    ]);
  });

  it('name all operations at saturation first where sizes are alike', () => {
    const whole = aSeries({ tier: 'saturation' });
    const [group] = changeGroups([aChange({ shift: 0.151 }), aChange({ series: whole, shift: 0.15 })]);

    expect(group?.changes[0]?.series).toEqual(whole);
  });

  it('name error rates first, as what they were and are', () => {
    const errors = aChange({ series: anErrorRate(), before: 0, after: 0.02, shift: 0.02 });
    const groups = changeGroups([aChange({ shift: 9 }), errors]);

    expect(groups[0]?.changes[0]).toBe(errors);
    expect(levelsText(errors)).toBe('0% → 2%');
    expect(lately(groups, 0)).toBe('1 change for the worse');
    expect(shiftText(errors)).toBe('0% → 2%');
    expect(isWorse(errors)).toBe(true);
  });

  it('say how sure they are', () => {
    expect(statusText(aChange({ runsAfter: 9 }))).toBe('9 runs since');
    expect(statusText(aChange({ runsAfter: 1, pending: true }))).toBe('pending: only 1 run since');
    expect(levelsText(aChange())).toBe('10.0 ms to 12.0 ms');
  });

  it('are known by the newest one of each series', () => {
    const later = aChange({ at: '2026-11-22T00:00:00.000Z', shift: -0.1 });

    expect(lastChanges([later, aChange()]).get(seriesKey(aSeries()))).toBe(later);
  });

  it('are summed up for the last days', () => {
    const groups = changeGroups([
      aChange({ subject: 'Log more' }),
      aChange({ run: 'b', pending: true, at: '2026-11-22T00:00:00.000Z' }),
    ]);

    expect(lately(groups, 0)).toBe('1 change for the worse, 1 pending');
    expect(lately(groups, Date.parse('2027-01-01'))).toBe('no change');
  });
});

describe('the headline', () => {
  const anchored = (limits: number | undefined) =>
    aRun({
      kind: 'anchored',
      anchor: { name: 'v1.4.0', commit: 'b'.repeat(40), ...(limits !== undefined && { limits }) },
    });
  const key = seriesKey(aSeries());
  const series = new Map([[key, aSeries()]]);
  const verdict = {
    key,
    verdict: 'regressed' as const,
    value: 12,
    change: 0.081,
    low: 0.07,
    high: 0.09,
    accepted: undefined,
  };

  it.each([
    [aRun(), 'Passed', '4 series, none over its limit'],
    [
      aRun({ outcome: 'regressed', verdicts: [verdict] }),
      'Regression',
      'REST, all operations, high: p95 latency +8.1% (interval +7.0% to +9.0%)',
    ],
    [aRun({ verdicts: [{ ...verdict, accepted: 'signed answers' }] }), 'Passed', '4 series, 1 accepted'],
    [anchored(3), 'Passed', '4 series, none over its limit'],
    [anchored(0), 'Measured', '4 series against v1.4.0; no drift limit is set'],
    [anchored(undefined), 'Measured', '4 series against v1.4.0; no drift limit is set'],
    [
      aRun({ ...anchored(0), outcome: 'failed' }),
      'Failed',
      'something could not be measured; see the run for the reasons',
    ],
    [aRun({ outcome: 'incomplete' }), 'Incomplete', 'something could not be measured; see the run for the reasons'],
  ])('says what the latest run showed', (run, word, text) => {
    expect(headline(run, series)).toMatchObject({ word, text });
  });

  it('names errors before all else, and how many there are', () => {
    const errors = { ...verdict, key: seriesKey(anErrorRate()), value: 0.5, change: undefined };
    const known = new Map([...series, [errors.key, anErrorRate()] as const]);

    expect(headline(aRun({ outcome: 'suspicious', verdicts: [verdict, errors] }), known)).toMatchObject({
      status: 'worse',
      word: 'Suspicious',
      text: 'REST, all operations, high: error rate 50.0%, and 1 more series',
    });
    expect(headline(aRun({ outcome: 'regressed' }), known).text).toBe(
      'something without a series; see the run for the reasons',
    );
  });

  it('calls a run without a subject by its name', () => {
    expect(runTitle(aRun({ subject: undefined }))).toBe('run r1');
  });
});

describe('marks of a chart', () => {
  const runs = [
    aRun({ run: 'a' }),
    aRun({ run: 'b', tags: ['v1', 'v1.0'] }),
    aRun({ run: 'c', machine: 'B CPU, 2 cores' }),
    aRun({ run: 'd', machine: undefined }),
    aRun({
      run: 'e',
      machine: 'B CPU, 2 cores',
      verdicts: [{ key: 'k', verdict: 'regressed', value: 2, change: 1, low: 1, high: 1, accepted: 'ok' }],
    }),
  ];

  it('are releases, changes, acceptances and machines', () => {
    const change = aChange({ run: 'd', shift: 0.08 });
    const events = chartEvents(runs, [change, { ...change, run: 'elsewhere' }], new Set(['k']));

    expect(events.map(({ kind, place }) => `${kind} ${place}`)).toEqual([
      'release 1',
      'machine 2',
      'worse 3',
      'accepted 4',
    ]);
    expect(eventsText(events)).toBe('Marked: 1 change point, 1 release, 1 accepted regression, 1 change of machine.');
    expect(eventsText([])).toBe('No markers.');
  });

  it('number machines in the order in which they come', () => {
    expect([...machineNumbers(runs)]).toEqual([0, 0, 1, -1, 1]);
  });
});

const WHOLE = { index: { segments: [] }, problems: [], unread: [] };
const BROKEN = {
  index: { segments: [aSegment('2026-11-02', '2026-11-21')] },
  problems: [{ file: 'history/2026-11.jsonl' }],
  unread: [],
};

describe('what the page opens with', () => {
  const store = withSegment(EMPTY_STORE, 'a', [
    anEntry('r', '2026-11-01T00:00:00.000Z', { series: [RATE, aSeries()], values: [1, 2], spreads: [null, null] }),
  ]);

  it('is the newest change for the worse, else the most informative series, and never one not asked for', () => {
    const slower = [aChange({ series: RATE, shift: -0.1 })];

    expect(opening({ store, changes: slower, ...WHOLE }, parseState(''))?.series).toBe(seriesKey(RATE));
    expect(opening({ store, changes: [], ...WHOLE }, parseState(''))).toEqual({ series: seriesKey(aSeries()) });
    expect(opening({ store, changes: [], ...WHOLE }, { ...parseState(''), series: 'x' })).toBeUndefined();
    expect(opening({ store: EMPTY_STORE, changes: [], ...WHOLE }, parseState(''))).toBeUndefined();
  });

  it('shows a change that the newest runs do not show, unless too much would have to be read', () => {
    const change = aChange({ series: RATE, shift: -0.1, run: 'older', at: '2026-08-09T00:00:00.000Z' });
    const unread = (count: number) => Array.from({ length: count }, () => aSegment('2026-08-01', '2026-08-31'));
    const series = seriesKey(RATE);

    expect(opening({ store, changes: [change], ...WHOLE, unread: unread(2) }, parseState(''))).toEqual({
      series,
      run: 'older',
    });
    expect(opening({ store, changes: [change], ...WHOLE, unread: unread(3) }, parseState(''))).toEqual({ series });
    expect(opening({ store, changes: [{ ...change, run: 'r' }], ...WHOLE }, parseState(''))).toEqual({ series });
  });

  it('is not a change of a run that cannot be read', () => {
    const change = aChange({ series: RATE, shift: -0.1, run: 'lost', at: '2026-11-09T00:00:00.000Z' });

    expect(opening({ store, changes: [change], ...BROKEN }, parseState(''))).toEqual({ series: seriesKey(aSeries()) });
    expect(opening({ store, changes: [{ ...change, run: 'r' }], ...BROKEN }, parseState(''))?.series).toBe(
      seriesKey(RATE),
    );
  });
});

describe('words', () => {
  it.each([
    [aSeries(), 12.345, '12.3 ms'],
    [aSeries({ metric: 'own', unit: 'ops/s' }), 123_456.7, '123,500 ops/s'],
    [aSeries({ metric: 'constructor', unit: '' }), 0.000_012, '1.2e-5'],
    [aSeries(), undefined, '\u2013'],
  ])('write a figure with its unit', (series, value, text) => {
    expect(figureText(series, value)).toBe(text);
  });

  it('name a series, and how long ago something was', () => {
    const now = Date.parse('2026-11-21T00:10:00Z');

    expect(seriesLabel(RATE)).toBe('REST, all operations, high: achieved rate');
    expect([now, now - 3_600_000, now - 86_400_000 * 3].map((at) => agoText(at, now))).toEqual([
      'today',
      'yesterday',
      '3 days ago',
    ]);
  });
});
