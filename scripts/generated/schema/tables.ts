import { isDeepStrictEqual } from 'node:util';
import { readDocument } from '../../docs/document.ts';
import { cell, table, withGenerated } from '../markdown-table.ts';
import { mapAt, resolved } from './places.ts';
import { configSchema, type JsonSchema } from './schema.ts';
import { typeWords } from './words.ts';

/** Placeholder for the whole file in a mark. */
const WHOLE = 'wiregauge.yml';

/**
 * Document with a table of keys at each of its marks, `<!-- the schema: services.ready ... -->`. A key with its own table, or a section marked `<!--
 * more about: services.address -->`, links there. Throws Error for a place that the schema lacks.
 */
export function withSchemaTables(text: string, schema: JsonSchema = configSchema()): string {
  const anchors = anchorsIn(text);
  const places = [...text.matchAll(/<!-- the schema: (\S+) /g)].map(([, place = '']) => place);
  return places.reduce((filled, place) => {
    return withGenerated(filled, `the schema: ${place}`, keyTable(schema, { place, anchors }));
  }, text);
}

/** Most specific place in the document for a place in the schema. */
function anchorsIn(text: string): ReadonlyMap<string, string> {
  const { headings } = readDocument(text);
  const lines = text.split('\n');
  const found = lines.flatMap((line, number) => {
    const [, places = ''] = /^<!-- (?:the schema|more about): (.*?)(?: \(.*)?-->$/.exec(line) ?? [];
    const anchor = headings.findLast((heading) => heading.line <= number)?.id ?? '';
    return places
      .split(' ')
      .filter((place) => place !== '')
      .map((place) => [place, anchor] as const);
  });
  return new Map(found);
}

interface TablePlace {
  readonly place: string;
  readonly anchors: ReadonlyMap<string, string>;
}

/** Maps that share keys with another one: equal keys are in one row. */
const SHARED: ReadonlyMap<string, string> = new Map([
  ['services.needs', 'services'],
  ['operations.graphql', 'operations.rest'],
  ['operations.websocket', 'operations.rest'],
  ['services.members', 'services'],
  ['policy.budgets', 'policy.thresholds'],
]);

function keyTable(schema: JsonSchema, { place, anchors }: TablePlace): readonly string[] {
  const other = SHARED.get(place);
  const theirs = other === undefined ? [] : keysAt(schema, other);
  const isShared = (one: KeyOfMap): boolean => theirs.some((their) => isDeepStrictEqual(their, one));
  const keys = keysAt(schema, place);
  const shared = keys.filter(isShared).map(({ key }) => `\`${key}\``);
  const rows = keys
    .filter((one) => !isShared(one))
    .map(({ key, value, isRequired }) => {
      const anchor = anchors.get(place === WHOLE ? key : `${place}.${key}`);
      const name = anchor === undefined || anchor === anchors.get(place) ? `\`${key}\`` : `[\`${key}\`](#${anchor})`;
      const usual = isRequired ? ', required' : defaultText(value.default);
      return [name, `${typeWords(value, schema)}${usual}`, cell(value.description ?? '')];
    });
  const sameAs = `As in [\`${other}\`](#${anchors.get(other ?? '')}).`;
  return table([
    ['key', 'type', 'meaning'],
    ...rows,
    ...(shared.length === 0 ? [] : [[shared.join(', '), '', sameAs]]),
  ]);
}

interface KeyOfMap {
  readonly key: string;
  readonly value: JsonSchema;
  readonly isRequired: boolean;
}

function keysAt(schema: JsonSchema, place: string): readonly KeyOfMap[] {
  const map = mapAt(schema, place === WHOLE ? [] : place.split('.'));
  return Object.entries(map.properties ?? {}).map(([key, value]) => ({
    key,
    value: resolved(value, schema),
    isRequired: map.required?.includes(key) ?? false,
  }));
}

/** Longer ones are described in words. */
const LONGEST_DEFAULT = 24;

function defaultText(value: unknown): string {
  const text = value === undefined ? '' : flow(value);
  return text === '' || /^[[{]\s*[\]}]$/.test(text) || text.length > LONGEST_DEFAULT ? '' : ` = \`${text}\``;
}

/** Value in one line of YAML. */
function flow(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(flow).join(', ')}]`;
  }
  if (typeof value !== 'object' || value === null) {
    return String(value);
  }
  const entries = Object.entries(value).map(([key, one]) => `${key}: ${flow(one)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
