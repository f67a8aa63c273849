import * as z from 'zod';
import { isDistinct, name } from '../../../foundation/names.ts';
import { SATURATION } from '../../../model/metric.ts';
import { MAX_IN_FLIGHT, mostUsers, stagesSeconds, type Tier, usualInFlight } from '../../../model/suite/suite.ts';
import { firstMisfit, type Misfit } from '../../mistakes.ts';
import { network } from './network.ts';

const positive = z.number().positive();

/** Ramp of the study. */
const USUAL_RAMP_SECONDS = 10;

const LONGEST_SECONDS = 3600;
const MAX_REQUESTS = 100_000;

const MAX_STAGES = 100;

const stage = z.strictObject({
  seconds: z
    .number()
    .nonnegative()
    .max(LONGEST_SECONDS)
    .describe('Time for the linear change to the users of this stage; 0: at once.'),
  users: z
    .int()
    .nonnegative()
    .max(MAX_IN_FLIGHT, `must be at most ${MAX_IN_FLIGHT}: each user has a connection or a call open`)
    .describe('The number of users at the end of the stage. The first stage begins with 0.'),
});

const tierKeys = z.strictObject({
  name: name
    .refine((value) => value !== SATURATION, `must not be "${SATURATION}", which is the name of the closed loop`)
    .describe('Its name in policies, files and flags.'),
  stages: z
    .array(stage)
    .min(1)
    .max(MAX_STAGES)
    .optional()
    .describe('A number of users that changes from stage to stage, instead of `users`.'),
  users: z.int().positive().optional().describe('The number of users, each with at most one request in flight.'),
  spawnPerSecond: positive.optional().describe('With `users`: the number of users that start each second.'),
  thinkSeconds: positive
    .optional()
    .describe(
      'With `users`: the time from one request of a user to the next. With `stages`: from an answer to the next request; default: none.',
    ),
  requestsPerSecond: z
    .int()
    .positive()
    .optional()
    .describe('The arrival rate over all operations, instead of `users`.'),
  inFlight: z
    .int()
    .positive()
    .optional()
    .describe('With `requestsPerSecond`: the most requests in flight; default: those of 0.3 s, from 16 to 1000.'),
  rampSeconds: z
    .number()
    .nonnegative()
    .optional()
    .describe(
      'With `requestsPerSecond`: the time until the full rate; default: 10. With `limitSeconds`: the time over which users start; default: 0.',
    ),
  limitSeconds: positive
    .max(LONGEST_SECONDS)
    .optional()
    .describe('With `users`, instead of a think time: how long they send requests without a pause.'),
  warmupSeconds: positive
    .max(LONGEST_SECONDS)
    .optional()
    .describe('With `limitSeconds`: a warm-up before it, not measured; default: none.'),
  requestsPerUser: z
    .int()
    .positive()
    .max(MAX_REQUESTS)
    .optional()
    .describe('With `limitSeconds`: the number of requests of each user; default: no limit.'),
  network: network.optional().describe('The network of this tier, instead of that of the file.'),
  operations: z
    .array(name)
    .min(1)
    .refine(isDistinct, 'must not contain duplicates')
    .optional()
    .describe('The operations of this tier, by their weights; default: all.'),
});

type FoundTier = z.output<typeof tierKeys>;

type LoadKey = Exclude<keyof FoundTier, 'name' | 'operations' | 'network'>;

/** Valid combination of load keys. */
interface Way {
  readonly needs: readonly LoadKey[];
  readonly may: readonly LoadKey[];
}

const THINKING: Way = { needs: ['users', 'spawnPerSecond', 'thinkSeconds'], may: [] };
const RATE: Way = { needs: ['requestsPerSecond'], may: ['rampSeconds', 'inFlight'] };
const CLOSED: Way = { needs: ['users', 'limitSeconds'], may: ['requestsPerUser', 'rampSeconds', 'warmupSeconds'] };
const STAGES: Way = { needs: ['stages'], may: ['thinkSeconds'] };
const WAYS = [THINKING, RATE, CLOSED, STAGES];

const LOAD_KEYS = [...new Set(WAYS.flatMap(keysOf))];

/** Load of a tier: an arrival rate, users with think time, users without, or stages. */
export const tier = tierKeys.transform(tierOf).meta({
  anyOf: WAYS.map(({ needs }) => ({ required: [...needs] })),
  not: {
    anyOf: [
      { required: ['users', 'requestsPerSecond'] },
      { required: ['thinkSeconds', 'limitSeconds'] },
      ...['users', 'requestsPerSecond'].map((key) => ({ required: ['stages', key] })),
    ],
  },
});

function tierOf(found: FoundTier, context: z.RefinementCtx): Tier {
  const [issue] = [...misfitsOf(found), ...stagesMisfits(found), ...closedMisfits(found)];
  if (issue !== undefined) {
    context.addIssue({ code: 'custom', ...issue });
    return z.NEVER;
  }
  const { name: own, operations, network: distance } = found;
  return {
    name: own,
    ...loadOf(found),
    ...(operations !== undefined && { operations }),
    ...(distance !== undefined && { network: distance }),
  };
}

function loadOf(found: FoundTier) {
  const { users = 0, spawnPerSecond = 0, requestsPerSecond, limitSeconds, requestsPerUser, stages } = found;
  if (stages !== undefined) {
    const { thinkSeconds } = found;
    return { stages, ...(thinkSeconds !== undefined && { thinkSeconds }) };
  }
  if (requestsPerSecond !== undefined) {
    const { rampSeconds = USUAL_RAMP_SECONDS, inFlight = usualInFlight(requestsPerSecond) } = found;
    return { requestsPerSecond, rampSeconds, inFlight };
  }
  if (limitSeconds !== undefined) {
    const { rampSeconds = 0, warmupSeconds } = found;
    return {
      users,
      ...(requestsPerUser !== undefined && { requestsPerUser }),
      rampSeconds,
      ...(warmupSeconds !== undefined && { warmupSeconds }),
      limitSeconds,
    };
  }
  return { users, spawnPerSecond, thinkSeconds: found.thinkSeconds ?? 0 };
}

function misfitsOf(found: FoundTier): readonly Misfit[] {
  const keys = LOAD_KEYS.filter((key) => found[key] !== undefined);
  if (keys.length === 0) {
    return [{ path: [], message: `has no load: set ${EITHER}` }];
  }
  const possible = WAYS.filter((way) => keys.every((key) => keysOf(way).includes(key)));
  if (possible.length === 0) {
    return [conflictOf(keys)];
  }
  const missing = possible.map(({ needs }) => needs.find((key) => found[key] === undefined));
  return missing.includes(undefined)
    ? []
    : [{ path: missing.slice(0, 1).map(String), message: `is missing (required with ${keys[0]}): set ${EITHER}` }];
}

function conflictOf(keys: readonly LoadKey[]): Misfit {
  const pairs = keys.flatMap((first, index) => keys.slice(index + 1).map((second) => [first, second] as const));
  const [first, second] =
    pairs.find((pair) => !WAYS.some((way) => pair.every((key) => keysOf(way).includes(key)))) ?? [];
  return { path: [String(second)], message: `cannot be combined with ${first}: set ${EITHER}` };
}

function keysOf({ needs, may }: Way): readonly LoadKey[] {
  return [...needs, ...may];
}

const EITHER = [
  'either users, spawnPerSecond and thinkSeconds',
  'or requestsPerSecond (optionally rampSeconds and inFlight)',
  'or users and limitSeconds (optionally rampSeconds and one of requestsPerUser and warmupSeconds)',
  'or stages (optionally thinkSeconds)',
].join(', ');

function stagesMisfits({ stages }: FoundTier): readonly Misfit[] {
  const seconds = stagesSeconds(stages ?? []);
  const isOdd = seconds === 0 || seconds > LONGEST_SECONDS;
  const message = `last ${seconds} s in total, which must be above 0 and at most ${LONGEST_SECONDS} s`;
  return firstMisfit([
    [stages !== undefined && isOdd, 'stages', message],
    [stages !== undefined && mostUsers(stages) === 0, 'stages', 'have no users in any stage'],
  ]);
}

function closedMisfits(found: FoundTier): readonly Misfit[] {
  const { users = 0, rampSeconds = 0, warmupSeconds, limitSeconds, requestsPerUser } = found;
  if (limitSeconds === undefined) {
    return [];
  }
  const twice = 'cannot be combined with requestsPerUser: a warm-up would use up the requests';
  const many = `must be at most ${MAX_IN_FLIGHT} with limitSeconds: each user keeps a connection or a call open`;
  const late = 'must be below limitSeconds: users that start later send nothing';
  return firstMisfit([
    [warmupSeconds !== undefined && requestsPerUser !== undefined, 'warmupSeconds', twice],
    [users > MAX_IN_FLIGHT, 'users', many],
    [rampSeconds >= limitSeconds, 'rampSeconds', late],
  ]);
}
