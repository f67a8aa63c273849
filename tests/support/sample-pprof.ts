import protobuf from 'protobufjs';

/** The messages of the format as it is described, with all fields that Go writes: an encoder that shares nothing with the reader. */
const { root } = protobuf.parse(
  `syntax = "proto3";
  message Profile {
    repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Mapping mapping = 3;
    repeated Location location = 4; repeated Function function = 5; repeated string string_table = 6;
    int64 time_nanos = 9; int64 duration_nanos = 10; ValueType period_type = 11; int64 period = 12;
  }
  message ValueType { int64 type = 1; int64 unit = 2; }
  message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; repeated Label label = 3; }
  message Label { int64 key = 1; int64 str = 2; }
  message Mapping { uint64 id = 1; uint64 memory_start = 2; uint64 memory_limit = 3; int64 filename = 5; bool has_functions = 7; }
  message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated Line line = 4; }
  message Line { uint64 function_id = 1; int64 line = 2; }
  message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }`,
  { keepCase: true },
);

const PROFILE = root.lookupType('Profile');

/** What a sampled program has. */
interface SampleProfile {
  /** Kinds of values: "cpu in nanoseconds". */
  readonly kinds?: readonly string[];
  /** Each with its calls, the innermost first: `leaf`, or `leaf<caller` if the compiler put it into its caller. */
  readonly samples?: readonly { readonly calls: readonly string[]; readonly values: readonly number[] }[];
  readonly period?: number;
  /** Of a function, if it is not /srv/app/main.go. */
  readonly files?: Readonly<Record<string, string>>;
}

const CPU_KINDS = ['samples in count', 'cpu in nanoseconds'] as const;

/** A profile in the format of pprof, not packed. */
export function samplePprof({ kinds = CPU_KINDS, samples = [], period = 1e7, files = {} }: SampleProfile): Buffer {
  const texts = [''];
  const text = (value: string): number => {
    const found = texts.indexOf(value);
    return found < 0 ? texts.push(value) - 1 : found;
  };
  const places = [...new Set(samples.flatMap(({ calls }) => calls))];
  const names = [...new Set(places.flatMap((place) => place.split('<')))];
  const message = {
    sample_type: kinds.map((kind) => {
      const [type = '', unit = ''] = kind.split(' in ');
      return { type: text(type), unit: text(unit) };
    }),
    sample: samples.map(({ calls, values }) => ({
      location_id: calls.map((call) => places.indexOf(call) + 1),
      value: values,
      label: [{ key: text('thread'), str: text('main') }],
    })),
    mapping: [
      { id: 1, memory_start: 0x400000, memory_limit: 0x800000, filename: text('/srv/bin/app'), has_functions: true },
    ],
    location: places.map((place, index) => ({
      ...{ id: index + 1, mapping_id: 1, address: 0x401000 + index },
      line: place === '' ? [] : place.split('<').map((name) => ({ function_id: names.indexOf(name) + 1, line: 7 })),
    })),
    function: names.map((name, index) => ({
      ...{ id: index + 1, name: text(name), system_name: text(name), start_line: 3 },
      filename: text(files[name] ?? '/srv/app/main.go'),
    })),
    string_table: texts,
    ...{ time_nanos: 1_700_000_000_000_000_000, duration_nanos: 8e9, period_type: { type: text('cpu') }, period },
  };
  return Buffer.from(PROFILE.encode(PROFILE.fromObject(message)).finish());
}
