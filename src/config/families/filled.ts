import { ConfigError } from '../../foundation/errors.ts';
import { nameAdvice } from '../../foundation/names.ts';
import type { Placed } from '../yaml/yaml.ts';
import { type Branch, entriesOf, listOf, mapOf, patched } from './branch.ts';

type Scalar = string | number | boolean;

/** Values of placeholders, by name. */
export type Words = ReadonlyMap<string, Scalar>;

/** Placeholders and templates that fill in the parts of a service. */
export interface Filling {
  readonly words: Words;
  /** Placeholders of each copy of a repeated member; empty inside a copy. */
  readonly copies: readonly Words[];
  readonly templates: ReadonlyMap<string, Branch>;
  /** Templates that are being merged, for recursion checks. */
  readonly within: readonly string[];
  readonly placeOf: Placed<unknown>['placeOf'];
  /** Number of parts generated so far, for all services of the file. */
  readonly made: { count: number };
}

const MOST_PARTS = 100_000;

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
export function filled(branch: Branch, filling: Filling): Branch {
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
  if (made.count > MOST_PARTS) {
    throw new ConfigError(`${placeOf(at)}: the file describes more than ${MOST_PARTS} values`, {
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
