import { encoded } from '../../src/foundation/text.ts';

/** State in a link to the page. Its texts are untrusted. */
export interface PageState {
  /** Filters of the list. */
  readonly query: string;
  readonly service: string | undefined;
  readonly operation: string | undefined;
  readonly tier: string | undefined;
  readonly metric: string | undefined;
  /** Key of the series whose chart is shown. */
  readonly series: string | undefined;
  /** Keys of hidden lines of that chart. */
  readonly hidden: readonly string[];
  readonly axis: AxisChoice;
  /** Time range of the chart, in milliseconds since 1970. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Run whose values are shown next to the chart. */
  readonly run: string | undefined;
  readonly base: string | undefined;
  readonly head: string | undefined;
  /** Cell whose latency distributions are compared. */
  readonly cell: string | undefined;
}

/** `auto` is logarithmic if the figures span more than a decade. */
export type AxisChoice = 'auto' | 'linear' | 'logarithmic';

const TEXTS = ['service', 'operation', 'tier', 'metric', 'series', 'run', 'base', 'head', 'cell'] as const;

/** State in a URL's hash, with or without its "#"; invalid parts are left out. */
export function parseState(hash: string): PageState {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const text = (name: (typeof TEXTS)[number]) => fields.get(name) || undefined;
  const axis = fields.get('axis');
  return {
    service: text('service'),
    operation: text('operation'),
    tier: text('tier'),
    metric: text('metric'),
    series: text('series'),
    run: text('run'),
    base: text('base'),
    head: text('head'),
    cell: text('cell'),
    ...stretchOf(timeOf(fields.get('from')), timeOf(fields.get('to'))),
    query: fields.get('q') ?? '',
    hidden: [...new Set(fields.getAll('hide').filter((key) => key !== ''))],
    axis: axis === 'linear' || axis === 'logarithmic' ? axis : 'auto',
  };
}

/** Hash for a state, without "#"; empty if nothing is selected. */
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

/** Slashes need no escape in a hash, and make a link easier to read. */
function readable(text: string): string {
  return encoded(text).replaceAll('%2F', '/');
}

/** Limit of the range of dates. */
const LAST_TIME = 8.64e15;

function timeOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,16}$/.test(text) && Number(text) <= LAST_TIME ? Number(text) : undefined;
}

function stretchOf(from: number | undefined, to: number | undefined): Pick<PageState, 'from' | 'to'> {
  return from !== undefined && to !== undefined && from <= to ? { from, to } : { from: undefined, to: undefined };
}
