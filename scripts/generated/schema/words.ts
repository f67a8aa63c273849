import { resolved } from './places.ts';
import type { JsonSchema } from './schema.ts';

/** More choices are not listed. */
const MAX_CHOICES = 6;

type Words = readonly [one: string, many: string];

const TEXT: Words = ['string', 'strings'];
const ANYTHING: Words = ['any', 'values'];

const PLAIN: Readonly<Record<string, Words>> = {
  string: TEXT,
  integer: ['integer', 'integers'],
  number: ['number', 'numbers'],
  boolean: ['boolean', 'booleans'],
};

/** Kind of the value of a key: "string[]", "map of strings", "`rest` or `grpc`". */
export function typeWords(found: JsonSchema, whole: JsonSchema): string {
  return wordsOf(found, whole)[0];
}

function wordsOf(found: JsonSchema, whole: JsonSchema): Words {
  const { enum: choices, const: only, type, anyOf, properties } = found;
  if (choices !== undefined || only !== undefined) {
    return choiceWords(choices ?? [only]);
  }
  if (properties !== undefined) {
    return ['map', 'maps'];
  }
  if (type === 'array') {
    return listWords(found, whole);
  }
  if (type === 'object') {
    return mapWords(found, whole);
  }
  if (Array.isArray(type)) {
    return eitherWords(
      type.map((one) => ({ type: one })),
      whole,
    );
  }
  return anyOf === undefined ? (PLAIN[type ?? ''] ?? ANYTHING) : eitherWords(anyOf, whole);
}

function choiceWords(choices: readonly unknown[]): Words {
  const listed = choices.map((choice) => `\`${String(choice)}\``).join(', ');
  const words = listed.replace(/, ([^,]*)$/, ' or $1');
  return choices.length > MAX_CHOICES ? TEXT : [words, words];
}

function listWords({ items }: JsonSchema, whole: JsonSchema): Words {
  const [one] = wordsOf(itemOf(items, whole), whole);
  const list = one.includes(' ') ? 'list' : `${one}[]`;
  return [list, list];
}

function itemOf(items: JsonSchema['items'], whole: JsonSchema): JsonSchema {
  return resolved(Array.isArray(items) ? items[0] : items, whole);
}

function mapWords({ additionalProperties }: JsonSchema, whole: JsonSchema): Words {
  const [, many] = wordsOf(resolved(additionalProperties, whole), whole);
  return many === ANYTHING[1] ? ['map', 'maps'] : [`map of ${many}`, `maps of ${many}`];
}

/** A text, a number and a boolean together are the possible values of unquoted YAML; with null they are any value. */
function eitherWords(forms: readonly JsonSchema[], whole: JsonSchema): Words {
  const all = forms.map((form) => resolved(form, whole));
  const has = (type: string): boolean => all.some((form) => form.type === type);
  if (has('null')) {
    return ANYTHING;
  }
  if (has('string') && has('boolean')) {
    return TEXT;
  }
  const words = new Map(all.map((form) => wordsOf(form, whole)));
  const [[, many = ANYTHING[1]] = [], ...others] = words;
  return [[...words.keys()].join(' or '), others.length === 0 ? many : ANYTHING[1]];
}
