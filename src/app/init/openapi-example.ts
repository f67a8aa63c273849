import { listIn, mapIn, textIn } from './loose.ts';

/** A value that a parameter may have: the document's own example, else one of its type. */
export function plainExample(parameter: Readonly<Record<string, unknown>>): string | number | boolean {
  const schema = mapIn(parameter['schema']);
  const [named] = Object.values(mapIn(parameter['examples']));
  const own = [
    parameter['example'],
    mapIn(named)['value'],
    schema['example'],
    listIn(schema['examples'])[0],
    schema['default'] ?? parameter['default'],
    listIn(schema['enum'] ?? parameter['enum'])[0],
  ];
  const given = own.find((value) => isPlain(value));
  return isPlain(given) ? given : ofType({ ...parameter, ...schema });
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' ? !value.includes('${') : typeof value === 'number' || typeof value === 'boolean';
}

const BY_FORMAT: ReadonlyMap<string, string> = new Map([
  ['uuid', '00000000-0000-4000-8000-000000000001'],
  ['date', '2026-01-31'],
  ['date-time', '2026-01-31T12:00:00Z'],
  ['email', 'someone@example.com'],
]);

function ofType({ type, format, minimum }: Readonly<Record<string, unknown>>): string | number | boolean {
  if (type === 'integer' || type === 'number') {
    return typeof minimum === 'number' && Number.isFinite(minimum) ? minimum : 1;
  }
  // What no document describes is most often an id.
  const usual = type === 'string' ? 'example' : 1;
  return type === 'boolean' ? true : (BY_FORMAT.get(textIn(format) ?? '') ?? usual);
}
