import { encoded } from '../../src/foundation/text.ts';

/** All that a link to the page remembers. Its texts are untrusted. */
export interface PageState {
  /** Filters of the list. */
  readonly query: string;
  readonly service: string | undefined;
  readonly operation: string | undefined;
  readonly tier: string | undefined;
  readonly metric: string | undefined;
  /** The key of the series whose chart is shown. */
  readonly series: string | undefined;
  /** Keys of lines of that chart that are left out. */
  readonly hidden: readonly string[];
  readonly axis: AxisChoice;
  /** Stretch of time that the chart shows, in milliseconds since 1970. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The run whose values are shown next to the chart. */
  readonly run: string | undefined;
  /** The two runs that are compared. */
  readonly base: string | undefined;
  readonly head: string | undefined;
  /** The cell whose latency distributions are compared. */
  readonly cell: string | undefined;
}

/** `auto` is logarithmic if the figures span more than a decade. */
export type AxisChoice = 'auto' | 'linear' | 'logarithmic';

const TEXTS = ['service', 'operation', 'tier', 'metric', 'series', 'run', 'base', 'head', 'cell'] as const;

/** State of a link without a hash. */
export const FIRST_STATE: PageState = {
  query: '',
  service: undefined,
  operation: undefined,
  tier: undefined,
  metric: undefined,
  series: undefined,
  hidden: [],
  axis: 'auto',
  from: undefined,
  to: undefined,
  run: undefined,
  base: undefined,
  head: undefined,
  cell: undefined,
};

/** The state in a URL's hash, with or without its "#"; parts that make no sense are left out. */
export function parseState(hash: string): PageState {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const texts = Object.fromEntries(TEXTS.map((name) => [name, fields.get(name) || undefined]));
  const axis = fields.get('axis');
  return {
    ...FIRST_STATE,
    ...texts,
    ...stretchOf(timeOf(fields.get('from')), timeOf(fields.get('to'))),
    query: fields.get('q') ?? '',
    hidden: [...new Set(fields.getAll('hide').filter((key) => key !== ''))],
    axis: axis === 'linear' || axis === 'logarithmic' ? axis : 'auto',
  };
}

/** The hash for a state, without "#"; empty for the first state. */
export function formatState(state: PageState): string {
  const fields: [string, string | number | undefined][] = [
    ['q', state.query],
    ...TEXTS.map((name): [string, string | undefined] => [name, state[name]]),
    ...state.hidden.map((key): [string, string] => ['hide', key]),
    ['axis', state.axis === 'auto' ? undefined : state.axis],
    ['from', state.from],
    ['to', state.to],
  ];
  return fields
    .flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${name}=${readable(String(value))}`]))
    .join('&');
}

/** Slashes need no escape in a hash, and a link is easier to read with them. */
function readable(text: string): string {
  return encoded(text).replaceAll('%2F', '/');
}

/** Dates have no other times than these. */
const LAST_TIME = 8.64e15;

function timeOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,16}$/.test(text) && Number(text) <= LAST_TIME ? Number(text) : undefined;
}

function stretchOf(from: number | undefined, to: number | undefined): Pick<PageState, 'from' | 'to'> {
  return from !== undefined && to !== undefined && from <= to ? { from, to } : { from: undefined, to: undefined };
}
