import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { isDistinct, name } from '../../foundation/names.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import { type FormerNames, renamesNothing } from '../../model/suite/former-names.ts';
import { Mistakes } from '../mistakes.ts';
import type { Path, Placed } from '../yaml/yaml.ts';

const MOST_NAMES = 10;

/** Former names of one service or operation. */
export const wasNamed = z
  .array(name.refine((value) => value !== ALL_OPERATIONS, `must not be "${ALL_OPERATIONS}", which is a reserved name`))
  .min(1)
  .max(MOST_NAMES)
  .refine(isDistinct, 'must not contain duplicates')
  .optional();

/** Something that may have been renamed, and where it says so. */
interface Renamable {
  readonly name: string | undefined;
  readonly wasNamed?: readonly string[] | undefined;
  readonly path: Path;
}

/** What of a file may have been renamed. */
export interface Renamables {
  readonly services: readonly Renamable[];
  /** Those of the file, and those of its services. */
  readonly operations: readonly Renamable[];
  /** Names of all operations, those that come out of documents among them. */
  readonly operationNames: readonly string[];
}

/**
 * The former names in a file; undefined if there are none. Throws ConfigError with the place of a name that something still has, and of one
 * that two have had: figures of before would be those of either.
 */
export function formerNamesIn(
  { services, operations, operationNames }: Renamables,
  placeOf: Placed<unknown>['placeOf'],
): FormerNames | undefined {
  const mistakes = new Mistakes();
  const present = services.flatMap(({ name: own }) => own ?? []);
  const names: FormerNames = {
    services: formerOf(services, { kind: 'service', present, mistakes, placeOf }),
    operations: formerOf(operations, { kind: 'operation', present: operationNames, mistakes, placeOf }),
  };
  return mistakes.without({ names: renamesNothing(names) ? undefined : names }).names;
}

interface Kind {
  readonly kind: 'service' | 'operation';
  readonly present: readonly string[];
  readonly mistakes: Mistakes;
  readonly placeOf: Placed<unknown>['placeOf'];
}

function formerOf(all: readonly Renamable[], { kind, present, mistakes, placeOf }: Kind) {
  const owners = new Map<string, string>();
  const found = new Map<string, readonly string[]>();
  for (const { name: own = '', wasNamed: former = [], path } of all) {
    mistakes.each(former, (one, index) => {
      const place = placeOf([...path, 'wasNamed', index]);
      const owner = owners.get(one) ?? own;
      owners.set(one, owner);
      if (present.includes(one)) {
        throw new ConfigError(`${place}: is the name of a current ${kind}, so it cannot be a former name`, {
          code: 'WG-105',
          next: `Remove it: the history of ${one} continues as ${one}.`,
        });
      }
      if (owner !== own) {
        throw new ConfigError(`${place}: is also a former name of ${owner}`, {
          code: 'WG-105',
          next: `Keep it only in the ${kind} that continues the figures of ${one}.`,
        });
      }
    });
    if (former.length > 0) {
      found.set(own, [...new Set([...(found.get(own) ?? []), ...former])]);
    }
  }
  return Object.fromEntries(found);
}

/** `wasNamed` with the list behind it, on a line of its own with the list behind or below it, or within braces. */
const KEYS = [
  /^[ \t]*wasNamed:[ \t]*\[[^\]\n]*\][ \t]*(?:#.*)?\r?\n/gm,
  /^[ \t]*wasNamed:[ \t]*(?:#.*)?\r?\n(?:[ \t]*-[ \t]+["']?[\w.-]+["']?[ \t]*(?:#.*)?\r?\n)+/gm,
  /,[ \t]*wasNamed:[ \t]*\[[^\]\n]*\]/g,
  /wasNamed:[ \t]*\[[^\]\n]*\][ \t]*,[ \t]*/g,
];

/** A configuration without what it says of former names: that measures nothing. */
export function withoutFormerNames(text: string): string {
  return KEYS.reduce((left, key) => left.replace(key, ''), text);
}

/**
 * The texts that a configuration may have had if nothing but names was changed since: with each former name, the newest first, wherever the
 * present one stands, and where it only names what it is of.
 */
export function formerTexts(text: string, { services, operations }: FormerNames): readonly string[] {
  const renamed = Object.entries({ ...operations, ...services });
  const steps = Math.max(0, ...renamed.map(([, former]) => former.length));
  const bare = withoutFormerNames(text);
  const texts = Array.from({ length: steps }, (_, step) => {
    const pairs = renamed.map(([now, former]) => [now, former[Math.min(step, former.length - 1)] ?? now] as const);
    return [everywhere(bare, pairs), whereNamed(bare, pairs)];
  });
  return [...new Set(texts.flat())].filter((one) => one !== bare);
}

type Pairs = readonly (readonly [now: string, former: string])[];

function everywhere(text: string, pairs: Pairs): string {
  const names = new Map(pairs);
  return text.replace(/[\w.-]+/g, (word) => names.get(word) ?? word);
}

/** As a key, and as the value of `name`. */
function whereNamed(text: string, pairs: Pairs): string {
  const names = new Map(pairs);
  return text.replace(
    /(?<![\w.-])(?=[\w.-])(?:(?<=^[ \t]*|[{,][ \t]*)[\w.-]+(?=[ \t]*:)|(?<=\bname:[ \t]*["']?)[\w.-]+)/gm,
    (word) => names.get(word) ?? word,
  );
}
