import { ConfigError } from '../../foundation/errors.ts';
import { nameAdvice } from '../../foundation/near-name.ts';
import { sweepRecord } from '../../model/run/sweep-points.ts';
import type { Suite } from '../../model/suite.ts';
import type { Path, Placed } from '../yaml/yaml.ts';

type PlaceOf = Placed<unknown>['placeOf'];

/** Throws ConfigError with the place where a suite names an operation, a service or an argument of its own that there is not. */
export function refuseUnknownNames(suite: Suite, placeOf: PlaceOf): void {
  const operations = { kind: 'operation', names: suite.operations.map(({ name }) => name), placeOf };
  for (const [index, tier] of suite.tiers.entries()) {
    refuseUnknown(tier.operations ?? [], ['tiers', index, 'operations'], operations);
  }
  const services = { kind: 'service', names: suite.services, placeOf };
  for (const [index, panel] of suite.sweep?.panels.entries() ?? []) {
    refuseUnknown(panel.services, ['sweep', 'panels', index, 'services'], services);
  }
  refuseEmptySweep(suite, placeOf);
}

interface Known {
  readonly kind: string;
  readonly names: readonly string[];
  readonly placeOf: PlaceOf;
}

function refuseUnknown(found: readonly string[], path: Path, { kind, names, placeOf }: Known): void {
  const index = found.findIndex((name) => !names.includes(name));
  const name = found[index];
  if (name !== undefined) {
    const heading = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}s here`;
    throw new ConfigError(`${placeOf([...path, index])}: there is no ${kind} ${name} in this suite`, {
      next: nameAdvice(name, names, heading),
    });
  }
}

function refuseEmptySweep(suite: Suite, placeOf: PlaceOf): void {
  if (suite.sweep !== undefined && sweepRecord(suite)?.points.length === 0) {
    const { argument } = suite.sweep;
    throw new ConfigError(
      `${placeOf(['sweep', 'argument'])}: no tier asks for one operation alone whose ${argument} is one number above 0`,
      {
        next: 'Say `operations` of each tier of the sweep: one of them, with that argument, as a number, in `arguments`.',
      },
    );
  }
}
