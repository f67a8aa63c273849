import { z } from 'zod';
import { SATURATION } from '../core/sample.ts';
import { type Tier, usualInFlight } from '../core/tier.ts';
import { name } from './names.ts';

const positive = z.number().positive();

/** As long as the study's ramps. */
const USUAL_RAMP_SECONDS = 10;

const tierKeys = z.strictObject({
  name: name
    .refine((value) => value !== SATURATION, `must not be "${SATURATION}", which stands for the closed loop`)
    .describe('What policy, files and flags call it.'),
  users: z.int().positive().optional().describe('So many at once, each with one request under way at most.'),
  spawnPerSecond: positive.optional().describe('Beside users: so many of them begin in a second.'),
  thinkSeconds: positive
    .optional()
    .describe('Beside users: from one request of a user to their next; the rate is users / thinkSeconds.'),
  requestsPerSecond: z
    .int()
    .positive()
    .optional()
    .describe('The arrival rate, in the place of users, over all operations.'),
  rampSeconds: z
    .number()
    .nonnegative()
    .optional()
    .describe('Beside requestsPerSecond: the time in which the load rises to its rate; default: 10.'),
  inFlight: z
    .int()
    .positive()
    .optional()
    .describe('Beside requestsPerSecond: requests under way at most; default: those of 0.3 s, from 16 to 1000.'),
});

type FoundTier = z.output<typeof tierKeys>;

const USERS_KEYS = ['users', 'spawnPerSecond', 'thinkSeconds'] as const;
const RATE_KEYS = ['requestsPerSecond', 'rampSeconds', 'inFlight'] as const;

/** A load with a fixed arrival rate, said in one of two ways. */
export const tier = tierKeys.transform(tierOf).meta({
  anyOf: [{ required: [...USERS_KEYS] }, { required: ['requestsPerSecond'] }],
  not: { required: ['users', 'requestsPerSecond'] },
});

const EITHER =
  'either users, spawnPerSecond and thinkSeconds, or requestsPerSecond and, if wanted, rampSeconds and inFlight';

function tierOf(found: FoundTier, context: z.RefinementCtx): Tier {
  const { name: own, users, spawnPerSecond, thinkSeconds, requestsPerSecond, rampSeconds, inFlight } = found;
  const issue = misfitOf(found);
  if (issue !== undefined) {
    context.addIssue({ code: 'custom', ...issue });
    return z.NEVER;
  }
  if (requestsPerSecond !== undefined) {
    return {
      name: own,
      requestsPerSecond,
      rampSeconds: rampSeconds ?? USUAL_RAMP_SECONDS,
      inFlight: inFlight ?? usualInFlight(requestsPerSecond),
    };
  }
  return { name: own, users: users ?? 0, spawnPerSecond: spawnPerSecond ?? 0, thinkSeconds: thinkSeconds ?? 0 };
}

interface Misfit {
  readonly path: string[];
  readonly message: string;
}

/** Why the keys are neither the one way nor the other; undefined where they are one of them. */
function misfitOf(found: FoundTier): Misfit | undefined {
  const ofUsers = USERS_KEYS.filter((key) => found[key] !== undefined);
  const ofRate = RATE_KEYS.filter((key) => found[key] !== undefined);
  const [user] = ofUsers;
  const [rate] = ofRate;
  if (user !== undefined && rate !== undefined) {
    return { path: [rate], message: `stands beside ${user}, and a tier has ${EITHER}` };
  }
  if (user === undefined && rate === undefined) {
    return { path: [], message: `says no load: it wants ${EITHER}` };
  }
  const missing = user === undefined ? RATE_KEYS[0] : USERS_KEYS.find((key) => found[key] === undefined);
  return missing === undefined || found[missing] !== undefined
    ? undefined
    : { path: [missing], message: `is missing beside ${user ?? rate}: a tier has ${EITHER}` };
}
