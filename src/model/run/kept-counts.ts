import { type FormerNames, presentNames } from '../suite/former-names.ts';
import { type CountedStart, countedWindows, type Fingerprint, type InstructionsRecord } from './instructions.ts';

/** Windows of one operation in one start that count, without background work of the service. */
interface KeptOperation {
  readonly operation: string;
  readonly requests: number;
  readonly instructions: readonly number[];
  readonly syscalls: readonly number[];
  readonly allocations?: readonly number[];
}

export interface KeptCounts {
  readonly service: string;
  readonly fingerprint: Fingerprint;
  readonly starts: readonly (readonly KeptOperation[])[];
}

export interface StoredCounts {
  readonly commit: string;
  /** Name of the history or folder in reports. */
  readonly source: string;
  readonly counts: readonly KeptCounts[];
}

export function keptCounts({ starts, fingerprints = {} }: InstructionsRecord): readonly KeptCounts[] {
  return Object.entries(fingerprints).flatMap(([service, fingerprint]) => {
    const own = starts.filter((start) => start.service === service && start.side === 'head');
    const isSteady = own.length > 0 && own.every(({ warmFrom }) => warmFrom !== undefined);
    return isSteady ? [{ service, fingerprint, starts: own.map(keptStart) }] : [];
  });
}

function keptStart(start: CountedStart): KeptCounts['starts'][number] {
  return start.operations.map((one) => {
    const { instructions, syscalls, allocations } = countedWindows(start, one);
    const { operation, requests } = one;
    return {
      ...{ operation, requests, instructions: instructions.map(wholeCount), syscalls: syscalls.map(wholeCount) },
      ...(one.allocations !== undefined && { allocations: allocations.map(wholeCount) }),
    };
  });
}

function wholeCount(value: number): number {
  return Math.max(0, Math.round(value));
}

export function startsOfBase({ service, starts }: KeptCounts): readonly CountedStart[] {
  return starts.map((operations, index) => ({ service, side: 'base', start: index + 1, warmFrom: 0, operations }));
}

/** Kept counts of one run under the present names of services and operations. Their fingerprints do not change. */
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
