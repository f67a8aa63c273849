import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { isDistinct, name, nameAdvice, title } from '../../foundation/names.ts';
import { counted } from '../../foundation/numbers.ts';
import { sweepRecord } from '../../model/run/sweep.ts';
import { type Service, type Variant, variantName, withMembers } from '../../model/service.ts';
import { arrivalsOf, arrivalTiers, type Suite } from '../../model/suite/suite.ts';
import { MATRIX_NAME } from '../families/family.ts';
import { collectMistakes, Mistakes } from '../mistakes.ts';
import type { Path, PlaceOf, SourceText } from '../yaml/frame.ts';
import { mapIn } from '../yaml/lines.ts';
import { parsePlaced } from '../yaml/yaml.ts';
import { network } from './load/network.ts';
import { tier } from './load/tier.ts';
import { needPlaceholders } from './needs.ts';
import { policyBlock } from './policy.ts';
import { settings } from './program.ts';
import { operationList, refuseSharedAddress, serviceEntry } from './service.ts';
import { factorial } from './study/factorial.ts';
import { published } from './study/published.ts';
import { variants, variantsThatFit } from './variants.ts';

const panel = z.strictObject({
  title: title.describe('Its title.'),
  services: z.array(name).min(1).refine(isDistinct, 'must not contain duplicates').describe('The services in it.'),
});

const sweep = z
  .strictObject({
    argument: z.string().min(1).max(80).describe('The argument that grows, a number.'),
    title: title.describe('Unit of the argument, like `objects in an answer`.'),
    panels: z
      .array(panel)
      .min(1)
      .max(20)
      .refine((panels) => isDistinct(panels.map((one) => one.title)), 'must not contain two panels with the same title')
      .describe('The charts, each with some of the services.'),
  })
  .describe('An argument that grows from tier to tier, for charts.');

/** Throws ConfigError with the place of each operation, service or argument that the suite names but does not have. */
export function refuseUnknownNames(suite: NamedParts, placeOf: PlaceOf): void {
  const mistakes = new Mistakes();
  const operations = { kind: 'operation', names: suite.operations.map(({ name }) => name), placeOf };
  mistakes.each(suite.tiers, (tier, index) =>
    refuseUnknown(tier.operations ?? [], ['tiers', index, 'operations'], operations),
  );
  const services = { kind: 'service', names: suite.services, placeOf };
  mistakes.each(suite.sweep?.panels ?? [], (panel, index) =>
    refuseUnknown(panel.services, ['sweep', 'panels', index, 'services'], services),
  );
  mistakes.each(suite.factorial?.services ?? [], ({ service }) =>
    refuseUnknown([service], [], { ...services, placeOf: () => placeOf(['factorial', 'services', service]) }),
  );
  mistakes.attempt(() => refuseEmptySweep(suite, placeOf));
  mistakes.without(suite);
}

type NamedParts = Pick<Suite, 'operations' | 'tiers' | 'services' | 'sweep' | 'factorial'>;

function refuseUnknown(
  found: readonly string[],
  path: Path,
  { kind, names, placeOf }: { readonly kind: string; readonly names: readonly string[]; readonly placeOf: PlaceOf },
): void {
  collectMistakes(found, (name, index) => {
    if (!names.includes(name)) {
      throw new ConfigError(`${placeOf([...path, index])}: there is no ${kind} ${name} in this suite`, {
        code: 'WG-106',
        next: nameAdvice(name, names, `Available ${kind}s`),
      });
    }
  });
}

/** Throws ConfigError with the places of tiers whose rate is too low to divide: each operation gets at least 1 request per second. */
export function refuseLowRates(
  { tiers, operations, groups }: Pick<Suite, 'tiers' | 'operations' | 'groups'>,
  placeOf: PlaceOf,
): void {
  collectMistakes(tiers, (tier, index) => {
    const [open] = arrivalTiers([tier]);
    const counts = (groups ?? [{ operations }]).map(
      (group) => group.operations.filter(({ name: one }) => tier.operations?.includes(one) ?? true).length,
    );
    const [rate, least] = [open && arrivalsOf(open).ratePerSecond, Math.max(...counts)];
    if (rate !== undefined && rate < least) {
      const rateText = Number(rate.toPrecision(3));
      throw new ConfigError(
        `${placeOf(['tiers', index])}: ${counted(least, 'operation')} cannot share ${rateText} ${rateText === 1 ? 'request' : 'requests'} per second: each gets at least 1`,
        {
          code: 'WG-105',
          next: `Set a rate of at least ${least} requests per second (users / thinkSeconds), or name fewer in \`operations\` of the tier.`,
        },
      );
    }
  });
}

function refuseEmptySweep(suite: NamedParts, placeOf: PlaceOf): void {
  if (suite.sweep !== undefined && sweepRecord(suite)?.points.length === 0) {
    const { argument } = suite.sweep;
    throw new ConfigError(
      `${placeOf(['sweep', 'argument'])}: no tier has a single operation whose ${argument} is one number above 0`,
      {
        code: 'WG-105',
        next: 'Set `operations` in each tier of the sweep to one operation that has this argument, a number, in `arguments`.',
      },
    );
  }
}

/** Loads of the study: 100, 500 and 1000 users with a think time of 0.3 s. */
const USUAL_TIERS = [
  { name: 'low', users: 100, spawnPerSecond: 10, thinkSeconds: 0.3 },
  { name: 'medium', users: 500, spawnPerSecond: 50, thinkSeconds: 0.3 },
  { name: 'high', users: 1000, spawnPerSecond: 100, thinkSeconds: 0.3 },
];

const USUAL_SATURATION = { workers: 50 };

const keys = {
  operations: operationList.describe('The requests to the services.'),
  tiers: z
    .array(tier)
    .min(1)
    .refine((tiers) => isDistinct(tiers.map((one) => one.name)), 'must not contain duplicate names')
    .default(USUAL_TIERS)
    .describe('Loads; default: 100, 500 and 1000 users with a think time of 0.3 s.'),
  saturation: z
    .strictObject({
      workers: z.int().positive().describe('Requests in flight at any time.'),
      warmupSeconds: z
        .number()
        .positive()
        .max(600)
        .optional()
        .describe(
          'The warm-up before saturation, and in rounds before all loads, for example for the JVM; not with `smoke`. Default: that of the profile.',
        ),
    })
    .default(USUAL_SATURATION)
    .describe('The closed loop that finds the highest rate.'),
  environment: settings
    .optional()
    .describe(
      'Environment variables for all services except those with an `address`; they override those of the services.',
    ),
  network: network
    .optional()
    .describe('The network to the services, at saturation and at tiers without a `network`; default: none.'),
  variants: variants.optional(),
  sweep: sweep.optional(),
  factorial: factorial.optional(),
  published: published.optional().describe('Figures and findings of a study, to compare with.'),
  policy: policyBlock().default({}).describe('Thresholds, budgets and inconclusive results that may fail.'),
};

const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}\*[A-Za-z0-9_.-]{0,79}$/;

/** Services, operations and tiers in a `suites/<name>.yml`. */
export const suiteSchema = z.strictObject({
  name,
  title,
  services: z
    .array(
      z.union([name, z.string().regex(MATRIX_NAME), z.string().regex(NAME_PATTERN)], {
        error: 'must be the name of a service or of a matrix, or a pattern with one *, like api-*',
      }),
    )
    .min(1)
    .refine(isDistinct, 'must not contain duplicates')
    .describe('The reference first; the name of a matrix, or a pattern like api-*, means several services.'),
  ...keys,
});

/** Default name of the suite in a `wiregauge.yml`. */
export const PROJECT_SUITE = 'main';

/** Suite of a repository with its services, in a `wiregauge.yml`. */
export const projectSchema = z.strictObject({
  name: name.default(PROJECT_SUITE).describe('Its name in the history.'),
  title: title
    .optional()
    .describe('Its title in reports; default: its name, else that of the package, else the services.'),
  services: z
    .record(name, serviceEntry)
    .refine((services) => Object.keys(services).length > 0, 'must have at least one service')
    .superRefine(refuseSharedAddress)
    .describe('The services by name, the reference first.'),
  ...keys,
  operations: operationList.optional().describe('Requests to the services without their own `operations`.'),
});

/** Valid parts of a suite whose file has mistakes. */
export type SuiteParts = Readonly<{
  [Key in 'operations' | 'tiers' | 'services' | 'sweep' | 'factorial' | 'variants']?:
    | z.output<typeof suiteSchema>[Key]
    | undefined;
}>;

/** Valid parts of a `suites/<name>.yml`. */
export function suiteParts(content: unknown): SuiteParts {
  const map = mapIn(content);
  const parts = (['operations', 'tiers', 'sweep', 'factorial', 'services'] as const).map(
    (key) => [key, suiteSchema.shape[key].safeParse(map[key]).data] as const,
  );
  return { ...Object.fromEntries(parts), variants: variantsThatFit(map['variants']) };
}

/** Valid parts of a `wiregauge.yml`, including the valid services. */
export function projectParts(content: unknown) {
  const map = mapIn(content);
  const services = Object.entries(mapIn(map['services'])).flatMap(([key, entry]) => {
    const { data } = serviceEntry.safeParse(entry);
    return data === undefined ? [] : [[key, data] as const];
  });
  return {
    ...suiteParts(content),
    services: Object.fromEntries(services),
    environment: keys.environment.safeParse(map['environment']).data,
  };
}

/** Names of the services in a `wiregauge.yml`, even of invalid ones. */
export function serviceNamesIn(content: unknown): readonly string[] {
  return Object.keys(mapIn(mapIn(content)['services']));
}

/**
 * Returns a function that adds the environment variables of a `suites/<name>.yml` to a service. Throws ConfigError,
 * with file and line, if the file is wrong; the function does if the service already runs, or lacks a need in a
 * placeholder.
 */
export function parseSuiteEnvironment(source: SourceText): (service: Service) => Service {
  const { value, placeOf } = parsePlaced(source, suiteSchema);
  return (service) => withEnvironment(service, value.environment, placeOf);
}

/** Service with the environment variables of its suite. */
export function withEnvironment(
  service: Service,
  environment: Readonly<Record<string, string>> | undefined = {},
  placeOf: PlaceOf,
): Service {
  const { name, address, needs = [], members = [], entry } = service;
  if (Object.keys(environment).length === 0) {
    return service;
  }
  if (address !== undefined) {
    throw new ConfigError(`${placeOf(['environment'])}: cannot apply to ${name}, which already runs (address)`, {
      code: 'WG-105',
      next: `Start ${name} with these settings and remove them here, or remove ${name} from the suite.`,
    });
  }
  const all = needs.map((need) => need.name);
  const names = [entry ?? [], ...members.map((member) => member.name)].flat();
  const [misfit] = [
    ...needPlaceholders(environment, { family: 'needs', all, listed: all }),
    // Not every member is available when another starts.
    ...(entry === undefined ? [] : needPlaceholders(environment, { family: 'members', all: names, listed: [] })),
  ];
  if (misfit !== undefined) {
    throw new ConfigError(`${placeOf(misfit.path)}: for ${name}, ${misfit.message}`, {
      code: 'WG-105',
      next: 'The settings of a suite apply to all its services; set this one in the services that have the need.',
    });
  }
  return withMembers(service, (program) => ({
    ...program,
    environment: { ...program.environment, ...environment },
  }));
}

/**
 * Returns a function that replaces a service with its variants in a `suites/<name>.yml` or a `wiregauge.yml`. Throws
 * ConfigError, with file and line, if the file is wrong; the function does if the service cannot have variants.
 */
export function parseVariants(source: SourceText): (service: Service) => readonly Service[] {
  const { value, placeOf } = parsePlaced(source, z.object({ variants: keys.variants }));
  return (service) => {
    const own = value.variants?.[service.name];
    return own === undefined ? [service] : own.map((variant) => variantOf(service, variant, placeOf));
  };
}

function variantOf(service: Service, { name: own, environment }: Variant, placeOf: PlaceOf): Service {
  const { name: of, title: usual, address } = service;
  const steps = ['variants', of];
  if (address !== undefined) {
    throw new ConfigError(`${placeOf(steps)}: cannot apply to ${of}, which already runs (address)`, {
      code: 'WG-105',
      next: `Replace the address of ${of} with image or process, or remove its variants.`,
    });
  }
  const settled = withEnvironment(service, environment, ([, ...inner]) => placeOf([...steps, own, ...inner]));
  const variant = { of, name: own, environment };
  return { ...settled, name: variantName(of, own), title: `${usual}, ${own}`, variant };
}
