import { counted, EnvironmentError } from '../foundation/index.ts';
import type { Cores } from '../host/index.ts';
import type { Service } from '../model/index.ts';

/**
 * The core of a member besides the entry: that of the service, which the entry has, or one of its own, by its place in the order of the
 * start.
 */
export function memberCore(cores: Cores, { members = [], cores: asked }: Service, member: string): number {
  const place = members.findIndex(({ name }) => name === member);
  return asked === 'each' ? (cores.further?.[place] ?? cores.service) : cores.service;
}

/** Throws EnvironmentError if this program may not use as many cores as a service asks for. */
export function refuseTooFewCores(services: readonly Service[], cores: Cores): void {
  const available = new Set([cores.service, cores.load, ...(cores.further ?? [])]).size;
  for (const { name, members = [], cores: asked } of services) {
    // The entry and the load tool have one each, too.
    const wanted = members.length + 2;
    if (asked === 'each' && available < wanted) {
      throw new EnvironmentError(
        `${name}: \`cores: each\` takes ${wanted} cores, one for each of its ${members.length + 1} members and one for the load tool, and this program may use ${counted(available, 'core')}`,
        {
          code: 'WG-213',
          next: `Leave \`cores\` of ${name} out, so that its members share a core, or measure on a machine with ${wanted} cores.`,
        },
      );
    }
  }
}
