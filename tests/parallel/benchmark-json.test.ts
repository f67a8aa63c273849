import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatRun, type Run } from '../../src/model/run/run.ts';
import { sampleRounds } from '../support/sample-rounds.ts';
import { sampleRun } from '../support/sample-run.ts';

const SCRIPT = resolve('examples/with-github-action-benchmark/.github/scripts/benchmark-json.mjs');

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly range?: string;
  readonly extra: string;
}

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'benchmark-json-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function convert(text: string) {
  const file = join(folder, 'run.json');
  writeFileSync(file, text);
  return spawnSync(process.execPath, [SCRIPT, file], { encoding: 'utf8' });
}

function figuresOf(run: Run): readonly Figure[] {
  const { status, stdout, stderr } = convert(formatRun(run));
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as readonly Figure[];
}

/** The values of the head samples of one cell, for all operations together. */
function valuesOf(run: Run, service: string, tier: string) {
  const whole = run.samples.filter(
    ({ cell, side }) => cell.operation === 'all' && side === 'head' && cell.tier === tier,
  );
  return whole.filter(({ cell }) => cell.service === service);
}

test('gives latency at every tier and CPU time at saturation, of every service', () => {
  const figures = figuresOf(sampleRun({ services: ['rest'] }));

  expect(figures.map(({ name, unit }) => `${name} in ${unit}`)).toEqual([
    'rest, low: p50 latency in ms',
    'rest, medium: p50 latency in ms',
    'rest, high: p50 latency in ms',
    'rest, low: p99 latency in ms',
    'rest, medium: p99 latency in ms',
    'rest, high: p99 latency in ms',
    'rest, saturation: CPU time per request in µs',
  ]);
});

test('gives the figures of the run itself, to four digits', () => {
  const run = sampleRun();
  const [sample] = valuesOf(run, 'grpc', 'saturation');

  const figure = figuresOf(run).find(({ name }) => name === 'grpc, saturation: CPU time per request');

  expect(figure).toEqual({
    name: 'grpc, saturation: CPU time per request',
    unit: 'µs',
    value: Number(sample?.values.cpuMicrosPerRequest?.toPrecision(4)),
    extra: '1 round',
  });
});

test('gives the median of several rounds, with the smallest and the largest as the range', () => {
  const run = sampleRun({ rounds: 3 });
  const values = valuesOf(run, 'rest', 'low').map((sample) => sample.values.latencyP50Ms ?? Number.NaN);
  const [low, middle, high] = values.sort((one, other) => one - other).map((value) => Number(value.toPrecision(4)));

  const figure = figuresOf(run).find(({ name }) => name === 'rest, low: p50 latency');

  expect(figure).toMatchObject({ value: middle, range: `${low} to ${high}`, extra: '3 rounds' });
});

test('takes only the head, and only rounds that count, of a comparison', () => {
  const run = sampleRounds({ rounds: 4, discarded: 3, services: ['rest'] });
  const kept = new Set(run.rounds.rounds.filter(({ outcome }) => outcome === 'kept').map(({ round }) => round));
  const values = valuesOf(run, 'rest', 'saturation')
    .filter(({ round }) => kept.has(round))
    .map((sample) => sample.values.cpuMicrosPerRequest ?? Number.NaN);

  const figure = figuresOf(run).find(({ name }) => name === 'rest, saturation: CPU time per request');

  const ends = [Math.min(...values), Math.max(...values)].map((value) => Number(value.toPrecision(4)));
  expect(figure).toMatchObject({ range: ends.join(' to '), extra: '4 rounds' });
});

test('leaves out what cannot be trusted, and says so', () => {
  const marked = { 'rest/high': { p50Ms: 400, marks: ['saturated'] as const } };

  const { status, stdout, stderr } = convert(formatRun(sampleRun({ services: ['rest'], shapes: marked })));

  expect(status).toBe(0);
  expect(stdout).not.toContain('rest, high');
  expect(stdout).toContain('rest, medium');
  expect(stderr).toBe('left out: rest, high, round 1: saturated\n');
});

test.each([
  [
    'a run without a usable figure',
    formatRun(sampleRun({ change: { samples: [] } })),
    'has no figure that can be used',
  ],
  ['a run of another schema', '{"schema":3}', 'has schema 3, not 2'],
  ['a file that is cut short', '{"schema":2,"sam', 'JSON'],
])('refuses %s, and prints nothing that could be charted', (_, text, message) => {
  const { status, stdout, stderr } = convert(text);

  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/^ +at /m);
});

test('says so where there is no file', () => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { encoding: 'utf8' });

  expect(status).toBe(2);
  expect(stderr).toContain('benchmark-json: no file');
});
