import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { isDistinct, name, nameAdvice, title } from '../../foundation/names.ts';
import { MAX_MEMBERS } from '../../model/sample/own-figures.ts';
import { MAX_CELLS, MAX_LEVELS } from '../../model/suite/factorial.ts';
import { Mistakes } from '../mistakes.ts';
import type { KnownService } from '../reader.ts';
import { serviceSchema } from '../schema/service.ts';
import { framed, type Path, type PlaceOf, type SourceText } from '../yaml/frame.ts';
import { parsePlaced } from '../yaml/yaml.ts';
import { type Branch, branchOf, entriesOf, listOf, mapOf, patched, placeOn, plainContent } from './branch.ts';

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
      .max(MAX_LEVELS)
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
      ...Object.keys(value.services).map((key): Draft => {
        const parts = [inRoot('services').parts?.get(key) ?? []].flat();
        return { name: key, steps: ['services', key], levels: {}, words: new Map(), parts };
      }),
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

/** Every combination of the levels of a matrix, the last axis changing fastest. */
function crossed({ name, axes }: z.output<typeof matrix>, own: Branch | undefined, placeOf: PlaceOf): readonly Draft[] {
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
  if (sizes.reduce((product, size) => product * size, 1) > MAX_CELLS) {
    throw new ConfigError(`${placeOf(own.at)}: makes more than ${MAX_CELLS} services`, {
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
          const described = given?.parts?.get(axis)?.parts?.get(String(index))?.parts ?? [];
          const { name: _own, level: _title, ...keys } = Object.fromEntries(described);
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
    z.int().min(1).max(MAX_MEMBERS),
    z
      .array(z.record(word, z.union([z.string().max(200), z.number()])))
      .min(1)
      .max(MAX_MEMBERS),
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

function copiesIn(repeated: Branch, placeOf: PlaceOf): readonly Words[] {
  const { data } = repeat.safeParse(plainContent(repeated));
  if (data === undefined) {
    throw new ConfigError(
      `${placeOf(repeated.at)}: must be the number of copies, or a list with the placeholders of each`,
      { code: 'WG-105', next: `A service has at most ${MAX_MEMBERS} members.` },
    );
  }
  const each = typeof data === 'number' ? Array.from({ length: data }, () => ({})) : data;
  return each.map((own, index) => new Map(Object.entries({ ...own, n: index + 1 })));
}

type Scalar = string | number | boolean;

/** Values of placeholders, by name. */
type Words = ReadonlyMap<string, Scalar>;

/** Placeholders and templates that fill in the parts of a service. */
interface Filling {
  readonly words: Words;
  /** Placeholders of each copy of a repeated member; empty inside a copy. */
  readonly copies: readonly Words[];
  readonly templates: ReadonlyMap<string, Branch>;
  /** Templates that are being merged, for recursion checks. */
  readonly within: readonly string[];
  readonly placeOf: PlaceOf;
  /** Number of parts generated so far, for all services of the file. */
  readonly made: { count: number };
}

const MAX_PARTS = 100_000;

/** `{word}`, but not `${members.api.host}`. */
const WORD = /(?<!\$)\{([a-z][A-Za-z0-9]*)\}/g;

const DEEPEST_TEMPLATE = 20;

const LONGEST_WORD = 200;

/** Placeholder for the number of a copy. */
const NUMBER = '{n}';

/**
 * Part with its templates merged, its repeated members copied and its placeholders filled in. Throws ConfigError with
 * the place of an unknown name.
 */
function filled(branch: Branch, filling: Filling): Branch {
  if (branch.parts === undefined) {
    const value = typeof branch.value === 'string' ? filledText(branch.value, branch, filling) : branch.value;
    count(1 + String(value).length / 1000, branch, filling);
    return { ...branch, value };
  }
  count(1, branch, filling);
  return Array.isArray(branch.value) ? filledList(branch, filling) : filledMap(branch, filling);
}

function count(parts: number, { at }: Branch, { made, placeOf }: Filling): void {
  made.count += parts;
  if (made.count > MAX_PARTS) {
    throw new ConfigError(`${placeOf(at)}: the file describes more than ${MAX_PARTS} values`, {
      code: 'WG-103',
      next: 'Use fewer levels, copies or nested templates.',
    });
  }
}

function filledList({ at, parts }: Branch, filling: Filling): Branch {
  const items = [...(parts?.values() ?? [])].flatMap((item) =>
    isForCopies(item.value, filling) ? copiesOf(filling).map((copy) => filled(item, copy)) : [filled(item, filling)],
  );
  return listOf(items, at);
}

function filledMap(branch: Branch, outer: Filling): Branch {
  const { template, set, ...rest } = Object.fromEntries(entriesOf(branch));
  const filling = set === undefined ? outer : { ...outer, words: new Map([...outer.words, ...wordsIn(set, outer)]) };
  const entries = Object.entries(rest).flatMap(([key, inner]) =>
    isForCopies(key, filling)
      ? copiesOf(filling).map((copy) => [filledText(key, inner, copy), filled(inner, copy)] as const)
      : [[key, filled(inner, filling)] as const],
  );
  const found = template && filled(template, filling);
  const named = Array.isArray(found?.value) ? [...(found.parts?.values() ?? [])] : [found ?? []].flat();
  const parts = named.map((name) => filledTemplate(name, filling));
  return [
    ...parts,
    mapOf(
      entries.map(([key, inner]) => [String(key), inner]),
      branch.at,
    ),
  ].reduce(patched);
}

function wordsIn(set: Branch, filling: Filling): Words {
  const found = entriesOf(filled(set, filling));
  const misfit =
    found.find(([, { value }]) => !isWord(value))?.[1] ?? (Array.isArray(set.value) || !set.parts ? set : undefined);
  if (misfit !== undefined) {
    throw new ConfigError(
      `${filling.placeOf(misfit.at)}: must be a map of texts of at most ${LONGEST_WORD} characters, or of numbers`,
      { code: 'WG-105', next: 'Write `set: { word: value }`; a text with {word} has the value.' },
    );
  }
  return new Map(found.map(([word, { value }]) => [word, isWord(value) ? value : '']));
}

function isWord(value: unknown): value is Scalar {
  return typeof value === 'string' ? value.length <= LONGEST_WORD : ['number', 'boolean'].includes(typeof value);
}

function filledTemplate({ at, value }: Branch, filling: Filling): Branch {
  const { templates, within, placeOf } = filling;
  const name = String(value);
  const found = templates.get(name);
  if (found === undefined) {
    throw new ConfigError(`${placeOf(at)}: there is no template ${name} in this file`, {
      code: 'WG-106',
      next: nameAdvice(name, [...templates.keys()], 'Available templates'),
    });
  }
  if (within.includes(name) || within.length >= DEEPEST_TEMPLATE) {
    const problem = within.includes(name)
      ? `contains itself: ${[...within, name].join(' -> ')}`
      : 'is nested too deeply';
    throw new ConfigError(`${placeOf(at)}: the template ${name} ${problem}`, {
      code: 'WG-105',
      next: 'Remove one of these templates from the other.',
    });
  }
  return filled(found, { ...filling, within: [...within, name] });
}

function isForCopies(text: unknown, { copies }: Filling): boolean {
  return copies.length > 0 && typeof text === 'string' && text.includes(NUMBER);
}

function copiesOf(filling: Filling): readonly Filling[] {
  return filling.copies.map((words) => ({ ...filling, words: new Map([...filling.words, ...words]), copies: [] }));
}

/** A text that is only a placeholder becomes its value, such as a number. */
function filledText(text: string, { at }: Pick<Branch, 'at'>, filling: Filling): Scalar {
  if (isForCopies(text, filling)) {
    return copiesOf(filling)
      .map((copy) => filledText(text, { at }, copy))
      .join(',');
  }
  const { words, placeOf } = filling;
  const valueFor = (word: string): Scalar => {
    const value = words.get(word);
    if (value === undefined) {
      throw new ConfigError(`${placeOf(at)}: {${word}} has no value here`, {
        code: 'WG-106',
        next: `${nameAdvice(word, [...words.keys()], 'Available placeholders')} \`set\` gives others a value.`,
      });
    }
    return value;
  };
  const whole = new RegExp(`^${WORD.source}$`).exec(text)?.[1];
  return whole === undefined ? text.replaceAll(WORD, (_, word: string) => String(valueFor(word))) : valueFor(whole);
}
