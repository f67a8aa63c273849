import type { Run } from '../../model/run/run.ts';
import { presentNames } from '../../model/suite/former-names.ts';
import type { Baseline, StoredRun } from './stored-run.ts';

type WasNamed = NonNullable<Run['suite']['wasNamed']>;

/** Stored runs under the names that a run has for services and operations. What differs in names alone counts as its configuration. */
export function underNamesOf(run: Run, baseline: Baseline): Baseline {
  const { wasNamed } = run.suite;
  return wasNamed === undefined
    ? baseline
    : { ...baseline, runs: baseline.runs.map((stored) => renamedRun(stored, wasNamed, run.configHash)) };
}

function renamedRun(stored: StoredRun, wasNamed: WasNamed, configHash: string): StoredRun {
  const { cells, configuration, suspicious } = stored;
  const present = presentNames(wasNamed, Object.keys(cells).map(placeIn));
  const renamed = (cell: string): string => {
    const { service, operation, tier } = present(placeIn(cell));
    return `${service}/${operation}/${tier}`;
  };
  return {
    ...stored,
    configuration: wasNamed.configHashes.includes(configuration.configHash)
      ? { ...configuration, configHash }
      : configuration,
    cells: Object.fromEntries(Object.entries(cells).map(([cell, values]) => [renamed(cell), values])),
    suspicious: suspicious.map((text) => {
      const [cell = '', ...metric] = text.split(' ');
      return [renamed(cell), ...metric].join(' ');
    }),
  };
}

function placeIn(cell: string) {
  const [service = '', operation = '', tier = ''] = cell.split('/');
  return { service, operation, tier };
}
