import { type KnownMetrics, MEASURED_METRICS } from '../../../config/index.ts';
import { counted, median, plainText, wordList } from '../../../foundation/index.ts';
import { type BenchmarkTool, IMPORTED_PLACE } from '../../../history/index.ts';
import { type ComparisonInput, FEWEST_ROUNDS, type Lost } from '../../../judge/index.ts';
import { ALL_OPERATIONS, type CellKey, gatesUsually, memberOf } from '../../../model/index.ts';
import { type SampleSeries, type Samples, samplesInput } from '../samples.ts';
import { readBenchmarks, shortName, type ToolOutputs } from './benchmarks.ts';
import { type BenchmarkRounds, type InRounds, roundsOfFiles, roundsOfRepetitions } from './rounds.ts';

/**
 * The samples in outputs of a benchmark tool: of one file a side each repetition is a round, of several each file. Throws ConfigError,
 * naming the files, if one is of no known tool, or if they do not fit together.
 */
export function toolSamples(outputs: ToolOutputs): Samples {
  const { tool, benchmarks } = readBenchmarks(outputs);
  const metrics: KnownMetrics = new Map(benchmarks.map(({ metric, better }) => [metric, better]));
  if (outputs.base.length > 1) {
    return { input: inputOf(roundsOfFiles(benchmarks), tool), metrics };
  }
  const input = inputOf(roundsOfRepetitions(benchmarks), tool);
  return { input: { ...input, interleaved: false, notes: [...notInTurns(outputs), ...input.notes] }, metrics };
}

/** Nothing in two files shows that they were measured in turns, and they seldom are. */
function notInTurns({ base, head }: ToolOutputs): readonly string[] {
  const names = [...base, ...head].map(({ file }) => plainText(file, 100));
  return [
    `${wordList(names)} count as measured one after the other: changes of the machine between them count as changes. For the false-alarm rate to hold, measure in turns, and pass the files of each round.`,
  ];
}

function inputOf(rounds: BenchmarkRounds, tool: BenchmarkTool): ComparisonInput {
  const all = rounds.of.map((one) => ({ one, series: seriesOf(one, tool), obstacle: obstacleOf(one) }));
  const zeros = all.filter(({ one, obstacle }) => obstacle === undefined && isZero(one.base) && isZero(one.head));
  const compared = all.filter((one) => one.obstacle === undefined && !zeros.includes(one));
  const unknown = Array.from({ length: rounds.count }, (_, index) => [index + 1, undefined] as const);
  const input = samplesInput(
    compared.map(({ series }) => series),
    new Map([[tool, new Map(unknown)]]),
  );
  return {
    ...input,
    lost: [...all.flatMap(({ series, obstacle }) => lostTo(series, obstacle)), ...input.lost],
    // A budget is also for what has no ratio, such as a figure that is 0 in the base.
    readings: all.flatMap(({ one, series: { cell, metric, better } }) => {
      const values = one.head.flatMap((value) => value ?? []);
      return values.length === 0 ? [] : [{ cell, metric, better, values }];
    }),
    notes: tooFewNote(rounds, tool),
    remarks: [...rounds.remarks, ...zeroRemark(zeros.map(({ one }) => one))],
  };
}

/** The suite of cells that another tool measured. */
const SUITE = 'benchmarks';

const LONGEST_UNIT = 20;

function seriesOf({ name, metric, unit, better, base, head }: InRounds, tool: BenchmarkTool): SampleSeries {
  const rounds = base.map((before, index) => {
    const now = head[index];
    const both = { ...(before !== undefined && { base: before }), ...(now !== undefined && { head: now }) };
    return [index + 1, both] as const;
  });
  return {
    cell: cellOf(name, tool),
    metric,
    better,
    ...(unit !== '' && !MEASURED_METRICS.has(metric) && { unit: plainText(unit, LONGEST_UNIT) }),
    gate: gateOf(metric, tool),
    values: new Map(rounds),
  };
}

/** In quotes, a name is never that of all operations together, or of a member. */
function cellOf(name: string, tool: BenchmarkTool): CellKey {
  const isOwn = name !== ALL_OPERATIONS && memberOf({ operation: name }) === undefined;
  return { suite: SUITE, service: tool, operation: isOwn ? name : `"${name}"`, tier: IMPORTED_PLACE };
}

/** As of other samples, tails are not gating, and what profilers of JMH add is not, besides the bytes of an operation. */
function gateOf(metric: string, tool: BenchmarkTool): boolean {
  const isOfJmh = /^(time|throughput|.?gc\.alloc\.rate\.norm)$/.test(metric);
  return gatesUsually(metric) && (tool !== 'jmh' || isOfJmh) && (tool !== 'k6' || metric !== 'p99');
}

/** Why a figure that both versions have cannot be compared. */
interface Obstacle extends Pick<Lost, 'reason' | 'detail'> {
  /** Whether it is good news, which holds nothing up. */
  readonly isBetter?: boolean | undefined;
}

/** A figure that is 0 has no logarithm. What is 0 in both versions did not change, and error rates have a rule of their own. */
function obstacleOf({ metric, better, base, head, tooFew }: InRounds): Obstacle | undefined {
  if (tooFew !== undefined) {
    return { reason: 'missing', detail: `${counted(tooFew, 'repetition')}, and a verdict needs ${FEWEST_ROUNDS}` };
  }
  const isHere = [base, head].every((side) => side.some((value) => value !== undefined));
  if (!isHere || metric === 'errorRate' || isZero(base) === isZero(head)) {
    return undefined;
  }
  const [before, now] = [base, head].map((side) => Number(medianOf(side).toPrecision(4)));
  const isBetter = isZero(head) === (better === 'lower');
  return { reason: 'not-positive', detail: `${before} in the base and ${now} in the head: no ratio`, isBetter };
}

function isZero(values: InRounds['base']): boolean {
  const found = values.filter((value) => value !== undefined);
  return found.length > 0 && found.every((value) => value === 0);
}

function medianOf(values: InRounds['base']): number {
  return median(values.flatMap((value) => value ?? [])) ?? 0;
}

function lostTo({ cell, metric, gate = true }: SampleSeries, obstacle: Obstacle | undefined): readonly Lost[] {
  if (obstacle === undefined) {
    return [];
  }
  const { reason, detail, isBetter = false } = obstacle;
  return [{ cell, metric, takes: [{ cell, metric, gate: gate && !isBetter }], reason, detail }];
}

const MOST_NAMED = 3;

function zeroRemark(zeros: readonly InRounds[]): readonly string[] {
  const names = zeros.slice(0, MOST_NAMED).map(({ name, metric }) => `${shortName(name)} (${metric})`);
  const more = zeros.length > MOST_NAMED ? [`${zeros.length - MOST_NAMED} more`] : [];
  return zeros.length === 0 ? [] : [`Left out, because both versions have 0: ${wordList([...names, ...more])}.`];
}

/** How each tool is told to repeat a benchmark; the others have one figure a file. */
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
