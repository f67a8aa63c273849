/**
 * Verdicts by counts of instructions: of recorded comparisons, with windows of the same time compared with each other and with each version alone; and of simulated ones, by how much starts and windows scatter.
 *
 *   npm run bench:counts -- [--comparisons 200] [--seed 1] [run.json ...]
 *
 * Without files, the recorded comparisons of this repository.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom, seedOf } from '../src/foundation/random.ts';
import { countedFindings } from '../src/judge/counts/counted.ts';
import { FEWEST_STARTS, MAX_STARTS } from '../src/judge/counts/figures.ts';
import type { Finding } from '../src/judge/verdict/finding.ts';
import { ALL_OPERATIONS } from '../src/model/metric.ts';
import type { Side } from '../src/model/rounds.ts';
import type { CountedStart } from '../src/model/run/instructions.ts';
import { parseRun, type RunInRounds } from '../src/model/run/run.ts';
import { gaussian } from './rules/random.ts';

const { values, positionals } = parseArgs({
  options: { comparisons: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});

const RECORDED = 'tests/fixtures/recorded/counts';

/** How starts of one version differ, and windows within a start. */
const SCATTERS = { starts: [0, 0.001, 0.003, 0.006, 0.012, 0.025], windows: [0.001, 0.0035] };

const CHANGES = [0, 0.012, 0.015, 0.02];

type Rule = 'pairs' | 'each by itself';

const RULES: readonly Rule[] = ['pairs', 'each by itself'];

const files = positionals.length > 0 ? positionals : readdirSync(RECORDED).map((name) => join(RECORDED, name));
showRecorded(files);
showSimulated();

function byRule(run: RunInRounds, rule: Rule): RunInRounds {
  return rule === 'pairs' ? run : { ...run, rounds: { ...run.rounds, interleave: 'slots' } };
}

/** Result of the whole of a service after that many starts of each version. */
function findingAfter(run: RunInRounds, service: string, starts: number): Finding | undefined {
  const { instructions } = run;
  const seen = instructions && { ...instructions, starts: instructions.starts.filter(({ start }) => start <= starts) };
  const findings = countedFindings({ ...run, ...(seen && { instructions: seen }) }, run.rounds.policy);
  return findings.find(
    ({ cell, metric }) =>
      cell.service === service && cell.operation === ALL_OPERATIONS && metric === 'instructionsPerRequest',
  );
}

/** As in a comparison: until it is conclusive, and at most four starts. */
function measured(run: RunInRounds, service: string, most = MAX_STARTS): Finding | undefined {
  const last = Math.min(most, Math.max(...(run.instructions?.starts ?? []).map(({ start }) => start)));
  for (let starts = FEWEST_STARTS; starts <= last; starts += 1) {
    const finding = findingAfter(run, service, starts);
    if (finding?.verdict !== 'inconclusive' || starts === last) {
      return finding;
    }
  }
  return undefined;
}

function showRecorded(paths: readonly string[]): void {
  console.log('| recorded | service | rule | change | smallest detectable | verdict | starts |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const path of paths) {
    const run = parseRun(readFileSync(path, 'utf8'), path) as RunInRounds;
    const services = [...new Set(run.instructions?.starts.map(({ service }) => service))];
    for (const [service, rule] of services.flatMap((name) => RULES.map((one) => [name, one] as const))) {
      showFinding([path, service, rule], measured(byRule(run, rule), service));
    }
  }
}

function showFinding(names: readonly string[], finding: Finding | undefined): void {
  if (finding !== undefined) {
    const { change, detectable = 0, verdict, rounds } = finding;
    console.log(row([...names, percent(change.estimate), percent(detectable), verdict, rounds]));
  }
}

function showSimulated(): void {
  const titles = CHANGES.map((change) => `${percent(change)}: regressed / unchanged / starts`);
  console.log(`\n${row(['scatter of starts', 'of windows', ...titles])}`);
  console.log(row(['---', '---', ...CHANGES.map(() => '---')]));
  for (const starts of SCATTERS.starts) {
    for (const windows of SCATTERS.windows) {
      const reported = CHANGES.map((change) => simulated({ starts, windows, change }));
      console.log(row([percent(starts), percent(windows), ...reported]));
    }
  }
}

interface Simulated {
  readonly starts: number;
  readonly windows: number;
  readonly change: number;
}

/** Number of comparisons of a service that are conclusive, and after how many starts, if windows of both versions scatter alike by half of it. */
function simulated({ starts, windows, change }: Simulated): string {
  const [path = ''] = files;
  const template = parseRun(readFileSync(path, 'utf8'), path) as RunInRounds;
  const [service = ''] = template.rounds.head.services;
  const random = seededRandom(seedOf(Number(values.seed), 'counts', `${starts} ${windows} ${change}`));
  const counts = { regressed: 0, unchanged: 0, starts: 0 };
  const comparisons = Number(values.comparisons);
  const normal = (sd: number) => sd * gaussian(random);
  for (let comparison = 0; comparison < comparisons; comparison += 1) {
    const pairs = Array.from({ length: MAX_STARTS }, () => {
      const levels = { base: normal(starts), head: Math.log1p(change) + normal(starts) };
      const shared = Array.from({ length: 5 }, () => normal(windows * Math.SQRT1_2));
      const windowsOf = (level: number) =>
        shared.map((both) => Math.round(900_000 * Math.exp(level + both + normal(windows * Math.SQRT1_2))));
      return { base: windowsOf(levels.base), head: windowsOf(levels.head) };
    });
    const run = withStarts(template, pairs);
    const finding = measured(run, service);
    counts.regressed += Number(finding?.verdict === 'regressed');
    counts.unchanged += Number(finding?.verdict === 'unchanged');
    counts.starts += finding?.rounds ?? 0;
  }
  const share = (count: number) => `${((100 * count) / comparisons).toFixed(1)}%`;
  return `${share(counts.regressed)} / ${share(counts.unchanged)} / ${(counts.starts / comparisons).toFixed(1)}`;
}

/** A recorded comparison with other counts, all of its first service and of its first operation. */
function withStarts(run: RunInRounds, pairs: readonly Readonly<Record<Side, readonly number[]>>[]): RunInRounds {
  const { instructions, rounds } = run;
  const [service = ''] = rounds.head.services;
  const [operation = ''] = rounds.head.operations;
  const starts = pairs.flatMap((pair, index) =>
    (['base', 'head'] as const).map((side): CountedStart => {
      const counts = { instructions: [...pair[side]], syscalls: pair[side].map(() => 10) };
      const operations = [{ operation, requests: 1, ...counts }];
      return { service, side, start: index + 1, warmFrom: 0, operations };
    }),
  );
  return { ...run, ...(instructions && { instructions: { ...instructions, starts } }) };
}

function percent(change: number): string {
  return `${(100 * change).toFixed(2)}%`;
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}
