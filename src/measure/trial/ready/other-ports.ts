import { portsOf } from '../../../host/machine/ports.ts';
import type { RunningService } from '../../../runtime/port.ts';

/**
 * Why a program that was started does not answer at its port, and what to do: it listens on others. undefined if it listens on that one,
 * or on none that can be seen, as in a container.
 */
export function otherPorts({
  processes = [],
  address,
}: Pick<RunningService, 'processes' | 'address'>): OtherPorts | undefined {
  const ports = processes.flatMap(portsOf);
  const given = Number(/:(\d+)$/.exec(address)?.[1]);
  return ports.length === 0 || ports.includes(given)
    ? undefined
    : {
        ports,
        words: `it listens on port ${ports.join(', ')} instead of ${given}, the value of $PORT`,
        next: `Make it listen on the port in the environment variable PORT, which differs from start to start, or pass that port with a flag: \`command: [sh, -c, 'exec ./server --port "$PORT"']\`. If its port is fixed, set \`process: { port: ${ports[0]} }\`. A container may listen on any port.`,
      };
}

interface OtherPorts {
  readonly ports: readonly number[];
  readonly words: string;
  readonly next: string;
}
