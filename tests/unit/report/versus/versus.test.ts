import { describe, expect, test } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { Table } from '../../../../src/report/document.ts';
import { roundSections, viewRounds, viewVersus } from '../../../../src/report/versus/view.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { STUDIES, studyFindings } from '../../../../studies/index.ts';
import { remembered } from '../../../support/remembered.ts';
import { REPORTS } from '../../../support/reports.ts';
import { withLists } from '../../../support/result-lists.ts';
import { SLOWER_STARTS, withCounts } from '../../../support/sample-counts.ts';
import type { SampleRoundsOptions } from '../../../support/sample-rounds.ts';
import { sampleMainJob, sampleVersus } from '../../../support/sample-versus.ts';

/** gRPC against REST; `worse` says of which side. */
const judgmentOf = remembered((options: SampleRoundsOptions) => {
  const run = sampleVersus(options);
  return { run, against: undefined, compared: judgeRun(run) };
});

/** The table of a section. */
function tableOf({ sections }: ReturnType<typeof viewVersus>, id: string): Table | undefined {
  const block = sections.find((section) => section.id === id)?.blocks[0];
  return block?.kind === 'table' ? block : undefined;
}

function claims(options: SampleRoundsOptions): readonly string[] {
  const { run, compared } = judgmentOf(options);
  return viewVersus(run, compared, STUDIES).claims ?? [];
}

const cpu = (side: 'base' | 'head', by: number) => ({ metric: 'cpuMicrosPerRequest' as const, side, by });
const rate = (side: 'base' | 'head', by: number) => ({ metric: 'achievedRps' as const, side, by });

describe('the claims', () => {
  test('name the service that is better first', () => {
    expect(claims({ worse: [cpu('base', 1)] })[0]).toMatch(
      /^gRPC serves (2\.0\d|1\.9\d) \[[\d.]+, [\d.]+\] times as many requests per CPU second as REST\.$/,
    );
    expect(claims({ worse: [cpu('head', 1)] })[0]).toMatch(/^REST serves (2\.0\d|1\.9\d) .* times as many .* as gRPC/);
  });

  test('give the lower end of an interval first, for either direction', () => {
    for (const side of ['base', 'head'] as const) {
      const [, low = '', high = ''] =
        /\[([\d.]+), ([\d.]+)\]/.exec(claims({ worse: [rate(side, 0.3)] })[1] ?? '') ?? [];

      expect(Number(low)).toBeLessThan(Number(high));
      expect(Number(low)).toBeGreaterThan(1);
    }
  });

  test('say so where two are alike', () => {
    expect(claims({})[0]).toMatch(
      /^gRPC serves as many requests per CPU second as REST: (1\.0\d|0\.9\d\d) \[[\d., ]+\] times\.$/,
    );
  });

  test('say so where the rounds are too few', () => {
    expect(claims({ rounds: 3, worse: [cpu('base', 1)] })[0]).toMatch(
      /^Not enough rounds for a verdict \(3 of 8; the time budget of 10 min ran out\)\.$/,
    );
    expect(claims({ rounds: 3 })[1]).toMatch(
      /^(gRPC|REST) serves 1\.\d+ times as many requests per CPU second as (REST|gRPC)\.$/,
    );
    expect(claims({ rounds: 1 })[0]).toMatch(/\(1 of 8; .* ran out\)\.$/);
  });
});

describe('counted instructions', () => {
  const failures = [{ service: 'grpc', side: 'base' as const, message: 'it ended by itself', next: 'Look.' }];
  const countedOf = (counts: Parameters<typeof withCounts>[1], options: SampleRoundsOptions = {}) => {
    const plain = sampleVersus(options);
    const { instructions } = withCounts(plain, counts);
    const starts = instructions?.starts.map((start) => ({ ...start, service: 'grpc' })) ?? [];
    const run = { ...plain, ...(instructions && { instructions: { ...instructions, starts } }) };
    return { run, against: undefined, compared: judgeRun(run) };
  };

  test('are a row with a ratio and their starts, however few the rounds are', () => {
    const { run, compared } = countedOf({ head: SLOWER_STARTS }, { rounds: 3 });
    const row = tableOf(viewVersus(run, compared, STUDIES), 'pairing-1')?.rows.find(({ head }) =>
      head.includes('instructions'),
    );

    expect(row?.cells.slice(2)).toEqual([
      expect.stringMatching(/^1\.01/),
      '',
      { text: 'worse', tone: 'worse' },
      'low',
      '2 starts',
    ]);
  });

  test('are explained by no words about a pull request', () => {
    const judged = countedOf({ head: SLOWER_STARTS });

    expect(notesOf({ ...judged, result: judged.compared }).notes.join()).not.toMatch(/counts show smaller changes/);
  });

  test('name the service that could not be counted', () => {
    const judged = countedOf({ base: [], head: [], failures });

    expect(notesOf({ ...judged, result: judged.compared }).notes.join()).toContain(
      'gRPC: instructions were not counted, REST: it ended by itself.',
    );
  });
});

test('a time has what it is more or less in its own unit, with the interval of its ratio', () => {
  const { run, compared } = judgmentOf({ worse: [cpu('base', 1)] });
  const rows = tableOf(viewVersus(run, compared, STUDIES), 'pairing-1')?.rows ?? [];
  const own = rows.find(({ head }) => head.includes('CPU') && head.includes('saturation'))?.cells as string[];
  const [, less, low, high] = /^−([\d.,]+) µs \[−([\d.,]+), −([\d.,]+)\]$/.exec(own[3] ?? '') ?? [];
  const half = Number(own[0]?.replace(' µs', '')) / 2;

  expect(Number(less) / half).toBeCloseTo(1, 1);
  expect(Number(low)).toBeGreaterThan(Number(less));
  expect(Number(high)).toBeLessThan(Number(less));
  expect(rows.find(({ head }) => head.includes('requests/s'))?.cells[3]).toBe('');
});

test('a difference that is small against its interval has the decimals of the interval', () => {
  const { run, compared } = judgmentOf({});
  const rows = tableOf(viewVersus(run, compared, STUDIES), 'pairing-1')?.rows ?? [];
  const differences = rows.flatMap(({ cells }) => (typeof cells[3] === 'string' && cells[3] !== '' ? [cells[3]] : []));

  expect(differences.length).toBeGreaterThan(3);
  for (const difference of differences) {
    const figures = difference.match(/\d[\d.,]*\d/g) ?? [];
    expect([difference, new Set(figures.map((one) => one.split('.')[1]?.length ?? 0)).size]).toEqual([difference, 1]);
  }
});

describe.each(Object.entries(REPORTS))('the %s report', (_name, report) => {
  test('is about services, not about versions', () => {
    const text = report(judgmentOf({ worse: [cpu('base', 1)] }));

    expect(text).toContain('gRPC against REST');
    const words = text.replace(/<head>[\s\S]*<\/head>|<script>[\s\S]*?<\/script>|<[^>]+>/g, '');
    expect(words).not.toMatch(/\b[Bb]ase\b|\b[Hh]ead\b|[Rr]egress|threshold|version/);
  });

  test('ranks three services, the reference among them', () => {
    const services = ['grpc', 'rest-development'] as const;
    const { run, compared } = judgmentOf({ services, worse: [{ ...cpu('base', 1), service: 'grpc' }] });

    expect(
      tableOf(viewVersus(run, compared, STUDIES), 'ranking')?.rows.map(({ cells }) => cells[0] === 'reference'),
    ).toEqual([false, expect.any(Boolean), expect.any(Boolean)]);
    expect(report({ run, against: undefined, compared })).toContain('reference');
  });
});

describe.each(Object.entries(REPORTS))('the %s report of a main job with rounds', (name, report) => {
  const plain = (text: string) =>
    text
      .replace(/<head>[\s\S]*<\/head>|<[^>]+>/g, '')
      .replaceAll('\u00a0', ' ')
      .replace(/\s+/g, ' ')
      .replaceAll('\\', '');

  test('begins with who serves more, then has the figures of the rounds, then the tiers', () => {
    const text = plain(report(sampleMainJob({ worse: [cpu('base', 1)] })));

    const claim = text.search(/gRPC serves [\d.]+ .*times as many requests per CPU second as REST/);
    const figures = text.indexOf('ratio [95%');
    expect(claim).toBeGreaterThanOrEqual(0);
    expect(figures).toBeGreaterThan(claim);
    expect(text.lastIndexOf('0.51 ms')).toBeGreaterThan(figures);
  });

  test('claims nothing of rounds that are too few', () => {
    expect(plain(report(sampleMainJob({ rounds: 3, worse: [cpu('base', 1)] })))).toContain(
      '(3 of 8; the time budget of 10 min ran out)',
    );
  });

  test('has each fact once', () => {
    const text = plain(report(sampleMainJob()));

    // The terminal shows none.
    expect(text.split('alternating blocks').length - 1).toBe(name === 'terminal' ? 0 : 1);
    expect(text.split('CPU model').length).toBe(
      plain(report({ ...sampleMainJob(), compared: undefined })).split('CPU model').length,
    );
  });
});

test('knows no rounds of a main job without them', () => {
  expect(viewRounds({ run: sampleMainJob().run, against: undefined }, STUDIES)).toBeUndefined();
});

describe('containers against plain processes', () => {
  const contained = remembered((options: SampleRoundsOptions) => {
    const run = sampleVersus({ services: ['grpc', 'rest-development'], ...options });
    const references = { grpc: 'grpc-process', 'rest-development': 'rest-process' };
    const versus = { reference: 'grpc-process', references };
    const own = { ...run, rounds: { ...run.rounds, versus } };
    return { run: own, against: undefined, compared: judgeRun(own) };
  });

  test('are each compared with their own, and not ranked among each other', () => {
    const { run, compared } = contained({ worse: [{ ...cpu('head', 1), service: 'grpc' }] });
    const view = viewVersus(run, compared, STUDIES);

    expect(view.sections.flatMap(({ kin, title }) => (kin === 'pairings' ? title : [])).toSorted()).toEqual([
      'REST development against rest-process',
      'gRPC against grpc-process',
    ]);
    expect(view.claims.join(' ')).toMatch(/grpc-process serves (2\.0|1\.9)\d .* times as many .* as gRPC/);
    expect(tableOf(view, 'ranking')).toBeUndefined();
    const [cost, capacity, latency] =
      tableOf(view, 'containers')?.rows.find(({ head }) => head === 'gRPC')?.cells ?? [];
    expect(cost).toMatch(/^(2\.0|1\.9)\d \[[\d.]+, [\d.]+\]$/);
    expect(capacity).toMatch(/^[\d.]+ \[[\d.]+, [\d.]+\]$/);
    expect(latency).toMatch(/(^|; )GetUser at 100 users: [\d.]+ \[[\d.]+, [\d.]+\](;|$)/);
  });

  test.each(Object.entries(REPORTS))('have a table in the %s report', (_name, report) => {
    expect(report(contained({}))).toContain('What containers cost');
  });

  test('say once what several services lost alike', () => {
    const { run, compared } = judgmentOf({});
    const lost = (service: string, detail: string) => ({
      cell: { suite: run.suite.name, service, operation: 'ListUsers', tier: 'low' },
      reason: 'missing' as const,
      detail,
      rows: 1,
    });
    const uncompared = [
      lost('rest', 'missing'),
      lost('grpc', 'missing'),
      lost('rest', 'missing'),
      lost('grpc', 'other'),
    ];

    const notes = viewVersus(run, withLists(compared, { uncompared }), STUDIES).notes.filter((note) =>
      note.startsWith('Not compared'),
    );

    expect(notes).toEqual([
      expect.stringMatching(/^Not compared: REST and gRPC .*ListUsers.*: missing\.$/),
      expect.stringMatching(/^Not compared: gRPC .*ListUsers.*: other\.$/),
    ]);
  });

  test('name the service that lost a cell', () => {
    const run = sampleVersus({
      rounds: 3,
      mend: (sample) =>
        sample.side === 'head' && sample.cell.operation === 'ListUsers' && sample.cell.tier === 'low'
          ? undefined
          : sample,
    });

    const { notes } = viewVersus(run, judgeRun(run), STUDIES);

    expect(notes.join(' ')).toContain('missing in all rounds of grpc');
  });

  test('have no section in a run of one runtime: what was not compared is listed with the rest', () => {
    const { run, compared } = judgmentOf({});
    const view = { ...viewVersus(run, compared, STUDIES), notes: ['Not compared: gRPC at 500 users.'] };
    const [first] = roundSections(view);

    expect(first?.title).toBe('gRPC against REST');
    expect(first?.blocks.at(-1)).toMatchObject({ kind: 'list', items: view.notes });
  });

  test('answer findings that hold one against the other, and none across two references', () => {
    const { run, compared } = contained({ worse: [{ ...cpu('head', 1), service: 'grpc' }] });
    const place = { tier: 'saturation', metric: 'cpuMicrosPerRequest', atLeast: 1.5 } as const;
    const findings = [
      { says: 'dearer', holdsIf: [{ ...place, service: 'grpc', against: 'grpc-process' }] },
      { says: 'across', holdsIf: [{ ...place, service: 'grpc', against: 'rest-development' }] },
    ];
    const services = ['grpc', 'grpc-process', 'rest-development'].map((name) => ({ ...run.services[0], name }));
    const published = { source: 'a study', note: '', figures: [], findings };
    const studied = { ...run, services, suite: { ...run.suite, published } } as typeof run;

    expect(studyFindings({ run: studied, compared, against: undefined }).map(({ holding }) => holding)).toEqual([
      'holds',
      'unclear',
    ]);
  });
});
