import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { isDistinct, name, nameAdvice, scalar, variable } from '../../foundation/names.ts';
import { type Variant, variantName } from '../../model/service.ts';
import { collectMistakes, firstMisfit, type Misfit, refusing } from '../mistakes.ts';
import type { PlaceOf, SourceText } from '../yaml/frame.ts';
import { mapIn } from '../yaml/lines.ts';
import { parsePlaced } from '../yaml/yaml.ts';
import { settings } from './program.ts';

const MAX_VARIANTS = 64;

const LONGEST_NAME = 80;

const values = z.array(scalar).min(1).refine(isDistinct, 'must not contain duplicates');

const ofService = z
  .record(
    name,
    z.union([values, settings], {
      error: 'must be the settings of a variant (a map), or the values of a variable (a list)',
    }),
  )
  .superRefine(refusing(misfitsOf))
  .transform(variantsOf);

type Found = Readonly<Record<string, readonly string[] | Readonly<Record<string, string>>>>;

/** Variants by service, each measured as a separate service. */
export const variants = z
  .record(name, ofService)
  .describe('Several settings of a service, each measured as a separate service.');

/** Valid variants of each service in a file. */
export function variantsThatFit(content: unknown): Readonly<Record<string, readonly Variant[]>> {
  const entries = Object.entries(mapIn(content)).filter(([service]) => name.safeParse(service).success);
  return Object.fromEntries(entries.map(([service, own]) => [service, ofService.safeParse(own).data ?? []]));
}

/** First kind of mistakes; the others follow from it. */
function misfitsOf(found: Found): readonly Misfit[] {
  return [formMisfits, listMisfits, countMisfits].map((group) => group(found)).find(({ length }) => length > 0) ?? [];
}

function formMisfits(found: Found): readonly Misfit[] {
  const named = Object.entries(found).find(([, value]) => !isList(value));
  const message = 'mixes named variants and lists of values: use only lists, or only names';
  return named === undefined || listsIn(found).length === 0 ? [] : [{ path: [named[0]], message }];
}

function listMisfits(found: Found): readonly Misfit[] {
  const unfit = 'must be an environment variable: letters, digits and underscores, not starting with a digit';
  return listsIn(found).flatMap(([key, list]) => {
    const isNamable = list.every((value) => /^[A-Za-z0-9_.-]+$/.test(value));
    return firstMisfit([
      [!variable.safeParse(key).success, key, unfit],
      [!isNamable, key, 'has a value that cannot be part of a name: name the variants'],
    ]);
  });
}

function countMisfits(found: Found): readonly Misfit[] {
  const lists = listsIn(found);
  const count =
    lists.length === 0 ? Object.keys(found).length : lists.reduce((product, [, list]) => product * list.length, 1);
  const isOdd = count <= MAX_VARIANTS && !isDistinct(variantsOf(found).map((one) => one.name));
  return firstMisfit([
    [count === 0, [], 'has no variants'],
    [count > MAX_VARIANTS, [], `has ${count} variants; the limit is ${MAX_VARIANTS}`],
    [isOdd, [], 'has two combinations with the same name: name the variants'],
  ]);
}

function listsIn(found: Found): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(found).flatMap(([key, value]) => (isList(value) ? [[key, value] as const] : []));
}

function isList(value: Found[string]): value is readonly string[] {
  return Array.isArray(value);
}

function variantsOf(found: Found): readonly Variant[] {
  const lists = listsIn(found);
  return lists.length > 0
    ? combined(lists)
    : Object.entries(found).flatMap(([key, value]) => (isList(value) ? [] : [{ name: key, environment: value }]));
}

function combined(lists: readonly (readonly [string, readonly string[]])[]): readonly Variant[] {
  const none: readonly Variant[] = [{ name: '', environment: {} }];
  return lists.reduce(
    (found, [key, list]) =>
      found.flatMap((one) =>
        list.map((value) => ({
          name: [one.name, /^[\d.]+$/.test(value) ? `${key.toLowerCase().replaceAll('_', '-')}-${value}` : value]
            .filter((part) => part !== '')
            .join('-'),
          environment: { ...one.environment, [key]: value },
        })),
      ),
    none,
  );
}

interface NamedVariants {
  readonly variants: Readonly<Record<string, readonly Variant[]>> | undefined;
  /** Empty if the names could not be read. */
  readonly services: readonly string[];
  readonly placeOf: PlaceOf;
}

/** Throws ConfigError with the places of variants of an unknown service, and of those with an invalid name. */
export function refuseMisnamedVariants({ variants: found = {}, services, placeOf }: NamedVariants): void {
  const entries = services.length === 0 ? [] : Object.entries(found);
  collectMistakes(entries, ([service, own]) => {
    if (!services.includes(service)) {
      throw new ConfigError(`${placeOf(['variants', service])}: there is no service ${service} in this suite`, {
        code: 'WG-106',
        next: nameAdvice(service, services, 'Available services'),
      });
    }
    collectMistakes(own, ({ name: one }) => refuseName(variantName(service, one), { services, service, placeOf }));
  });
}

function refuseName(
  called: string,
  { services, service, placeOf }: Omit<NamedVariants, 'variants'> & { readonly service: string },
): void {
  const isTaken = services.includes(called);
  if (isTaken || called.length > LONGEST_NAME) {
    throw new ConfigError(
      `${placeOf(['variants', service])}: ${isTaken ? `there is already a service ${called}` : `${called} has more than ${LONGEST_NAME} characters`}`,
      { code: 'WG-105', next: 'Rename one: the name of a variant is that of its service, a dot and its own name.' },
    );
  }
}

/** Names of all variants in a file, as services. Throws ConfigError, with file and line, if the file is wrong. */
export function parseVariantNames(source: SourceText): readonly string[] {
  const { value } = parsePlaced(source, z.object({ variants: variants.optional() }));
  return Object.entries(value.variants ?? {}).flatMap(([service, own]) =>
    own.map((variant) => variantName(service, variant.name)),
  );
}
