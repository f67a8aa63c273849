import { EnvironmentError, MeasurementError } from '../core/errors.ts';
import type { Load } from '../core/load.ts';
import type { ScheduledRecords } from '../core/measured.ts';
import { operationRate, operationWorkers } from '../core/plan.ts';
import type { Service } from '../core/service.ts';
import type { Operation, Tier } from '../core/suite.ts';
import { generatorFor } from '../generators/index.ts';
import { PROTOCOLS } from '../protocols/index.ts';
import type { LoadEnd } from './ports.ts';

/** How fast requests come: as fast as so many workers can send them, or as so many users of a tier would. */
export type Pace =
  | { readonly mode: 'saturate'; readonly workers: number }
  | { readonly mode: 'open'; readonly tier: Tier; readonly users: number };

/** A service under load: all operations of a suite together, at one pace, for so long. */
export interface Loading {
  readonly service: Service;
  /** `host:port` as the load tool reaches it. */
  readonly address: string;
  readonly pace: Pace;
  readonly seconds: number;
  /** Moves the requests of an open load within their intervals, by operation; see OpenLoad. */
  readonly jitterSeed?: ((operation: string) => number) | undefined;
}

const REQUEST_TIMEOUT_SECONDS = 30;

/** The part of a load that one operation has. */
export function loadOf(loading: Loading, operation: Operation): Load {
  const { service, address, pace, seconds } = loading;
  const target = PROTOCOLS[service.protocol].target(operation, service, address);
  const common = { target, seconds, timeoutSeconds: REQUEST_TIMEOUT_SECONDS };
  if (pace.mode === 'saturate') {
    return { ...common, kind: 'saturate', workers: operationWorkers(pace.workers, operation) };
  }
  const ratePerSecond = operationRate(pace.tier, pace.users, operation);
  const jitterSeed = loading.jitterSeed?.(operation.name);
  const workers = operationWorkers(pace.users, operation);
  return { ...common, kind: 'open', ratePerSecond, workers, ...(jitterSeed !== undefined && { jitterSeed }) };
}

/** A load that was played, and how its tool ended. */
export interface Played {
  readonly service: Service;
  readonly operation: Operation;
  readonly load: Load;
  readonly end: LoadEnd;
}

/**
 * The records of a load with the schedule that they were to follow. Throws MeasurementError where the load tool failed, and
 * EnvironmentError where its records are cut off.
 */
export async function recordsOf({ service, operation, load, end }: Played): Promise<ScheduledRecords> {
  const generator = generatorFor(service.protocol);
  if (end.exitCode !== 0) {
    throw new MeasurementError(
      `${generator.name} against ${service.name} ended with exit code ${end.exitCode}: ${end.complaint}`,
      { next: 'Run it again; if it stays, try the command by hand against the service.' },
    );
  }
  const reader = generator.reader();
  for await (const chunk of end.records()) {
    reader.push(chunk);
  }
  const { records, cutOff } = reader.finish();
  if (cutOff) {
    throw new EnvironmentError(
      `the records of ${generator.name} against ${service.name} are cut off after ${records.startMs.length} requests`,
      { next: 'Is the disk of the temporary folder full? Free some space or set TMPDIR to another disk.' },
    );
  }
  const isOpen = load.kind === 'open';
  return {
    operation: operation.name,
    records,
    ratePerSecond: isOpen ? load.ratePerSecond : undefined,
    // Blocks last parts of a second, so a schedule may end between two requests.
    planned: isOpen ? Math.floor(load.ratePerSecond * load.seconds) : undefined,
    ...(isOpen && load.jitterSeed !== undefined && { jitterSeed: load.jitterSeed }),
  };
}
