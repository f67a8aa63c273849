import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { isDistinct, name, title } from '../../foundation/names.ts';
import { MOST_MEMBERS } from '../../model/metric.ts';
import { MOST_CELLS, MOST_LEVELS } from '../../model/suite/factorial.ts';
import { Mistakes } from '../mistakes.ts';
import type { KnownService } from '../reader.ts';
import { serviceSchema } from '../schema/service.ts';
import { framed, type SourceText } from '../yaml/frame.ts';
import { type Path, type Placed, parsePlaced } from '../yaml/yaml.ts';
import { type Branch, branchOf, mapOf, patched, placeOn, plainContent } from './branch.ts';
import { type Filling, filled, type Words } from './filled.ts';

/** Keys of a service, which are validated after the merge. */
const part = z.looseObject({});

const level = z.looseObject({ name: z.union([name, z.number().transform(String)]), level: title.optional() });

/** Name pattern of the services of a matrix, by which a suite selects them: `api-{http}-{body}`. */
export const MATRIX_NAME = /^(?=.*\{)[A-Za-z0-9{][A-Za-z0-9_.{}-]{0,119}$/;

/** Name of an axis, or of another placeholder. */
export const word = z.string().regex(/^[a-z][A-Za-z0-9]*$/, 'must be letters and digits, starting with a small letter');

const matrix = z.looseObject({
  name: z.string().regex(MATRIX_NAME, 'must be the name of a service with an axis in braces, like api-{http}'),
  axes: z.record(
    word,
    z
      .array(level)
      .min(1)
      .max(MOST_LEVELS)
      .refine((found) => isDistinct(found.map((one) => one.name)), 'must not contain duplicate names'),
  ),
});

const familySchema = z.strictObject({
  templates: z.record(name, part).default({}),
  base: part.default({}),
  services: z.record(name, part).default({}),
  matrix: z.array(matrix).default([]),
});

/** Service described in a `services.yml`. */
export interface FamilyService extends KnownService {
  readonly source: SourceText;
  /** Path to it in the file. */
  readonly steps: Path;
}

/** Service whose placeholders are not filled in yet. */
interface Draft extends Omit<FamilyService, 'source'> {
  readonly words: Words;
  readonly parts: readonly Branch[];
}

/**
 * Services of a `services.yml`; their keys are validated when they are parsed. Throws ConfigError with file, line and
 * service of every mistake.
 */
export function parseFamily(source: SourceText): readonly FamilyService[] {
  return framed(source, () => {
    const { value, content, placeOf } = parsePlaced(source, familySchema);
    const root = branchOf(content, []);
    const inRoot = (key: string): Branch => root.parts?.get(key) ?? mapOf([], [key]);
    const drafts = [
      ...Object.keys(value.services).map((key) => listed(key, inRoot('services'))),
      ...value.matrix.flatMap((one, index) => crossed(one, inRoot('matrix').parts?.get(String(index)), placeOf)),
    ];
    const mistakes = new Mistakes();
    const filling = { templates: inRoot('templates').parts ?? new Map(), within: [], placeOf, made: { count: 0 } };
    const found = mistakes.each(drafts, (draft, index) => {
      const isTwice = drafts.findIndex(({ name: other }) => other === draft.name) < index;
      if (isTwice || !name.safeParse(draft.name).success) {
        const problem = isTwice ? `there are two services ${draft.name}` : `${draft.name} has more than 80 characters`;
        throw new ConfigError(`${placeOf(draft.steps)}: ${problem}`, {
          code: 'WG-105',
          next: 'Rename one; the name of a matrix must have each axis with several levels.',
        });
      }
      return serviceOf(draft, [inRoot('base'), ...draft.parts].reduce(patched), { source, filling });
    });
    if (found.length < drafts.length) {
      mistakes.each(found, ({ source: service }) => parsePlaced(service, serviceSchema));
    }
    return mistakes.without(found);
  });
}

function listed(name: string, services: Branch): Draft {
  const own = services.parts?.get(name);
  return { name, steps: ['services', name], levels: {}, words: new Map(), parts: own === undefined ? [] : [own] };
}

/** Every combination of the levels of a matrix, the last axis changing fastest. */
function crossed(
  { name, axes }: z.output<typeof matrix>,
  own: Branch | undefined,
  placeOf: Placed<unknown>['placeOf'],
): readonly Draft[] {
  if (own === undefined) {
    return [];
  }
  const [strange] = [...name.matchAll(/\{([^}]*)\}?/g)].filter(([, axis = '']) => !Object.hasOwn(axes, axis));
  if (strange !== undefined) {
    throw new ConfigError(`${placeOf([...own.at, 'name'])}: there is no axis ${strange[0]}`, {
      code: 'WG-106',
      next: `Available axes: ${Object.keys(axes).join(', ')}.`,
    });
  }
  const sizes = Object.values(axes).map(({ length }) => length);
  if (sizes.reduce((product, size) => product * size, 1) > MOST_CELLS) {
    throw new ConfigError(`${placeOf(own.at)}: makes more than ${MOST_CELLS} services`, {
      code: 'WG-105',
      next: 'Use fewer axes or levels.',
    });
  }
  const { name: _name, axes: given, ...others } = Object.fromEntries(own.parts ?? []);
  const rest: Branch = mapOf(Object.entries(others), own.at);
  const all = Object.entries(axes).reduce<readonly Omit<Draft, 'name'>[]>(
    (found, [axis, levels]) =>
      found.flatMap((draft) =>
        levels.map((one, index): Omit<Draft, 'name'> => {
          const {
            name: _own,
            level: _title,
            ...keys
          } = Object.fromEntries(given?.parts?.get(axis)?.parts?.get(String(index))?.parts ?? []);
          return {
            ...draft,
            levels: { ...draft.levels, [axis]: one.level ?? one.name },
            words: new Map([...draft.words, [axis, one.name]]),
            parts: [...draft.parts, mapOf(Object.entries(keys), own.at)],
          };
        }),
      ),
    [{ steps: own.at, levels: {}, words: new Map(), parts: [rest], matrix: name }],
  );
  return all.map((draft) => ({
    ...draft,
    name: name.replaceAll(/\{(\w+)\}/g, (_, axis: string) => String(draft.words.get(axis) ?? '')),
  }));
}

const repeat = z.union(
  [
    z.int().min(1).max(MOST_MEMBERS),
    z
      .array(z.record(word, z.union([z.string().max(200), z.number()])))
      .min(1)
      .max(MOST_MEMBERS),
  ],
  { error: 'must be the number of copies, or a list with the placeholders of each' },
);

function serviceOf(
  { name, steps, levels, words, matrix: of }: Draft,
  merged: Branch,
  { source, filling }: { readonly source: SourceText; readonly filling: Omit<Filling, 'words' | 'copies'> },
): FamilyService {
  const { repeat: repeated, ...keys } = Object.fromEntries(merged.parts ?? []);
  const copies = repeated === undefined ? [] : copiesIn(repeated, filling.placeOf);
  const branch = filled(mapOf(Object.entries(keys), steps), { ...filling, words, copies });
  const placeOf = (path: Path): string => `${filling.placeOf(placeOn(branch, path))} (${[name, ...path].join('.')})`;
  const content = { name, ...Object(plainContent(branch)) };
  return {
    name,
    steps,
    levels,
    ...(of !== undefined && { matrix: of }),
    source: { ...source, placed: { content, placeOf } },
  };
}

function copiesIn(repeated: Branch, placeOf: Placed<unknown>['placeOf']): readonly Words[] {
  const { data } = repeat.safeParse(plainContent(repeated));
  if (data === undefined) {
    throw new ConfigError(
      `${placeOf(repeated.at)}: must be the number of copies, or a list with the placeholders of each`,
      { code: 'WG-105', next: `A service has at most ${MOST_MEMBERS} members.` },
    );
  }
  const each = typeof data === 'number' ? Array.from({ length: data }, () => ({})) : data;
  return each.map((own, index) => new Map(Object.entries({ ...own, n: index + 1 })));
}
