import protobuf from 'protobufjs';
import { EnvironmentError, KnownError } from '../../foundation/errors.ts';
import { formatCount } from '../../foundation/numbers.ts';
import { cleanText, wordList } from '../../foundation/text.ts';
import { type Frame, frameOf, type Stack } from './stacks.ts';

/** Field numbers in the description of the format: https://github.com/google/pprof/tree/main/proto. */
const PROFILE = { sampleTypes: 1, samples: 2, mappings: 3, locations: 4, functions: 5, texts: 6, period: 12 };
const VALUE_TYPE = { type: 1, unit: 2 };
const SAMPLE = { locations: 1, values: 2 };
const MAPPING = { id: 1, file: 5 };
const LOCATION = { id: 1, mapping: 2, lines: 4 };
const LINE = { function: 1 };
const FUNCTION = { id: 1, name: 2, file: 4 };

/** Limit in total: a large Go program has some ten thousand functions, texts and stacks. */
const MAX_ENTRIES = 500_000;

/** Limit in all stacks. */
const MAX_CALLS = 2_000_000;

/** Limit in one stack; Go itself reports at most 128. */
const MAX_FRAMES = 1000;

/** Kinds of values in a profile; Go has two. */
const MAX_KINDS = 20;

/** Limit in one sample. */
const MAX_STACKS = 1e9;

/** Bytes of a text; a frame keeps fewer. */
const LONGEST_TEXT = 1000;

interface Tables {
  readonly sampleTypes: { readonly type: number; readonly unit: number }[];
  /** Nanoseconds per sampled stack. */
  period: number;
  readonly samples: Uint8Array[];
  /** Files of the program and its libraries. */
  readonly mappings: Map<number, number>;
  readonly locations: Map<number, PlaceOfCode>;
  readonly functions: Map<number, { readonly name: number; readonly file: number }>;
  readonly texts: Uint8Array[];
}

interface PlaceOfCode {
  readonly mapping: number;
  /** Functions at the location, innermost first: the innermost was inlined into the others. */
  readonly functions: readonly number[];
}

/** Stacks in a CPU profile in pprof format, unpacked. Throws EnvironmentError for anything else. */
export function pprofStacks(bytes: Uint8Array): readonly Stack[] {
  try {
    return stacksIn(tablesIn(bytes));
  } catch (thrown) {
    // The reader throws several kinds of errors for invalid bytes.
    throw thrown instanceof KnownError ? thrown : refusedProfile('it is in another format', thrown);
  }
}

export function refusedProfile(reason: string, cause?: unknown): EnvironmentError {
  return new EnvironmentError(`the pprof profile cannot be read: ${reason}`, {
    code: 'WG-213',
    cause,
    next: 'Set `profiler.pprof` to the path of the CPU profile, usually /debug/pprof/profile; without the key, perf is used.',
  });
}

type Field = (reader: protobuf.Reader, wireType: number) => void;

/** Passes every field to its reader; others are skipped. */
function readMessage(bytes: Uint8Array, fields: Readonly<Record<number, Field>>): void {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const [field, wireType] = [fields[Math.floor(tag / 8)], tag % 8];
    if (field === undefined) {
      reader.skipType(wireType);
    } else {
      field(reader, wireType);
    }
  }
}

const WIRE_NUMBER = 0;
const WIRE_BYTES = 2;

function numbers(take: (value: number) => void): Field {
  return (reader, wireType) => {
    if (wireType === WIRE_NUMBER) {
      take(numberIn(reader));
      return;
    }
    pieces((bytes) => {
      const inner = protobuf.Reader.create(bytes);
      while (inner.pos < inner.len) {
        take(numberIn(inner));
      }
    })(reader, wireType);
  };
}

function pieces(take: (bytes: Uint8Array) => void): Field {
  return (reader, wireType) => {
    if (wireType !== WIRE_BYTES) {
      throw new RangeError(`a field of wire type ${wireType}`);
    }
    take(reader.bytes());
  };
}

function numberIn(reader: protobuf.Reader): number {
  const value: number | protobuf.Long = reader.int64();
  return typeof value === 'number' ? value : value.high * 2 ** 32 + (value.low >>> 0);
}

function numbersIn<Name extends string>(
  bytes: Uint8Array,
  fields: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(fields) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  const reading = names.map(
    (name) => [fields[name], numbers((value) => Object.assign(found, { [name]: value }))] as const,
  );
  readMessage(bytes, Object.fromEntries(reading));
  return found;
}

/** Counter that throws when it is called too often. */
function atMost(most: number, what: string): () => void {
  let left = most;
  return () => {
    left -= 1;
    if (left < 0) {
      throw refusedProfile(`it has more than ${formatCount(most)} ${what}`);
    }
  };
}

function tablesIn(bytes: Uint8Array): Tables {
  const entry = atMost(MAX_ENTRIES, 'entries');
  const found: Tables = {
    ...{ sampleTypes: [], period: 0, samples: [], texts: [] },
    ...{ mappings: new Map(), locations: new Map(), functions: new Map() },
  };
  const each = (take: (piece: Uint8Array) => void): Field =>
    pieces((piece) => {
      entry();
      take(piece);
    });
  readMessage(bytes, {
    [PROFILE.sampleTypes]: each((piece) => void found.sampleTypes.push(numbersIn(piece, VALUE_TYPE))),
    [PROFILE.samples]: each((piece) => void found.samples.push(piece)),
    [PROFILE.mappings]: each((piece) => {
      const { id, file } = numbersIn(piece, MAPPING);
      found.mappings.set(id, file);
    }),
    [PROFILE.locations]: each((piece) => {
      const { id, ...place } = placeIn(piece, entry);
      found.locations.set(id, place);
    }),
    [PROFILE.functions]: each((piece) => {
      const { id, ...names } = numbersIn(piece, FUNCTION);
      found.functions.set(id, names);
    }),
    [PROFILE.texts]: each((piece) => void found.texts.push(piece)),
    [PROFILE.period]: numbers((value) => {
      found.period = value;
    }),
  });
  return found;
}

function placeIn(bytes: Uint8Array, entry: () => void): PlaceOfCode & { readonly id: number } {
  const functions: number[] = [];
  const found = { id: 0, mapping: 0 };
  readMessage(bytes, {
    [LOCATION.id]: numbers((value) => {
      found.id = value;
    }),
    [LOCATION.mapping]: numbers((value) => {
      found.mapping = value;
    }),
    [LOCATION.lines]: pieces((line) => {
      entry();
      functions.push(numbersIn(line, LINE).function);
    }),
  });
  return { ...found, functions };
}

function stacksIn(tables: Tables): readonly Stack[] {
  const countIn = counting(tables);
  const framesAt = framesOf(tables);
  const call = atMost(MAX_CALLS, 'calls in its stacks');
  return tables.samples.map((bytes) => {
    const { locations, values } = sampleIn(bytes);
    const inner: Frame[] = [];
    for (const location of locations) {
      inner.push(...framesAt(location).slice(0, MAX_FRAMES - inner.length));
    }
    inner.forEach(call);
    return { frames: inner.reverse(), count: countIn(values) };
  });
}

/** A sample starts with its innermost call. */
function sampleIn(bytes: Uint8Array): { readonly locations: readonly number[]; readonly values: readonly number[] } {
  const [locations, values]: [number[], number[]] = [[], []];
  const upTo = (most: number, list: number[]) =>
    numbers((value) => {
      if (list.length < most) {
        list.push(value);
      }
    });
  readMessage(bytes, {
    [SAMPLE.locations]: upTo(MAX_FRAMES, locations),
    [SAMPLE.values]: upTo(MAX_KINDS, values),
  });
  return { locations, values };
}

function counting({ sampleTypes, period, texts }: Tables): (values: readonly number[]) => number {
  const kinds = sampleTypes
    .slice(0, MAX_KINDS)
    .map(({ type, unit }) => `${beginningOf(texts[type])} in ${beginningOf(texts[unit])}`);
  const [time, count] = [kinds.indexOf('cpu in nanoseconds'), kinds.indexOf('samples in count')];
  if (time < 0 || (count < 0 && period <= 0)) {
    const has = kinds.length === 0 ? 'no values' : wordList(kinds.map((kind) => cleanText(kind, LONGEST_KIND)));
    throw refusedProfile(`it must contain CPU time (cpu in nanoseconds), but contains ${has}`);
  }
  return (values) => {
    const stacks = count < 0 ? Math.round((values[time] ?? 0) / period) : (values[count] ?? 0);
    if (!(stacks >= 0 && stacks <= MAX_STACKS)) {
      throw refusedProfile(`a stack of it was seen ${stacks} times`);
    }
    return stacks;
  };
}

const LONGEST_KIND = 40;

function framesOf({ locations, functions, mappings, texts }: Tables): (location: number) => readonly Frame[] {
  const frames = new Map<string, Frame>();
  const known = new Map<number, readonly Frame[]>();
  const frame = (id: number, mapping: number): Frame => {
    const key = `${id} ${mapping}`;
    const { name, file } = functions.get(id) ?? { name: 0, file: 0 };
    const object = endOf(texts[file]) || endOf(texts[mappings.get(mapping) ?? 0]);
    const found = frames.get(key) ?? frameOf(beginningOf(texts[name]), object);
    frames.set(key, found);
    return found;
  };
  return (location) => {
    const { mapping, functions: called } = locations.get(location) ?? { mapping: 0, functions: [] };
    // A location without a function has no symbols.
    const ids = called.length === 0 ? [0] : called.slice(0, MAX_FRAMES);
    const found = known.get(location) ?? ids.map((id) => frame(id, mapping));
    known.set(location, found);
    return found;
  };
}

function beginningOf(text: Uint8Array = NO_TEXT): string {
  return DECODER.decode(text.subarray(0, LONGEST_TEXT));
}

function endOf(text: Uint8Array = NO_TEXT): string {
  return DECODER.decode(text.subarray(-LONGEST_TEXT));
}

const NO_TEXT = new Uint8Array();

const DECODER = new TextDecoder();
