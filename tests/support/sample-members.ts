import type { Run } from '../../src/model/run/run.ts';
import type { Sample } from '../../src/model/run/sample.ts';

/** Members of the service `rest` in sample runs: a gateway, which is the entry, before orders and a bus. */
const limits = { cpus: 1, memoryMiB: 512 };
const member = (name: string, dependsOn: string[]) => ({
  name,
  source: `./${name}`,
  dependsOn,
  environment: {},
  limits,
});
const MEMBERS = [member('gateway', ['orders', 'bus']), member('orders', ['bus']), member('bus', [])];

/** The records of services, with members in the one called `rest`. */
export function servicesWithMembers(services: Run['services']): Run['services'] {
  return services.map((service) => (service.name === 'rest' ? { ...service, members: MEMBERS } : service));
}

/** How many times the usual CPU time members take in the head. */
export type Slowness = Readonly<Record<string, number>>;

/** The sample with its CPU time dealt out to members: gateway 50%, orders 30%, bus 20%; those of the head slower by factors. */
export function withMembers(sample: Sample, slowness: Slowness = {}): Sample {
  const cpu = sample.values.cpuMicrosPerRequest;
  if (sample.cell.service !== 'rest' || sample.cell.operation !== 'all' || cpu === undefined) {
    return sample;
  }
  const factor = (name: string) => (sample.side === 'head' ? (slowness[name] ?? 1) : 1);
  const bytes = { receivedBytesPerRequest: 420, sentBytesPerRequest: 610 };
  const members = {
    gateway: { cpuMicrosPerRequest: cpu * 0.5 * factor('gateway'), peakMemoryMiB: 40, ...bytes },
    orders: { cpuMicrosPerRequest: cpu * 0.3 * factor('orders'), peakMemoryMiB: 30, ...bytes },
    bus: { cpuMicrosPerRequest: cpu * 0.2 * factor('bus'), peakMemoryMiB: 10 },
  };
  const whole = Object.values(members).reduce((sum, { cpuMicrosPerRequest }) => sum + cpuMicrosPerRequest, 0);
  return { ...sample, members, values: { ...sample.values, cpuMicrosPerRequest: whole } };
}
