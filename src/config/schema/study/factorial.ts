import * as z from 'zod';
import { ConfigError } from '../../../foundation/errors.ts';
import { isDistinct, name, title } from '../../../foundation/names.ts';
import { wordList } from '../../../foundation/text.ts';
import { type Factorial, MAX_CELLS, MAX_FACTORS, MAX_LEVELS } from '../../../model/suite/factorial.ts';
import { word } from '../../families/family.ts';
import { firstMisfit, type Misfit, severalOf } from '../../mistakes.ts';
import type { KnownService } from '../../reader.ts';
import type { PlaceOf } from '../../yaml/frame.ts';
import { SEE_KEYS } from '../../yaml/issues.ts';

const level = title;

const levels = z.array(level).min(2).max(MAX_LEVELS).refine(isDistinct, 'must not contain duplicate levels');

const factors = z
  .record(
    title,
    z.union([levels, word], { error: 'must be a list of levels, or an axis of the matrix that makes the services' }),
  )
  .refine((found) => Object.keys(found).length > 0, 'must have at least one factor')
  .refine((found) => Object.keys(found).length <= MAX_FACTORS, `has more than ${MAX_FACTORS} factors`);

const lead = z.strictObject({
  service: name.describe('The service that is ahead.'),
  against: name.describe('The service it is compared with.'),
  parts: z.record(title, z.array(title).min(1)).describe('The parts of the lead by name, each with its factors.'),
});

/** Factors in which the services of a suite differ. */
export const factorial = z
  .strictObject({
    factors: factors.describe('The differences between services, each with its levels; the first is the reference.'),
    services: z
      .record(name, z.array(level))
      .refine((found) => Object.keys(found).length <= MAX_CELLS, `has more than ${MAX_CELLS} services`)
      .optional()
      .describe('The services, each with one level of each factor, in order; default: from the axes of their matrix.'),
    lead: lead.optional().describe("One service's lead over another, to divide among the factors."),
  })
  .describe('The differences between the services, for a table of the effect of each.');

interface Found {
  readonly factors: Readonly<Record<string, readonly string[]>>;
  readonly services: Readonly<Record<string, readonly string[]>>;
  readonly lead?: z.output<typeof lead> | undefined;
}

/**
 * Factorial design of a suite. Without its own `services`, they have the levels of their matrix. Throws ConfigError
 * with the place of every mistake.
 */
export function designOf(
  { factors: given, services: own, lead: found }: z.output<typeof factorial>,
  services: readonly KnownService[],
  placeOf: PlaceOf,
): Factorial {
  const axes = Object.entries(given);
  const cells =
    own ??
    Object.fromEntries(
      services.map(({ name: service, levels: all }) => [
        service,
        axes.flatMap(([, axis]) => (typeof axis === 'string' ? (all[axis] ?? []) : [])),
      ]),
    );
  const levelsOf = (axis: string): readonly string[] => [
    ...new Set(services.flatMap(({ levels: all }) => all[axis] ?? [])),
  ];
  const resolved = {
    factors: Object.fromEntries(
      axes.map(([factor, axis]) => [factor, typeof axis === 'string' ? levelsOf(axis) : axis]),
    ),
    services: cells,
    lead: found,
  };
  const misfits = [...levelMisfits(resolved), ...leadMisfits(resolved)];
  if (misfits.length > 0) {
    throw severalOf(
      misfits.map(
        ({ path, message }) => new ConfigError(`${placeOf(path)}: ${message}`, { code: 'WG-105', next: SEE_KEYS }),
      ),
    );
  }
  return factorialOf(resolved);
}

function levelMisfits({ factors: all, services }: Found): readonly Misfit[] {
  const known = Object.entries(all);
  const seen = new Map<string, string>();
  return Object.entries(services).flatMap(([service, levels]): readonly Misfit[] => {
    const path = ['services', service];
    const strange = levels.findIndex((own, place) => known[place]?.[1].includes(own) === false);
    const [factor = '', allowed = []] = known[strange] ?? [];
    const twin = seen.get(JSON.stringify(levels));
    seen.set(JSON.stringify(levels), service);
    const names = Object.keys(all).join(', ');
    return firstMisfit([
      [
        levels.length !== known.length,
        path,
        `has ${levels.length} levels, but there are ${known.length} factors: ${names}`,
      ],
      [strange >= 0, path, `has ${levels[strange]} as ${factor}, which must be one of ${allowed.join(', ')}`],
      [twin !== undefined, path, `has the same levels as ${twin}`],
    ]);
  });
}

function leadMisfits({ factors: all, services, lead: found }: Found): readonly Misfit[] {
  if (found === undefined) {
    return [];
  }
  const { service, against, parts } = found;
  const missing = (['service', 'against'] as const).filter((key) => services[found[key]] === undefined);
  if (missing.length > 0) {
    return missing.map((key) => ({ path: ['lead', key], message: 'is not a service of the design' }));
  }
  const differing = Object.keys(all).filter((_, place) => services[service]?.[place] !== services[against]?.[place]);
  const named = Object.values(parts).flat();
  const isEach = named.length === differing.length && differing.every((factor) => named.includes(factor));
  const message = `must list each factor in which the two differ, once: ${wordList(differing) || 'they differ in none'}`;
  return isEach ? [] : [{ path: ['lead', 'parts'], message }];
}

function factorialOf({ factors: all, services, lead: found }: Found): Factorial {
  const entries = (map: Found['services']) => Object.entries(map);
  return {
    factors: entries(all).map(([own, levels]) => ({ name: own, levels: [...levels] })),
    services: entries(services).map(([service, levels]) => ({ service, levels: [...levels] })),
    ...(found !== undefined && {
      lead: {
        of: [...(services[found.service] ?? [])],
        against: [...(services[found.against] ?? [])],
        parts: Object.entries(found.parts).map(([own, named]) => ({ name: own, factors: [...named] })),
      },
    }),
  };
}
