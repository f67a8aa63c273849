import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseSamples } from '../../src/commands/runs/samples.ts';
import { ConfigError, messageOf } from '../../src/foundation/errors.ts';
import { comparedOf } from '../../src/judge/verdict/compared.ts';
import type { Compared } from '../../src/judge/verdict/finding.ts';
import { DEFAULT_POLICY, type Policy, rowsOf } from '../../src/model/policy.ts';
import { PROFILE_NAMES, PROFILES } from '../../src/model/profiles.ts';
import type { Look } from '../../src/model/rounds.ts';
import type { RoundsRecord } from '../../src/model/run/rounds.ts';
import type { RunInRounds } from '../../src/model/run/run.ts';
import { parseRun } from '../../src/model/run/run.ts';

/** Rounds that were recorded, and the rule that they are judged by. */
export interface RecordedRounds {
  readonly file: string;
  readonly compared: readonly Compared[];
  readonly policy: Policy;
  /** Those of today's profile of that name, whatever the recording was planned with. */
  readonly looks: readonly Look[];
  /** Wall time of one kept round of all services; undefined if the file does not have it. */
  readonly secondsPerRound: number | undefined;
}

/**
 * The rounds in a `run.json` or in a CSV of samples (plain or gzip), by their name. Throws ConfigError if it is
 * neither.
 */
export async function readRecorded(path: string): Promise<RecordedRounds> {
  const text = await textOf(path);
  const file = basename(path);
  return /\.json(\.gz)?$/.test(file) ? fromRun(text, file) : fromSamples(text, file);
}

/** The comparison in a `run.json`, plain or gzip. Throws ConfigError if it is none. */
export async function readRounds(path: string): Promise<RunInRounds> {
  return roundsIn(await textOf(path), basename(path));
}

async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new ConfigError(`${path}: cannot be read: ${messageOf(cause)}`, { cause, next: 'Give a file of rounds.' });
  });
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}

function roundsIn(text: string, file: string): RunInRounds {
  const run = parseRun(text, file);
  const { rounds } = run;
  if (rounds === undefined) {
    throw new ConfigError(`${file}: compares no two versions`, { next: 'Give the run.json of a comparison.' });
  }
  return { ...run, rounds };
}

function fromRun(text: string, file: string): RecordedRounds {
  const run = roundsIn(text, file);
  const { rounds } = run;
  const { compared } = comparedOf(run, rounds.policy);
  const name = PROFILE_NAMES.find((known) => known === rounds.profile.name);
  const { looks } = name === undefined ? rounds.profile : PROFILES[name].rounds;
  return { file, compared, policy: rounds.policy, looks, secondsPerRound: secondsOf(rounds) };
}

function fromSamples(text: string, file: string): RecordedRounds {
  const compared = parseSamples({ file, text }).input.compared.map(gatedAsMeasured);
  const looks = PROFILES.standard.rounds.looks;
  return { file, compared, policy: DEFAULT_POLICY, looks, secondsPerRound: undefined };
}

/** By the rule of today, whatever gated when it was recorded. */
function gatedAsMeasured(one: Compared): Compared {
  const row = rowsOf(one.cell).find(({ metric }) => metric === one.metric);
  return { ...one, gate: row?.gate ?? false, ifSeen: row?.ifSeen };
}

/** Wall time of a kept round, including attempts that were discarded or failed. */
function secondsOf({ rounds }: RoundsRecord): number | undefined {
  const startsMs = rounds.map(({ startedAt }) => Date.parse(startedAt)).sort((left, right) => left - right);
  const [first = 0, last = 0] = [startsMs[0], startsMs.at(-1)];
  const services = [...new Set(rounds.map(({ service }) => service))];
  const kept = services.map(
    (name) => rounds.filter(({ service, outcome }) => service === name && outcome === 'kept').length,
  );
  // The last attempt has no end on record: it is taken to be as long as the others.
  const spentSeconds = ((last - first) / 1000) * (rounds.length / (rounds.length - 1));
  return spentSeconds > 0 ? spentSeconds / Math.max(...kept) : undefined;
}
