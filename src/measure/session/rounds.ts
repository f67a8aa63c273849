import type { Progress } from '../../host/index.ts';
import { keepToLoadCore, machineIdentity, systemClock } from '../../host/index.ts';
import type { Calibration, Plan, Policy, Profile, RoundsRecord, RunInRounds, Side } from '../../model/index.ts';
import { mostRounds, type RoundProfile, roundSeconds, tiersOf } from '../../model/index.ts';
import type { SuiteFiles } from '../../project/index.ts';
import { protocolClient } from '../../protocols/index.ts';
import type { Secrets } from '../../secrets/index.ts';
import { AnswerBook } from '../rounds/bench.ts';
import { compareVersions, type RoundsHead } from '../rounds/compare.ts';
import { headOf } from './run-head.ts';
import type { PreparedRuntime } from './runtime.ts';
import type { VersionSuites } from './versions.ts';

/** All that a comparison in rounds is decided by before its first round. */
export interface RoundsSession {
  readonly suites: VersionSuites;
  readonly prepared: Readonly<Record<Side, PreparedRuntime>>;
  readonly records: Readonly<Record<Side, RoundsRecord['base']>>;
  readonly profile: RoundProfile;
  readonly interleave: RoundsRecord['interleave'];
  readonly policy: Policy;
  readonly seed: number;
  readonly budgetSeconds: number;
  readonly stopsEarly: boolean;
  readonly calibration?: Calibration | undefined;
  /** Which service the others are held against, where services rather than versions are compared. */
  readonly versus?: RoundsRecord['versus'];
  /** Which share of a comparison this is, where several jobs share it. */
  readonly shards?: RoundsRecord['shards'];
  readonly secrets: Secrets;
  readonly progress: Progress;
  /** Keeps what was measured so far. */
  readonly keep: (run: RunInRounds) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Compares the two versions and gives the run, which was also kept. */
export async function measureRounds(session: RoundsSession): Promise<RunInRounds> {
  const { suites, prepared, progress, signal } = session;
  const { serviceCore: service, loadCore: load } = prepared.head.runtime.runner;
  const log = (line: string): void => progress.line(line);
  await keepToLoadCore({ service, load }, log);
  const bench = {
    ...session,
    suite: suites.suite,
    versions: { base: versionOf(session, 'base'), head: versionOf(session, 'head') },
    answers: new AnswerBook(log),
    client: protocolClient(session.secrets),
    clock: systemClock,
    machine: machineIdentity,
    signal,
  };
  progress.chapter('Rounds');
  return await compareVersions(bench, await roundsHead(session));
}

function versionOf({ suites, prepared }: RoundsSession, side: Side) {
  const { suite, services }: SuiteFiles = suites[side];
  return { runtime: prepared[side].runtime, suite, services };
}

async function roundsHead(session: RoundsSession): Promise<RoundsHead> {
  const { suites, prepared, records, profile, seed, budgetSeconds } = session;
  const { suite } = suites;
  const plan: Plan = { suite, profile: slotProfile(profile), modes: ['open', 'saturate'], seed, slots: [] };
  const { commit, dirty } = records.head;
  const head = await headOf({ plan, files: suites.head, ...prepared.head });
  return {
    ...head,
    commit: { ...(commit !== undefined && { head: commit }), dirty },
    plan: { ...head.plan, plannedSeconds: mostRounds(profile) * roundSeconds(profile, suite) },
    rounds: {
      base: records.base,
      head: records.head,
      interleave: session.interleave,
      profile,
      tiers: tiersOf(profile, suite).map(({ name }) => name),
      budgetSeconds,
      policy: session.policy,
      ...(session.calibration !== undefined && { calibration: session.calibration }),
      ...(session.versus !== undefined && { versus: session.versus }),
      ...(session.shards !== undefined && { shards: session.shards }),
    },
  };
}

/** What one version does in a round, in the words of the main job's profiles. */
function slotProfile(profile: RoundProfile): Profile {
  return {
    name: profile.name,
    rampScale: 0,
    warmupSeconds: profile.dropSeconds,
    measureSeconds: profile.tierBlocks * profile.tierBlockSeconds,
    saturationSeconds: profile.saturationSeconds,
    rounds: mostRounds(profile),
  };
}
