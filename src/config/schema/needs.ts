import * as z from 'zod';
import { isDistinct, nameHint } from '../../foundation/names.ts';
import { placeholdersIn } from '../../foundation/placeholders.ts';
import type { Need } from '../../model/service.ts';
import { type Misfit, refusing } from '../mistakes.ts';
import { argv, fixedPort, needReady, port, programKeys, startMisfits } from './program.ts';

/** Used as a host name in containers, and as the prefix of environment variables. */
export const needName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,62}$/,
    'must be a host name: lower-case letters, digits and dashes, starting with a letter',
  );

const entry = z
  .strictObject({
    ...programKeys,
    port: port.optional(),
    process: z
      .strictObject({
        command: argv.describe(
          'The command that starts it, with `HOST`, `PORT` and `DATA` (an empty folder, removed afterwards) in its environment.',
        ),
        port: fixedPort,
      })
      .optional()
      .describe('How to start it without a container.'),
    ready: needReady,
    needs: z
      .array(needName)
      .refine(isDistinct, 'must not contain duplicates')
      .default([])
      .describe('Others that must be ready first; default: none, in the order of the file.'),
    fresh: z
      .enum(['slot', 'run'])
      .default('slot')
      .describe('`slot`: restarted with the service; `run`: kept for the whole run, for programs that start slowly.'),
  })
  .superRefine(refusing((found) => startMisfits(found).slice(0, 1)));

type Entries = Readonly<Record<string, z.output<typeof entry>>>;

/** Needs of a service by name, transformed into a list in start order. */
export const needs = z
  .record(needName, entry)
  .superRefine(
    refusing((found: Entries) =>
      [
        ...Object.entries(found).flatMap(([name, one]) => {
          const known: NeedNames = { family: 'needs', all: Object.keys(found), listed: one.needs };
          const issues = [...orderIssues(found, name), ...needPlaceholders(one.environment, known)];
          return issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
        }),
        ...circleMisfits(startOrder(found, 'needs'), 'needs', 'need'),
      ].slice(0, 1),
    ),
  )
  .transform((found): readonly Need[] =>
    startOrder(found, 'needs').programs.map(([name, one]) => ({
      ...one,
      name,
      image: one.image,
      port: one.port ?? 0,
      process: one.process && { ...one.process, build: [] },
    })),
  )
  .describe('Databases, caches and brokers that it needs.');

function orderIssues(found: Entries, name: string): readonly Misfit[] {
  const { needs: before = [], fresh } = found[name] ?? {};
  return before.flatMap((other, index) => {
    const path = ['needs', index];
    const first = found[other];
    if (first === undefined) {
      return [{ path, message: `there is no ${other}; ${otherHint(found, name, other)}` }];
    }
    return fresh === 'run' && first.fresh === 'slot'
      ? [{ path, message: `is kept for the whole run, but ${other} is not: set \`fresh: run\` on it, too` }]
      : [];
  });
}

/** Suggestion for the name of another program. */
export function otherHint(found: object, name: string, other: string): string {
  const others = Object.keys(found).filter((one) => one !== name);
  return others.length === 0 ? 'there are no others' : nameHint(other, others);
}

/** Needs, or members, that placeholders may name. */
interface NeedNames {
  /** Prefix of the placeholders. */
  readonly family: 'needs' | 'members';
  readonly all: readonly string[];
  /** Programs that start before. */
  readonly listed: readonly string[];
  /** Names of their additional ports. */
  readonly ports?: Readonly<Record<string, readonly string[]>>;
}

/** Environment variables with a placeholder for an unknown need, or for an unknown field of one. */
export function needPlaceholders(environment: Readonly<Record<string, string>>, known: NeedNames): readonly Misfit[] {
  return Object.entries(environment).flatMap(([variable, value]) =>
    placeholdersIn(value)
      .filter(({ family }) => family === known.family)
      .map(({ text, name }) => ({ path: ['environment', variable], message: complaintOf(text, name, known) }))
      .flatMap(({ path, message }) => (message === undefined ? [] : [{ path, message }])),
  );
}

function complaintOf(text: string, name: string, { family, all, listed, ports }: NeedNames): string | undefined {
  const [, need = name, what = '', further] = /^(.*?)\.(host|port|ports\.([a-z0-9]+))$/.exec(name) ?? [];
  if (what === '') {
    return `${text} cannot be resolved: write \${${family}.<name>.host} or \${${family}.<name>.port}`;
  }
  if (!all.includes(need)) {
    const hint = all.length === 0 ? `it has no ${family}` : nameHint(need, all);
    return `${text} cannot be resolved: there is no ${need} in its ${family}; ${hint}`;
  }
  if (further !== undefined && !(ports?.[need] ?? []).includes(further)) {
    return `${text} cannot be resolved: there is no ${further} in the \`ports\` of ${need}`;
  }
  const list = family === 'needs' ? 'needs' : 'dependsOn';
  return listed.includes(need) ? undefined : `${text} cannot be resolved yet: add ${need} to its ${list}`;
}

/** Programs in the order of their start, or a cycle of their names that ends with its first one. */
interface StartOrder<One> {
  readonly programs: readonly (readonly [name: string, program: One])[];
  readonly circle: readonly string[];
}

/** Start order, each after those that its `key` names; ties keep the order of the file, and unknown names are ignored. */
export function startOrder<Key extends string, One extends { readonly [Name in Key]: readonly string[] }>(
  found: Readonly<Record<string, One>>,
  key: Key,
): StartOrder<One> {
  const programs = new Map<string, One>();
  // Adds a program after its predecessors; returns the cycle if there is one.
  const visit = (name: string, trail: readonly string[]): readonly string[] => {
    const one = Object.hasOwn(found, name) ? found[name] : undefined;
    if (programs.has(name) || one === undefined) {
      return [];
    }
    if (trail.includes(name)) {
      return [...trail.slice(trail.indexOf(name)), name];
    }
    for (const before of one[key]) {
      const circle = visit(before, [...trail, name]);
      if (circle.length > 0) {
        return circle;
      }
    }
    programs.set(name, one);
    return [];
  };
  for (const name of Object.keys(found)) {
    const circle = visit(name, []);
    if (circle.length > 0) {
      return { programs: [...programs], circle };
    }
  }
  return { programs: [...programs], circle: [] };
}

/** Error for programs that wait for each other in a cycle; empty without one. */
export function circleMisfits({ circle }: StartOrder<unknown>, key: string, verb: string): readonly Misfit[] {
  const message = `cannot be started, because they ${verb} each other: ${circle.join(' -> ')}`;
  return circle.slice(0, 1).map((first) => ({ path: [first, key], message }));
}
