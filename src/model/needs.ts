import { filledEnvironment, type Lookup, type Lookups } from '../foundation/placeholders.ts';
import type { Program } from './service.ts';

/** Where something that a service needs is reached. */
export interface NeedPlace {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/**
 * The environment of a program that knows where its needs are: `DB_HOST` and `DB_PORT` for a need `db`, and its own variables, which
 * go first, with their placeholders filled in.
 */
export function environmentBeside(
  { environment }: Pick<Program, 'environment'>,
  places: readonly NeedPlace[],
  lookups: Lookups = {},
): Readonly<Record<string, string>> {
  return { ...placeVariables(places), ...filledEnvironment(environment, { ...lookups, needs: lookupIn(places) }) };
}

function placeVariables(places: readonly NeedPlace[]): Record<string, string> {
  return Object.fromEntries(
    places.flatMap(({ name, host, port }) => {
      const prefix = name.toUpperCase().replaceAll('-', '_');
      return [
        [`${prefix}_HOST`, host],
        [`${prefix}_PORT`, String(port)],
      ];
    }),
  );
}

function lookupIn(places: readonly NeedPlace[]): Lookup {
  const values = new Map(
    places.flatMap(({ name, host, port }) => [
      [`${name}.host`, host],
      [`${name}.port`, String(port)],
    ]),
  );
  return (name) => values.get(name);
}
