import { ConfigError } from '../../foundation/errors.ts';
import { readText } from '../../host/files/reader.ts';
import { isInRounds, isVersus, versusRun } from '../../model/run/comparison.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { parseRun, type Run } from '../../model/run/run.ts';

/** The run in a `run.json`; throws ConfigError if there is none or it is of another schema. */
export function readRunFile(file: string): Run {
  return parseRun(readText(file, 'Pass the run.json that `wiregauge run` wrote to its output folder.'), file);
}

/**
 * The same for a run in which two versions were compared, or services with each other: of a main job the rounds in which it did so.
 * Throws ConfigError for any other.
 */
export function readComparison(file: string): RunInRounds {
  const run = readRunFile(file);
  const rounds = isInRounds(run) ? run : versusRun(run);
  if (rounds === undefined) {
    throw new ConfigError(`${file}: contains no comparison of two versions`, {
      code: 'WG-407',
      next: 'Use `wiregauge compare` to create one, or `wiregauge report` for this file.',
    });
  }
  return rounds;
}

/** The same for two versions of the same services; throws ConfigError also if services are compared with each other. */
export function readVersions(file: string): RunInRounds {
  const run = readComparison(file);
  refuseVersus(run, file);
  return run;
}

/** Throws ConfigError for a run in which services are compared with each other: none of them is the base of another. */
export function refuseVersus(run: Run, file: string): void {
  if (isVersus(run)) {
    throw new ConfigError(`${file}: compares services with each other, not two versions`, {
      code: 'WG-407',
      next: 'Use `wiregauge report` for this file, or `wiregauge compare` to compare two versions.',
    });
  }
}
