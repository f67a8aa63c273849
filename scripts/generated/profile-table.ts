import { durationText, expectedPlace } from '../../src/measure/session/runtime.ts';
import { type Profile, planRun, usualModes } from '../../src/model/plan.ts';
import { mainJobRounds, PROFILE_NAMES, PROFILES, type ProfileName } from '../../src/model/profiles.ts';
import {
  fewestRounds,
  mainJobSeconds,
  mostRounds,
  pairedSeconds,
  type RoundProfile,
  roundSeconds,
} from '../../src/model/rounds.ts';
import { readSuite } from '../../src/project/suite.ts';
import { table, withGenerated } from './markdown-table.ts';

/** The document with the table of all profiles: what each means to every command, and how long that takes with the suite `users`. */
export function withProfiles(text: string): string {
  const files = readSuite(process.cwd(), 'users', undefined);
  const head = [
    'profile',
    'a version in a round',
    '`compare`',
    '`versus`',
    '`calibrate`',
    'a slot of `run`',
    '`run`: each slot, then',
  ];
  const rows = PROFILE_NAMES.map((name) => [`\`${name}\``, ...cellsOf(name, files)]);
  return withGenerated(text, 'the profiles', table([head, ...rows]));
}

function cellsOf(name: ProfileName, files: ReturnType<typeof readSuite>): readonly string[] {
  const { suite } = files;
  const { rounds, slots, calibrationRounds, pairedRounds } = PROFILES[name];
  const place = expectedPlace('docker', files);
  const round = roundSeconds(rounds, suite, place);
  const [fewest, most] = [fewestRounds(rounds), mostRounds(rounds)];
  const plan = planRun({ suite, profile: slots, modes: usualModes(suite), seed: 1 });
  const versus = { ...rounds, looks: rounds.looks.slice(0, 1) };
  return [
    roundText(rounds),
    fewest === most
      ? `${fewest} rounds, ${durationText(fewest * round)}`
      : `${fewest} to ${most} rounds, ${durationText(fewest * round)} to ${durationText(most * round)}`,
    `${fewest} rounds, ${durationText(pairedSeconds(versus, suite, place))}`,
    `${calibrationRounds} rounds, ${durationText(calibrationRounds * round)}`,
    slotText(slots),
    `${pairedRounds} rounds, ${durationText(mainJobSeconds(plan, mainJobRounds(plan), place))}`,
  ];
}

function roundText({ saturationSeconds, tierBlocks, tierBlockSeconds, tiers }: RoundProfile): string {
  const seconds = Number((tierBlocks * tierBlockSeconds).toFixed(1));
  return `${saturationSeconds} s at saturation, ${seconds} s at ${tiers === 'all' ? 'every tier' : 'the middle tier'}`;
}

function slotText({ rampScale, warmupSeconds, measureSeconds, saturationSeconds }: Profile): string {
  const ramp = rampScale === 1 ? 'the whole ramp' : `${rampScale} of the ramp`;
  return `${ramp}, ${warmupSeconds} + ${measureSeconds} s; at saturation ${warmupSeconds} + ${saturationSeconds} s`;
}
