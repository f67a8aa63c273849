import { type CsvRecord, parseCsv } from '../../config/csv.ts';
import type { SourceText } from '../../config/yaml/frame.ts';
import { ConfigError } from '../../foundation/errors.ts';
import { NAME as NAME_FORM } from '../../foundation/names.ts';
import type { CellKey } from '../../model/metric.ts';

/** One figure of one version in one round, measured elsewhere. */
export interface SampleRow {
  readonly line: number;
  readonly round: number;
  readonly side: 'base' | 'head';
  readonly position: number;
  readonly cell: CellKey;
  readonly metric: string;
  readonly value: number;
  readonly better: 'lower' | 'higher' | undefined;
  readonly gate: boolean | undefined;
}

const REQUIRED = ['round', 'side', 'position', 'service', 'operation', 'tier', 'metric', 'value'] as const;
const OPTIONAL = ['better', 'gate'] as const;
const COLUMNS: readonly Column[] = [...REQUIRED, ...OPTIONAL];

type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number];

/** The suite of cells that were measured elsewhere. */
const SUITE = 'samples';

/**
 * The rows of a CSV of samples. Throws ConfigError, naming the line, for a header that lacks a column or has an unknown one, and for every field
 * that does not fit its column.
 */
export function parseSampleRows(source: SourceText): readonly SampleRow[] {
  const [header, ...records] = parseCsv(source);
  if (header === undefined) {
    throw new ConfigError(`${source.file}: is empty`, { code: 'WG-405', next: EXAMPLE });
  }
  const columns = columnsOf(header, source.file);
  return records.map((record) => rowOf(record, columns, source.file));
}

const EXAMPLE = `The first line must be the header: ${REQUIRED.join(',')}, and, optionally, ${OPTIONAL.join(' and ')}.`;

function columnsOf({ fields, line }: CsvRecord, file: string): readonly Column[] {
  const names = fields.map((field) => field.trim());
  const unknown = names.find((name) => !isColumn(name));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  const lacking = REQUIRED.filter((name) => !names.includes(name));
  const wrong =
    (unknown !== undefined && `unknown column "${unknown}"`) ||
    (twice !== undefined && `the column ${twice} appears twice`) ||
    (lacking.length > 0 && `the header lacks ${lacking.join(', ')}`);
  if (wrong) {
    throw new ConfigError(`${file}:${line}: ${wrong}`, { code: 'WG-405', next: EXAMPLE });
  }
  return names.filter(isColumn);
}

function isColumn(name: string): name is Column {
  return COLUMNS.some((column) => column === name);
}

function rowOf({ line, fields }: CsvRecord, columns: readonly Column[], file: string): SampleRow {
  if (fields.length !== columns.length) {
    const counts = `has ${fields.length} fields, but the header has ${columns.length}`;
    throw new ConfigError(`${file}:${line}: ${counts}`, {
      code: 'WG-405',
      next: 'Every line needs the fields of the header.',
    });
  }
  const read = <Value>(column: Column, kind: FieldKind<Value>): Value => {
    const text = fields[columns.indexOf(column)]?.trim() ?? '';
    const value = kind.parse(text);
    if (value === undefined) {
      throw new ConfigError(`${file}:${line}: ${column} "${text.slice(0, 80)}" is not ${kind.what}`, {
        code: 'WG-405',
        next: 'Fix the line.',
      });
    }
    return value;
  };
  return {
    line,
    round: read('round', ROUND),
    side: read('side', SIDE),
    position: read('position', POSITION),
    cell: {
      suite: SUITE,
      service: read('service', NAME),
      operation: read('operation', NAME),
      tier: read('tier', NAME),
    },
    metric: read('metric', NAME),
    value: read('value', NUMBER),
    better: read('better', BETTER).choice,
    gate: read('gate', GATE).choice,
  };
}

interface FieldKind<Value> {
  readonly what: string;
  /** undefined if the text is not valid. */
  readonly parse: (text: string) => Value | undefined;
}

const ROUND: FieldKind<number> = {
  what: 'a whole number from 1',
  parse: (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined),
};

const POSITION: FieldKind<number> = {
  what: '1 or 2, the place of the version in its round',
  parse: (text) => (text === '1' || text === '2' ? Number(text) : undefined),
};

const SIDE: FieldKind<'base' | 'head'> = {
  what: 'base or head',
  parse: (text) => (text === 'base' || text === 'head' ? text : undefined),
};

const NAME: FieldKind<string> = {
  what: 'a name of 1 to 80 letters, digits, dots, dashes or underscores',
  parse: (text) => (NAME_FORM.test(text) ? text : undefined),
};

const NUMBER: FieldKind<number> = {
  what: 'a finite number',
  parse: (text) =>
    /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(text) && Number.isFinite(Number(text))
      ? Number(text)
      : undefined,
};

/** A field that may be left empty. */
interface Choice<Value> {
  readonly choice: Value | undefined;
}

const BETTER: FieldKind<Choice<'lower' | 'higher'>> = {
  what: 'lower or higher',
  parse: (text) => optional(text, { lower: 'lower', higher: 'higher' } as const),
};

const GATE: FieldKind<Choice<boolean>> = {
  what: 'true or false',
  parse: (text) => optional(text, { true: true, false: false }),
};

function optional<Value>(text: string, values: Readonly<Record<string, Value>>): Choice<Value> | undefined {
  if (text === '') {
    return { choice: undefined };
  }
  return Object.hasOwn(values, text) ? { choice: values[text] } : undefined;
}
