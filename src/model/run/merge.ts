import { ConfigError } from '../../foundation/errors.ts';
import { cellName } from '../sample.ts';
import { isOfShards, mergeShards } from './merge-shards.ts';
import type { Run } from './run.ts';
import type { RunFile } from './run-file.ts';

/** What must be equal in runs that are to be one; each with how to read it. */
const SAME_OF_RUNS: readonly (readonly [string, (run: Run) => string])[] = [
  ['version of Wiregauge', (run) => run.wiregauge],
  ['suite', (run) => run.suite.name],
  ['configuration', (run) => run.configHash],
  ['profile', (run) => run.plan.profile.name],
  ['commit', (run) => `${run.commit.head ?? 'none'}${run.commit.dirty ? ' with changes' : ''}`],
  ['runtime', (run) => run.runtime.name],
  ['CPU model', (run) => run.runner.cpuModel],
  ['number of cores', (run) => String(run.runner.cores)],
];

/**
 * Several runs as one: shards of a comparison, or plain runs of different services, or of more rounds of the same. A plain cell's
 * rounds are numbered on where files repeat it. Of rounds in which services were held against each other the first file's that has any
 * stay, since those of another time do not add to their evidence. Throws ConfigError, naming both files, where runs do not belong together.
 */
export function mergeRuns(files: readonly [RunFile, ...RunFile[]]): Run {
  if (files.some(isOfShards)) {
    return mergeShards(files);
  }
  refuseTwice(files);
  const [first, ...others] = files;
  refuseRounds(first);
  for (const other of others) {
    refuseRounds(other);
    refuseMixed(first, other);
  }
  return others.reduce((merged, { run }) => joined(merged, run), first.run);
}

function refuseRounds({ file, run }: RunFile): void {
  if (run.rounds !== undefined) {
    throw new ConfigError(
      `${file} compares two versions in rounds, and rounds of another time do not add to its evidence`,
      {
        next: 'Give one comparison more time with --budget, or split it among jobs with --shard.',
      },
    );
  }
}

/** Its rounds would count as more rounds than were measured. */
function refuseTwice(files: readonly RunFile[]): void {
  const names = files.map(({ file }) => file);
  const twice = names.find((name, place) => names.indexOf(name) < place);
  if (twice !== undefined) {
    throw new ConfigError(`${twice} is given twice`, { next: 'Give each run once.' });
  }
}

function refuseMixed(first: RunFile, other: RunFile): void {
  for (const [what, read] of SAME_OF_RUNS) {
    if (read(first.run) !== read(other.run)) {
      throw new ConfigError(
        `${first.file} and ${other.file} do not belong together: ${what} is "${read(first.run)}" in one and "${read(other.run)}" in the other`,
        { next: 'Merge only runs of the same code, configuration and kind of machine.' },
      );
    }
  }
}

function joined(merged: Run, next: Run): Run {
  const lastRound = new Map<string, number>();
  for (const { cell, round } of merged.samples) {
    lastRound.set(cellName(cell), Math.max(round, lastRound.get(cellName(cell)) ?? 0));
  }
  const samples = next.samples.map((sample) => ({
    ...sample,
    round: sample.round + (lastRound.get(cellName(sample.cell)) ?? 0),
  }));
  const versus = merged.versus ?? next.versus;
  const known = new Set(merged.services.map(({ name }) => name));
  return {
    ...merged,
    startedAt: [merged.startedAt, next.startedAt].sort()[0] ?? merged.startedAt,
    services: [...merged.services, ...next.services.filter(({ name }) => !known.has(name))],
    plan: { ...merged.plan, plannedSeconds: merged.plan.plannedSeconds + next.plan.plannedSeconds },
    spent: {
      totalSeconds: merged.spent.totalSeconds + next.spent.totalSeconds,
      overheadSeconds: merged.spent.overheadSeconds + next.spent.overheadSeconds,
    },
    complete: merged.complete && next.complete,
    samples: [...merged.samples, ...samples],
    failures: [...merged.failures, ...next.failures],
    ...(versus !== undefined && { versus }),
  };
}
