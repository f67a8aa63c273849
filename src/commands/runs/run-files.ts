import { ConfigError } from '../../foundation/errors.ts';
import { readText } from '../../host/files/reader.ts';
import { isInRounds, isVersus, versusRun } from '../../model/run/comparison.ts';
import { parseRun, type Run, type RunInRounds } from '../../model/run/run.ts';

/** Run in a `run.json`; throws ConfigError if there is none or its schema differs. */
export function readRunFile(file: string): Run {
  return parseRun(readText(file, 'Pass the run.json that `wiregauge run` wrote to its output folder.'), file);
}

/** Run that compared two versions, or services with each other: of a main job its rounds that did. Throws ConfigError for any other. */
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

/** Run that compared two versions of the same services; throws ConfigError for any other. */
export function readVersions(file: string): RunInRounds {
  const run = readComparison(file);
  refuseVersus(run, file);
  return run;
}

export function refuseVersus(run: Run, file: string): void {
  if (isVersus(run)) {
    throw new ConfigError(`${file}: compares services with each other, not two versions`, {
      code: 'WG-407',
      next: 'Use `wiregauge report` for this file, or `wiregauge compare` to compare two versions.',
    });
  }
}
