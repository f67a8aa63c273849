import { ConfigError } from '../../foundation/errors.ts';
import { wordList } from '../../foundation/text.ts';
import { type Grouped, groupedOperations } from '../../model/suite/groups.ts';
import type { Operation, OperationGroup, Suite } from '../../model/suite/suite.ts';
import { Mistakes } from '../mistakes.ts';
import type { Placed } from '../yaml/yaml.ts';

/** Operations that only one service has. */
export interface OwnOperations {
  readonly service: string;
  readonly operations: readonly Operation[];
}

/**
 * All operations, grouped by the services they are sent to. Throws ConfigError if a service has none, or if no
 * service uses the list of the file.
 */
export function groupsOfServices({
  services,
  shared,
  own,
  placeOf,
}: {
  /** All services, the reference first; undefined if some could not be read. */
  readonly services: readonly string[] | undefined;
  /** Operations of services without their own; undefined if the file has no such list. */
  readonly shared: readonly Operation[] | undefined;
  readonly own: readonly OwnOperations[];
  readonly placeOf: Placed<unknown>['placeOf'];
}): Grouped<Operation> {
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

/** Throws ConfigError for a sweep or a factorial design if services have their own operations, since both compare services. */
export function refuseDesignsOfGroups(
  { sweep, factorial, groups }: Pick<Suite, 'sweep' | 'factorial' | 'groups'>,
  placeOf: Placed<unknown>['placeOf'],
): void {
  const mistakes = new Mistakes();
  const found = [
    { key: 'sweep', noun: 'sweep', isSet: sweep !== undefined },
    { key: 'factorial', noun: 'design', isSet: factorial !== undefined },
  ].filter(({ isSet }) => isSet && groups !== undefined);
  mistakes.each(found, ({ key, noun }) => {
    throw new ConfigError(`${placeOf([key])}: compares services, but these have their own operations`, {
      code: 'WG-105',
      next: `Use the \`operations\` of the file for all services, or move the ${noun} to its own suite.`,
    });
  });
  mistakes.without(found);
}

/** Log lines about operations that a tier names and some services lack. */
export function skippedLines({ groups = [], tiers }: Pick<Suite, 'groups' | 'tiers'>): readonly string[] {
  return tiers.flatMap(({ name, operations: named = [] }) =>
    groups.flatMap(({ services, operations }) => {
      const missing = named.filter((one) => operations.every((operation) => operation.name !== one));
      if (missing.length === 0) {
        return [];
      }
      return missing.length === named.length
        ? [`tier ${name}: skipped for ${wordList(services)} (no matching operations)`]
        : [`tier ${name}: ${wordList(missing)} skipped for ${wordList(services)} (no such operation)`];
    }),
  );
}
