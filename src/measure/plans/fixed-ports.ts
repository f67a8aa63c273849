import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { Service } from '../../model/service.ts';
import type { Runtime } from '../../runtime/port.ts';

/** What stands beside each other in rounds. */
export interface SideBySide {
  readonly runtime: Runtime['name'];
  /** Names of those that are measured. */
  readonly services: readonly string[];
  readonly base: ReadonlyMap<string, Service>;
  readonly head: ReadonlyMap<string, Service>;
}

/**
 * How rounds alternate between two sides: as it was asked, or one side after the other if both listen on the same port in each start, so
 * that they cannot stand side by side; that is logged.
 */
export function interleaveOf(
  asked: RoundsRecord['interleave'],
  { runtime, services, base, head }: SideBySide,
  log: (line: string) => void,
): RoundsRecord['interleave'] {
  const alone = services.filter((name) => {
    const port = fixedPort(head.get(name), runtime);
    return port !== undefined && port === fixedPort(base.get(name), runtime);
  });
  if (asked === 'slots' || alone.length === 0) {
    return asked;
  }
  log(
    `${alone.join(', ')}: both sides listen on the same port (process.port), so they run one after the other, which needs about seven times the rounds. Make the service read PORT, or measure in containers`,
  );
  return 'slots';
}

/** undefined for a container, and for a program that takes the port that it is given. */
function fixedPort(service: Service | undefined, runtime: Runtime['name']): number | undefined {
  return (service?.runtime ?? runtime) === 'process' ? service?.process?.port : undefined;
}
