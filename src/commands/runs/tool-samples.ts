import { type KnownMetrics, MEASURED_METRICS } from '../../config/schema/metric-names.ts';
import type { GivenDirection } from '../../config/schema/policy.ts';
import { counted, formatShare, significant } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { plainText, wordList } from '../../foundation/text.ts';
import type { BenchmarkTool } from '../../history/adapters/adapters.ts';
import type { ToolFailure } from '../../history/adapters/results.ts';
import { IMPORTED_PLACE } from '../../history/exchange/export.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import type { CellErrors, Compared, ComparisonInput, FromZero, Lost } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS, type CellKey, memberOf } from '../../model/metric.ts';
import { gatesUsually } from '../../model/policy.ts';
import { samplesInput } from './samples.ts';
import {
  type BenchmarkRounds,
  type InRounds,
  readBenchmarks,
  roundsOfFiles,
  roundsOfRepetitions,
  shortName,
  type ToolBenchmarks,
  type ToolOutputs,
} from './tool-rounds.ts';

/**
 * Figures, failures and omissions in outputs of a benchmark tool, ready to be judged, and the metrics that a policy may name: with one file per side
 * each repetition is a round, with several each file. Throws ConfigError with the files if one is from an unknown tool, or if they do not match.
 */
export function toolSamples(outputs: ToolOutputs) {
  const found = readBenchmarks(outputs);
  const input = (given = NONE_GIVEN): ComparisonInput => {
    const benchmarks = found.benchmarks.map((one) => ({ ...one, better: given(one) ?? one.better }));
    if (outputs.base.length > 1) {
      return inputOf({ ...found, benchmarks }, roundsOfFiles(benchmarks));
    }
    const of = inputOf({ ...found, benchmarks }, roundsOfRepetitions(benchmarks));
    const names = [...outputs.base, ...outputs.head].map(({ file }) => plainText(file, 100));
    // Two files do not show that they were measured in turns, and they seldom are.
    const note = `${wordList(names)} count as measured one after the other: changes of the machine between them count as changes. For the false-alarm rate to hold, measure in turns, and pass the files of each round.`;
    return { ...of, interleaved: false as const, notes: [note, ...of.notes] };
  };
  const metrics = (given = NONE_GIVEN): KnownMetrics => {
    const directed = found.benchmarks.map((one) => [one.metric, given(one) ?? one.better] as const);
    // A metric that lacks a direction in some benchmark gets that of the others.
    return new Map(directed.toSorted(([, one], [, other]) => Number(other === 'unknown') - Number(one === 'unknown')));
  };
  return { input, metrics };
}

const NONE_GIVEN: GivenDirection = () => undefined;

function inputOf(found: ToolBenchmarks, rounds: BenchmarkRounds): ComparisonInput {
  const { tool } = found;
  const failedCells = new Set([...found.failures.base, ...found.failures.head].map(({ name }) => name));
  const gates = gatesOf(tool, found.benchmarks);
  const wrongAnswers = mixedFailures(rounds, tool);
  const all = rounds.of.map((one) => ({ one, cell: cellOf(one.name, tool), fate: fateOf(one, wrongAnswers) }));
  const of = (kind: Fate['kind']) => all.filter(({ fate }) => fate.kind === kind);
  const input = samplesInput(
    of('compared').map(({ one }) => seriesOf(one, tool, gates)),
    new Map([[tool, Array.from({ length: rounds.count }, () => undefined)]]),
  );
  // If a benchmark failed in one version, it is expected that only the other has its figures.
  const isNews = ({ reason, cell }: Lost) =>
    (reason !== 'gone' && reason !== 'new') || !failedCells.has(cell.operation);
  return {
    ...input,
    lost: [
      ...failuresOf(found),
      ...unreadOf(found, gates),
      ...all.flatMap(({ one: { name, metric }, cell, fate }): readonly Lost[] => {
        const takes = [{ cell, metric, gate: fate.isOpen !== false && gates(name, metric) }];
        return fate.kind === 'lost' ? [{ cell, metric, takes, reason: fate.reason, detail: fate.detail }] : [];
      }),
      ...input.lost.filter(isNews),
    ],
    errors: of('counts').map(({ one, cell }): CellErrors => ({ cell, rounds: one.counts })),
    fromZero: of('from-zero').map(({ one, cell }): FromZero => {
      const { metric, better, base, head } = one;
      return {
        ...{ cell, metric, ...unitOf(one), better: better === 'higher' ? 'higher' : 'lower' },
        ...{ base: medianOf(base), head: medianOf(head), rounds: base.length },
      };
    }),
    // A budget also applies to figures without a ratio, such as 0 in the base.
    readings: all.flatMap(({ one: { metric, better, head }, cell }) => {
      const values = head.flatMap((value) => value ?? []);
      return values.length === 0 || better === 'unknown' ? [] : [{ cell, metric, better, values }];
    }),
    notes: [...tooFewNote(rounds, tool), ...directionNote(rounds.of, tool)],
    remarks: [
      ...rounds.remarks,
      ...leftOutRemark(
        of('zero').map(({ one: { name, metric } }) => `${shortName(name)} (${metric})`),
        ', because both versions have 0',
      ),
      ...summariesRemark(found),
    ],
  };
}

/** Suite of cells measured by another tool. */
const SUITE = 'benchmarks';

const LONGEST_UNIT = 20;

function seriesOf(one: InRounds, tool: BenchmarkTool, gates: Gates): Compared {
  const { name, metric, base, head } = one;
  const better = one.better === 'higher' ? 'higher' : 'lower';
  return { cell: cellOf(name, tool), metric, better, ...unitOf(one), gate: gates(name, metric), base, head };
}

function unitOf({ unit, metric }: Pick<InRounds, 'unit' | 'metric'>): { readonly unit?: string } {
  return unit === '' || MEASURED_METRICS.has(metric) ? {} : { unit: plainText(unit, LONGEST_UNIT) };
}

/** Cell of a benchmark. Quotes distinguish its name from that of all operations, and from a member. */
function cellOf(name: string, tool: BenchmarkTool): CellKey {
  const isOwn = name !== ALL_OPERATIONS && memberOf({ operation: name }) === undefined;
  return { suite: SUITE, service: tool, operation: isOwn ? name : `"${name}"`, tier: IMPORTED_PLACE };
}

type Gates = (name: string, metric: string) => boolean;

/**
 * Gates of metrics: not tails and means, as in other samples, nor the figures of JMH's profilers, except bytes per operation. Of k6's statistics,
 * the first of these that a file has: quantiles up to p95, the mean, all.
 */
function gatesOf(tool: BenchmarkTool, benchmarks: ToolBenchmarks['benchmarks']): Gates {
  const metrics = Map.groupBy(benchmarks, ({ name }) => name);
  return (name, metric) => {
    if (!gatesUsually(metric) || tool !== 'k6') {
      return gatesUsually(metric) && (tool !== 'jmh' || OF_JMH.test(metric));
    }
    const best = OF_K6.find((pattern) => metrics.get(name)?.some((one) => pattern.test(one.metric)));
    return best?.test(metric) ?? true;
  };
}

const OF_JMH = /^(?:time|throughput|.?gc\.alloc\.rate\.norm)$/;

const OF_K6 = [/^p(?:[1-8]?\d|9[0-5])$/, /^avg$/];

/** Handling of a figure: compared as a ratio, tested by counts, from 0 or to 0, 0 in both, or lost. */
type Fate =
  | { readonly kind: 'compared' | 'counts' | 'from-zero' | 'zero'; readonly isOpen?: never }
  | ({ readonly kind: 'lost'; readonly isOpen?: boolean } & Pick<Lost, 'reason' | 'detail'>);

function fateOf(one: InRounds, wrongAnswers: string | undefined): Fate {
  const { name, metric, better, base, head, counts, tooFew } = one;
  if (tooFew !== undefined) {
    const detail = `${counted(tooFew, 'repetition')}, and a verdict needs ${FEWEST_ROUNDS}`;
    return { kind: 'lost', reason: 'missing', detail };
  }
  const isHere = [base, head].every((side) => side.some((value) => value !== undefined));
  if (metric === 'errorRate' && counts.length > 0) {
    return { kind: 'counts' };
  }
  if (!isHere) {
    return { kind: 'compared' };
  }
  if (better === 'unknown') {
    return { kind: 'lost', reason: 'unknown-direction', detail: figuresText(one), isOpen: false };
  }
  // Times include failed requests.
  if (wrongAnswers !== undefined && OF_ALL_ANSWERS.test(name) && !name.includes('expected_response:true')) {
    return { kind: 'lost', reason: 'invalid', detail: `${wrongAnswers}; ${figuresText(one)}` };
  }
  const [before, now] = [base, head].map(isZero);
  if (before && now) {
    return { kind: 'zero' };
  }
  const isFull = [base, head].every((side) => side.every((value) => value !== undefined));
  const others = before ? head : base;
  if ((before || now) && isFull && base.length >= FEWEST_ROUNDS && others.every((value) => (value ?? 0) > 0)) {
    return { kind: 'from-zero' };
  }
  if (before || now) {
    const isBetter = now === (better === 'lower');
    return { kind: 'lost', reason: 'not-positive', detail: figuresText(one), isOpen: !isBetter };
  }
  return { kind: 'compared' };
}

function isZero(values: InRounds['base']): boolean {
  const found = values.filter((value) => value !== undefined);
  return found.length > 0 && found.every((value) => value === 0);
}

function medianOf(values: InRounds['base']): number {
  return median(values.flatMap((value) => value ?? [])) ?? 0;
}

/** Change as text: "0 → 3 allocs/op". */
function figuresText({ base, head, unit }: InRounds): string {
  const [before, now] = [base, head].map((side) => {
    const value = medianOf(side);
    return significant(value, Number.isInteger(value) ? 0 : 2);
  });
  return `${before} → ${now}${unit === '' ? '' : ` ${plainText(unit, LONGEST_UNIT)}`}`;
}

/** Difference of failure rates from which the times of both versions are not comparable. */
const DIFFERING_SHARES = 0.01;

/** Metrics of k6 that its script determines: no direction is better. */
const SETTINGS_OF_K6 = /^(?:vus|vus_max|data_sent|data_received)(?:\{|$)/;

/** Note on figures without a direction, with the setting that gives them one. */
function directionNote(of: readonly InRounds[], tool: BenchmarkTool): readonly string[] {
  const unknown = of.filter(
    ({ name, better }) => better === 'unknown' && !(tool === 'k6' && SETTINGS_OF_K6.test(name)),
  );
  const [first] = unknown;
  const pattern = tool === 'k6' ? first?.name : first?.metric;
  return pattern === undefined
    ? []
    : [
        `Shown but not judged, because nothing says which direction is better: ${counted(unknown.length, 'figure')}. To judge them, set it in a --policy file: \`better: { ${JSON.stringify(plainText(pattern, 80))}: higher }\` (or lower; * matches any text).`,
      ];
}

/** Reason that times of k6 which include failed requests are not comparable; undefined if they are. */
function mixedFailures({ of }: BenchmarkRounds, tool: BenchmarkTool): string | undefined {
  const failed = tool === 'k6' ? of.find(({ name }) => name === 'http_req_failed') : undefined;
  const [before, now] = (['base', 'head'] as const).map((side) => {
    const counts = failed?.counts.map((round) => round[side]) ?? [];
    const requests = counts.reduce((sum, one) => sum + one.requests, 0);
    return requests === 0 ? 0 : counts.reduce((sum, one) => sum + one.failed, 0) / requests;
  }) as [number, number];
  return Math.abs(now - before) <= DIFFERING_SHARES
    ? undefined
    : `failed requests: ${formatShare(before)} of the base, ${formatShare(now)} of the head`;
}

const OF_ALL_ANSWERS = /^(?:http_req|iteration|group_duration)/;

/** Failures of benchmarks; one of the head alone fails the comparison, like a crash. */
function failuresOf({ tool, failures }: ToolBenchmarks): readonly Lost[] {
  const names = new Set([...failures.head, ...failures.base].map(({ name }) => name));
  const [base, head] = [whyByName(failures.base), whyByName(failures.head)];
  return [...names].map((name): Lost => {
    const cell = cellOf(name, tool);
    const [before, now] = [base.get(name), head.get(name)];
    const reason = before === undefined ? 'head-failed' : now === undefined ? 'base-failed' : 'both-failed';
    const [why = '', ...others] = now ?? before ?? [];
    const detail = others.length > 0 ? `${why}, in ${others.length + 1} files` : why;
    return { cell, takes: [{ cell, metric: 'time', gate: true }], reason, detail };
  });
}

/** Reasons for failures by benchmark, once for each file. */
function whyByName(failures: readonly ToolFailure[]): ReadonlyMap<string, readonly string[]> {
  const found = Map.groupBy(failures.toReversed(), ({ name }) => name);
  return new Map([...found].map(([name, all]) => [name, all.map(({ why }) => why)]));
}

/** Unread figures, once for each benchmark and metric; skipped ones only if the other version has figures. */
function unreadOf({ tool, leftOut, benchmarks }: ToolBenchmarks, gates: Gates): readonly Lost[] {
  const names = new Set(benchmarks.map(({ name }) => name));
  const all = (['head', 'base'] as const).flatMap((side) =>
    leftOut[side].toReversed().map((one) => ({ ...one, detail: `in the ${side}: ${one.why}` })),
  );
  const unread = all
    .filter(({ kind, name }) => kind === 'unread' || (kind === 'skipped' && names.has(name)))
    .map(({ name, metric, detail }): Lost => {
      const cell = cellOf(name, tool);
      const takes = [{ cell, metric: metric ?? 'time', gate: metric === undefined || gates(name, metric) }];
      return { cell, takes, reason: 'left-out', detail, ...(metric !== undefined && { metric }) };
    });
  // The last of each is the first of the base, or of the head if the base has none.
  return [
    ...new Map(unread.map((one) => [JSON.stringify([one.cell.operation, one.metric]), one])).values(),
  ].toReversed();
}

const MAX_NAMED = 3;

function leftOutRemark(texts: readonly string[], why = ''): readonly string[] {
  return texts.length === 0 ? [] : [`Left out${why}: ${wordList(texts, MAX_NAMED)}.`];
}

/** Remark on summaries of the tool, and on benchmarks skipped in both versions. */
function summariesRemark({ leftOut, benchmarks }: ToolBenchmarks): readonly string[] {
  const measured = new Set(benchmarks.map(({ name }) => name));
  const texts = [...leftOut.base, ...leftOut.head]
    .filter(({ kind, name }) => kind === 'summary' || (kind === 'skipped' && !measured.has(name)))
    .map(({ name, metric, why }) => `${shortName(name)}${metric === undefined ? '' : ` (${metric})`} ${why}`);
  return leftOutRemark([...new Set(texts)]);
}

/** Option of each tool that repeats a benchmark; the others have one figure per file. */
const REPEATING: Partial<Readonly<Record<BenchmarkTool, string>>> = {
  'go-test': '`go test -bench . -count 10`',
  'pytest-benchmark': '`--benchmark-min-rounds=10`',
  'google-benchmark': '`--benchmark_repetitions=10`',
  jmh: '`-i 10`',
  hyperfine: '`--runs 10`',
};

function tooFewNote({ count, of }: BenchmarkRounds, tool: BenchmarkTool): readonly string[] {
  const areTooFew = count < FEWEST_ROUNDS || of.some(({ tooFew }) => tooFew !== undefined);
  const repeat = REPEATING[tool] === undefined ? '' : `repeat each benchmark (${REPEATING[tool]}), or `;
  const advice = `A verdict needs ${FEWEST_ROUNDS} rounds: ${repeat}pass at least ${FEWEST_ROUNDS} files per side, measured in turns.`;
  return areTooFew ? [advice] : [];
}
