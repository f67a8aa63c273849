import type { KeptCounts } from '../run/kept-counts.ts';
import { type FormerNames, presentNames } from './former-names.ts';

/** The kept counts of one run under the names that services and operations have today. Their fingerprints stay those of before. */
export function presentCounts(counts: readonly KeptCounts[], names: FormerNames | undefined): readonly KeptCounts[] {
  const places = counts.flatMap(({ service, starts }) =>
    starts.flat().map(({ operation }) => ({ service, operation })),
  );
  const present = presentNames(names, places);
  return counts.map(({ service, starts, ...rest }) => ({
    ...rest,
    service: present({ service, operation: '' }).service,
    starts: starts.map((start) => start.map((one) => ({ ...one, operation: present({ ...one, service }).operation }))),
  }));
}
