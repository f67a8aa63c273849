import { z } from 'zod';
import { isDistinct, name, title, wordList } from '../../../foundation/index.ts';
import { type Factorial, MOST_CELLS, MOST_FACTORS, MOST_LEVELS } from '../../../model/index.ts';

const level = title;

const factors = z
  .record(title, z.array(level).min(2).max(MOST_LEVELS).refine(isDistinct, 'must not contain duplicate levels'))
  .refine((found) => Object.keys(found).length > 0, 'must have at least one factor')
  .refine((found) => Object.keys(found).length <= MOST_FACTORS, `has more than ${MOST_FACTORS} factors`);

const lead = z.strictObject({
  service: name.describe('The service that is ahead.'),
  against: name.describe('The service it is compared with.'),
  parts: z.record(title, z.array(title).min(1)).describe('The parts of the lead by name, each with its factors.'),
});

/** What the services of a suite differ in, as a file has it. */
export const factorial = z
  .strictObject({
    factors: factors.describe('The differences between services, each with its levels; the first is the reference.'),
    services: z
      .record(name, z.array(level))
      .refine((found) => Object.keys(found).length <= MOST_CELLS, `has more than ${MOST_CELLS} services`)
      .describe('The services, each with one level of each factor, in order.'),
    lead: lead.optional().describe("One service's lead over another, to divide among the factors."),
  })
  .superRefine(refuseMisfits)
  .transform(designOf)
  .describe('The differences between the services, for a table of the effect of each.');

interface Found {
  readonly factors: Readonly<Record<string, readonly string[]>>;
  readonly services: Readonly<Record<string, readonly string[]>>;
  readonly lead?: z.output<typeof lead> | undefined;
}

type Misfit = readonly [path: string[], message: string];

function refuseMisfits(found: Found, context: z.RefinementCtx): void {
  const misfits = context.issues.length > 0 ? [] : [...levelMisfits(found), ...leadMisfits(found)];
  for (const [path, message] of misfits) {
    context.addIssue({ code: 'custom', path, message });
  }
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
    if (levels.length !== known.length) {
      return [
        [path, `has ${levels.length} levels, but there are ${known.length} factors: ${Object.keys(all).join(', ')}`],
      ];
    }
    if (strange >= 0) {
      return [[path, `has ${levels[strange]} as ${factor}, which must be one of ${allowed.join(', ')}`]];
    }
    return twin === undefined ? [] : [[path, `has the same levels as ${twin}`]];
  });
}

function leadMisfits({ factors: all, services, lead: found }: Found): readonly Misfit[] {
  if (found === undefined) {
    return [];
  }
  const { service, against, parts } = found;
  const missing = (['service', 'against'] as const).filter((key) => services[found[key]] === undefined);
  if (missing.length > 0) {
    return missing.map((key): Misfit => [['lead', key], 'is not a service of the design']);
  }
  const differing = Object.keys(all).filter((_, place) => services[service]?.[place] !== services[against]?.[place]);
  const named = Object.values(parts).flat();
  const isEach = named.length === differing.length && differing.every((factor) => named.includes(factor));
  return isEach
    ? []
    : [
        [
          ['lead', 'parts'],
          `must list each factor in which the two differ, once: ${wordList(differing) || 'they differ in none'}`,
        ],
      ];
}

function designOf({ factors: all, services, lead: found }: Found): Factorial {
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
