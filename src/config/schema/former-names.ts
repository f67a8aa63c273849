import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { isDistinct, name } from '../../foundation/names.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import { type FormerNames, renamesNothing } from '../../model/suite/former-names.ts';
import { Mistakes } from '../mistakes.ts';
import type { Path, PlaceOf } from '../yaml/frame.ts';

const MAX_NAMES = 10;

export const wasNamed = z
  .array(name.refine((value) => value !== ALL_OPERATIONS, `must not be "${ALL_OPERATIONS}", which is a reserved name`))
  .min(1)
  .max(MAX_NAMES)
  .refine(isDistinct, 'must not contain duplicates')
  .optional();

/** Service or operation with its former names and its path in the file. */
interface Renamable {
  readonly name: string | undefined;
  readonly wasNamed?: readonly string[] | undefined;
  readonly path: Path;
}

/** Services and operations of a file that may have former names. */
export interface Renamables {
  readonly services: readonly Renamable[];
  /** Operations of the file and of its services. */
  readonly operations: readonly Renamable[];
  /** Names of all operations, including those from documents. */
  readonly operationNames: readonly string[];
}

/**
 * Former names in a file; undefined if there are none. Throws ConfigError with the place of a former name that is in
 * use, or that two share, since its figures would be ambiguous.
 */
export function formerNamesIn(
  { services, operations, operationNames }: Renamables,
  placeOf: PlaceOf,
): FormerNames | undefined {
  const mistakes = new Mistakes();
  const present = services.flatMap(({ name: own }) => own ?? []);
  const names: FormerNames = {
    services: formerOf(services, 'service', present, mistakes, placeOf),
    operations: formerOf(operations, 'operation', operationNames, mistakes, placeOf),
  };
  return mistakes.without({ names: renamesNothing(names) ? undefined : names }).names;
}

function formerOf(
  all: readonly Renamable[],
  kind: 'service' | 'operation',
  present: readonly string[],
  mistakes: Mistakes,
  placeOf: PlaceOf,
) {
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

/** `wasNamed` with its list: on a line of its own, with the list on or below it, or within braces. */
const KEYS = [
  /^[ \t]*wasNamed:[ \t]*\[[^\]\n]*\][ \t]*(?:#.*)?\r?\n/gm,
  /^[ \t]*wasNamed:[ \t]*(?:#.*)?\r?\n(?:[ \t]*-[ \t]+["']?[\w.-]+["']?[ \t]*(?:#.*)?\r?\n)+/gm,
  /,[ \t]*wasNamed:[ \t]*\[[^\]\n]*\]/g,
  /wasNamed:[ \t]*\[[^\]\n]*\][ \t]*,[ \t]*/g,
];

/** Configuration without former names, which do not affect measurements. */
export function withoutFormerNames(text: string): string {
  return KEYS.reduce((left, key) => left.replace(key, ''), text);
}

/** Names that are keys or values of `name`. */
const DEFINED_NAME =
  /(?<![\w.-])(?=[\w.-])(?:(?<=^[ \t]*|[{,][ \t]*)[\w.-]+(?=[ \t]*:)|(?<=\bname:[ \t]*["']?)[\w.-]+)/gm;

/**
 * Texts that a configuration may have had if only names were changed since: with each former name, the newest first,
 * both everywhere and only where a name is defined.
 */
export function formerTexts(text: string, { services, operations }: FormerNames): readonly string[] {
  const renamed = Object.entries({ ...operations, ...services });
  const steps = Math.max(0, ...renamed.map(([, former]) => former.length));
  const bare = withoutFormerNames(text);
  const texts = Array.from({ length: steps }, (_, step) => {
    const names = new Map(renamed.map(([now, former]) => [now, former[Math.min(step, former.length - 1)] ?? now]));
    return [/[\w.-]+/g, DEFINED_NAME].map((pattern) => bare.replace(pattern, (word) => names.get(word) ?? word));
  });
  return [...new Set(texts.flat())].filter((one) => one !== bare);
}
