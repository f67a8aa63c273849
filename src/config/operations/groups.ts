import { ConfigError } from '../../foundation/errors.ts';
import { wordList } from '../../foundation/text.ts';
import { type Grouped, groupedOperations } from '../../model/suite/groups.ts';
import type { Operation, OperationGroup, Suite } from '../../model/suite/suite.ts';
import type { Placed } from '../yaml/yaml.ts';

/** What the services of a file are asked for. */
export interface AskedOf {
  /** Of all services, the reference first; undefined: not all of them could be read. */
  readonly services: readonly string[] | undefined;
  /** Of the services without operations of their own; undefined: the file has no such list. */
  readonly shared: readonly Operation[] | undefined;
  readonly own: readonly OwnOperations[];
  readonly placeOf: Placed<unknown>['placeOf'];
}

/** The operations that one service has of its own. */
export interface OwnOperations {
  readonly service: string;
  readonly operations: readonly Operation[];
}

/**
 * All operations, and which services are asked for which, in the order of the services. Throws ConfigError if a service has none, and if
 * the list of the file is for nobody.
 */
export function groupsOfServices({ services, shared, own, placeOf }: AskedOf): Grouped<Operation> {
  if (services === undefined) {
    return { operations: [...(shared ?? []), ...own.flatMap(({ operations }) => operations)] };
  }
  const sharing = services.filter((name) => !own.some(({ service }) => service === name));
  if (shared === undefined && sharing.length > 0) {
    throw new ConfigError(`${placeOf(['operations'])}: is missing, so nothing is sent to ${wordList(sharing)}`, {
      code: 'WG-105',
      next: 'Add `operations` to the file, or to each service.',
    });
  }
  if (shared !== undefined && sharing.length === 0) {
    throw new ConfigError(`${placeOf(['operations'])}: is unused, because every service has its own operations`, {
      code: 'WG-105',
      next: 'Remove it, or remove `operations` from the services that should use it.',
    });
  }
  const groups = services.flatMap((name): readonly OperationGroup<Operation>[] => {
    const operations = own.find(({ service }) => service === name)?.operations;
    if (operations !== undefined) {
      return [{ services: [name], operations }];
    }
    return name === sharing[0] ? [{ services: sharing, operations: shared ?? [] }] : [];
  });
  return groupedOperations(groups);
}

/** Throws ConfigError for a sweep beside operations of single services: its pictures compare services. */
export function refuseSweepOfGroups({ sweep, groups }: Pick<Suite, 'sweep' | 'groups'>, at: string): void {
  if (sweep !== undefined && groups !== undefined) {
    throw new ConfigError(`${at}: compares services, but these have their own operations`, {
      code: 'WG-105',
      next: 'Use the `operations` of the file for all services, or move the sweep to its own suite.',
    });
  }
}

/** The same of a factorial design: what its services differ in is seen only if all else is the same. */
export function refuseFactorialOfGroups({ factorial, groups }: Pick<Suite, 'factorial' | 'groups'>, at: string): void {
  if (factorial !== undefined && groups !== undefined) {
    throw new ConfigError(`${at}: compares services, but these have their own operations`, {
      code: 'WG-105',
      next: 'Use the `operations` of the file for all services, or move the design to its own suite.',
    });
  }
}

/** Lines about operations that tiers name, and some services do not have. */
export function unaskedLines({ groups = [], tiers }: Pick<Suite, 'groups' | 'tiers'>): readonly string[] {
  return tiers.flatMap(({ name, operations: named = [] }) =>
    groups.flatMap(({ services, operations }) => {
      const lacking = named.filter((one) => operations.every((operation) => operation.name !== one));
      const whose = wordList(services);
      if (lacking.length === 0) {
        return [];
      }
      return lacking.length === named.length
        ? [`tier ${name}: skipped for ${whose} (no matching operations)`]
        : [`tier ${name}: ${wordList(lacking)} skipped for ${whose} (no such operation)`];
    }),
  );
}
