// Prints the figures of a run.json in the format "customSmallerIsBetter" of github-action-benchmark.
// Use: node benchmark-json.mjs run.json >benchmark.json
import { readFileSync } from 'node:fs';

const SCHEMA = 2;
const SATURATION = 'saturation';
const METRICS = [
  { name: 'latencyP50Ms', title: 'p50 latency', unit: 'ms', isAtSaturation: false },
  { name: 'latencyP99Ms', title: 'p99 latency', unit: 'ms', isAtSaturation: false },
  { name: 'cpuMicrosPerRequest', title: 'CPU time per request', unit: 'µs', isAtSaturation: true },
];
/** Marks of a sample whose figures are not those of a service that did what was asked of it. */
const UNUSABLE = ['failing', 'saturated', 'generator-limited', 'not-saturated', 'dropped'];

const [file = ''] = process.argv.slice(2);
try {
  const { figures, leftOut } = figuresOf(JSON.parse(readFileSync(file, 'utf8')));
  for (const line of leftOut) {
    process.stderr.write(`left out: ${line}\n`);
  }
  process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
} catch (error) {
  process.stderr.write(`benchmark-json: ${file || 'no file'}: ${error.message}\n`);
  process.exitCode = 2;
}

function figuresOf(run) {
  if (run.schema !== SCHEMA) {
    throw new Error(
      `has schema ${run.schema}, not ${SCHEMA}: take the version of this script that belongs to your Wiregauge`,
    );
  }
  const samples = run.samples.filter((sample) => isOfHead(run, sample) && sample.cell.operation === 'all');
  const usable = samples.filter(({ marks }) => !marks.some((mark) => UNUSABLE.includes(mark)));
  const figures = METRICS.flatMap((metric) => figuresIn(usable, metric));
  if (figures.length === 0) {
    throw new Error('has no figure that can be used');
  }
  return { figures, leftOut: samples.filter((sample) => !usable.includes(sample)).map(placeOf) };
}

/** A run of one version is all head; of a comparison only rounds that count. */
function isOfHead(run, { cell, round, side }) {
  const attempt = run.rounds?.rounds.find((one) => one.service === cell.service && one.round === round);
  return side === 'head' && (run.rounds === undefined || attempt?.outcome === 'kept');
}

function placeOf({ cell, round, marks }) {
  return `${cell.service}, ${cell.tier}, round ${round}: ${marks.join(', ')}`;
}

function figuresIn(samples, metric) {
  const values = new Map();
  for (const { cell, values: of } of samples) {
    const value = of[metric.name];
    if ((cell.tier === SATURATION) === metric.isAtSaturation && value !== undefined) {
      const name = `${cell.service}, ${cell.tier}: ${metric.title}`;
      values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return [...values].map(([name, found]) => ({ name, unit: metric.unit, ...spreadOf(found) }));
}

/** The median, and how far the rounds lie apart. */
function spreadOf(values) {
  const ascending = values.toSorted((one, other) => one - other);
  const middle = (ascending.length - 1) / 2;
  const value = (ascending[Math.floor(middle)] + ascending[Math.ceil(middle)]) / 2;
  const range = `${rounded(ascending[0])} to ${rounded(ascending.at(-1))}`;
  const rounds = `${ascending.length} ${ascending.length === 1 ? 'round' : 'rounds'}`;
  return { value: rounded(value), ...(ascending.length > 1 && { range }), extra: rounds };
}

function rounded(value) {
  return Number(value.toPrecision(4));
}
