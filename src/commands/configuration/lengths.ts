import { formatDuration } from '../../foundation/numbers.ts';
import { expectedPlace } from '../../measure/session/runtime.ts';
import { planRun, usualModes } from '../../model/plan.ts';
import { mainJobRounds, PROFILE_NAMES, PROFILES, type ProfileName } from '../../model/profiles.ts';
import { fewestRounds, mainJobSeconds, mostRounds, pairedSeconds, roundSeconds } from '../../model/rounds.ts';
import { comparableServices } from '../../model/suite/groups.ts';
import type { SuiteFiles } from '../../project/files.ts';

interface Length {
  readonly command: 'run' | 'compare' | 'versus' | 'calibrate';
  readonly profile: string;
  /** Duration without builds, with the fewest and the most rounds. */
  readonly fewestSeconds: number;
  readonly mostSeconds: number;
}

/** Durations of all commands that measure a whole suite, with every profile. */
export function lengthsOf(files: SuiteFiles): readonly Length[] {
  return (['run', 'compare', 'versus', 'calibrate'] as const)
    .filter((command) => command !== 'versus' || comparableServices(files.suite).length > 1)
    .flatMap((command) => PROFILE_NAMES.map((profile) => lengthOf(command, profile, files)));
}

export function lengthOf(command: Length['command'], name: ProfileName, files: SuiteFiles): Length {
  const { suite } = files;
  const place = expectedPlace('auto', files);
  const { rounds, trials, calibrationRounds } = PROFILES[name];
  const of = (fewestSeconds: number, mostSeconds = fewestSeconds) => ({
    ...{ command, profile: name, fewestSeconds, mostSeconds },
  });
  const round = roundSeconds(rounds, suite, place);
  switch (command) {
    case 'run': {
      const plan = planRun({ suite, profile: trials, modes: usualModes(suite), seed: 1 });
      return of(mainJobSeconds(plan, mainJobRounds(plan), place));
    }
    case 'compare':
      return of(fewestRounds(rounds) * round, mostRounds(rounds) * round);
    case 'versus':
      return of(pairedSeconds({ ...rounds, looks: rounds.looks.slice(0, 1) }, suite, place));
    case 'calibrate':
      return of(calibrationRounds * round);
  }
}

/** Duration as a comment in YAML. */
export function lengthText({ command, profile, fewestSeconds, mostSeconds }: Length): string {
  const length =
    fewestSeconds === mostSeconds
      ? formatDuration(fewestSeconds)
      : `${formatDuration(fewestSeconds)} to ${formatDuration(mostSeconds)}`;
  return `# wiregauge ${command} --profile ${profile}: about ${length}, plus builds\n`;
}
