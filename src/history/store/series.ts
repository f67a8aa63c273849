import { type Fields, LONGEST_NAME, textField, wordField } from './fields.ts';

/** What one figure is of: a metric of a cell. All but `better` is text from outside. */
export interface Series {
  readonly suite: string;
  readonly service: string;
  readonly operation: string;
  readonly tier: string;
  readonly metric: string;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
}

/**
 * Names a series across runs, for example "users/rest/all/saturation/cpuMicrosPerRequest/µs". The unit belongs to it,
 * since figures of two units are no one line; the direction does not.
 */
export function seriesKey({ suite, service, operation, tier, metric, unit }: Series): string {
  return [suite, service, operation, tier, metric, unit].map(escaped).join('/');
}

/** Names from outside may have slashes. */
function escaped(part: string): string {
  return part.includes('/') || part.includes('%') ? part.replaceAll('%', '%25').replaceAll('/', '%2F') : part;
}

const DIRECTIONS = ['lower', 'higher'] as const;

/** The series in an object of JSON; throws HistoryError. */
export function seriesFromJson(fields: Fields): Series {
  const name = (field: string) => textField(fields, field, LONGEST_NAME);
  return {
    suite: name('suite'),
    service: name('service'),
    operation: name('operation'),
    tier: name('tier'),
    metric: name('metric'),
    unit: name('unit'),
    better: wordField(fields, 'better', DIRECTIONS),
  };
}

/** The same series, its fields in the order in which they are written. */
export function plainSeries({ suite, service, operation, tier, metric, unit, better }: Series): Series {
  return { suite, service, operation, tier, metric, unit, better };
}
