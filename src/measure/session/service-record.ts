import type { Run } from '../../model/run/run.ts';
import type { Need, Program, Service } from '../../model/service.ts';
import type { Runtime } from '../../runtime/ports.ts';
import { LIMITS } from './runtime.ts';

type ServiceRecord = Run['services'][number];

/** What `run.json` says of a service: whatever of it can move a number. */
export function serviceRecord(service: Service, runtime: Runtime['name']): ServiceRecord {
  const { name, title, protocol, environment, address, limits, needs = [] } = service;
  return {
    name,
    title,
    protocol,
    environment,
    ...(limits !== undefined && { limits: { ...LIMITS, ...given(limits) } }),
    ...(address !== undefined && { address }),
    ...(needs.length > 0 && { needs: needs.map((need) => needRecord(need, runtime)) }),
  };
}

function needRecord(need: Need, runtime: Runtime['name']): NonNullable<ServiceRecord['needs']>[number] {
  const { name, fresh, limits } = need;
  return {
    name,
    fresh,
    source: sourceText(need, runtime).slice(0, 200),
    limits: { ...LIMITS, ...given(limits ?? {}) },
  };
}

function sourceText({ image, process }: Program, runtime: Runtime['name']): string {
  if (runtime === 'process' || image === undefined) {
    return process?.command.join(' ') ?? '';
  }
  return 'reference' in image ? image.reference : `built from ${image.dockerfile}`;
}

/** Without the keys that are there and say nothing. */
function given({ cpus, memoryMiB }: NonNullable<Program['limits']>): Partial<typeof LIMITS> {
  return { ...(cpus !== undefined && { cpus }), ...(memoryMiB !== undefined && { memoryMiB }) };
}
