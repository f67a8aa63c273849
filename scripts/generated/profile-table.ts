import { formatDuration } from '../../src/foundation/numbers.ts';
import { expectedPlace } from '../../src/measure/session/runtime.ts';
import { planRun, usualModes } from '../../src/model/plan.ts';
import { mainJobRounds, PROFILE_NAMES, PROFILES, type ProfileName } from '../../src/model/profiles.ts';
import { fewestRounds, mainJobSeconds, mostRounds, pairedSeconds, roundSeconds } from '../../src/model/rounds.ts';
import { readSuite } from '../../src/project/suite.ts';
import { table, withGenerated } from './markdown-table.ts';

/** Document with the table of all profiles: their meaning for every command, and the duration with the suite `users`. */
export function withProfiles(text: string): string {
  const files = readSuite(process.cwd(), 'users', undefined);
  const head = ['profile', '`compare`', '`versus`', '`calibrate`', '`run`: slots, then'];
  const rows = PROFILE_NAMES.map((name) => [`\`${name}\``, ...cellsOf(name, files)]);
  return withGenerated(text, 'the profiles', table([head, ...rows]));
}

function cellsOf(name: ProfileName, files: ReturnType<typeof readSuite>): readonly string[] {
  const { suite } = files;
  const { rounds, trials, calibrationRounds, pairedRounds } = PROFILES[name];
  const place = expectedPlace('docker', files);
  const round = roundSeconds(rounds, suite, place);
  const [fewest, most] = [fewestRounds(rounds), mostRounds(rounds)];
  const plan = planRun({ suite, profile: trials, modes: usualModes(suite), seed: 1 });
  const versus = { ...rounds, looks: rounds.looks.slice(0, 1) };
  return [
    fewest === most
      ? `${fewest} rounds, ${formatDuration(fewest * round)}`
      : `${fewest} to ${most} rounds, ${formatDuration(fewest * round)} to ${formatDuration(most * round)}`,
    `${fewest} rounds, ${formatDuration(pairedSeconds(versus, suite, place))}`,
    `${calibrationRounds} rounds, ${formatDuration(calibrationRounds * round)}`,
    `${pairedRounds} rounds, ${formatDuration(mainJobSeconds(plan, mainJobRounds(plan), place))}`,
  ];
}
