import * as z from 'zod';
import { isDistinct, nameHint } from '../../foundation/names.ts';
import { placeholdersIn } from '../../foundation/placeholders.ts';
import type { Need } from '../../model/service.ts';
import { firstMisfit, type Misfit, refusing } from '../mistakes.ts';
import { argv, fixedPort, keyWithoutImage, needReady, port, programKeys, WITHOUT_IMAGE } from './program.ts';

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
  .superRefine((found, context) => {
    const key = keyWithoutImage(found);
    if (found.image === undefined && found.process === undefined) {
      context.addIssue({ code: 'custom', message: 'needs image or process' });
    } else if (found.port === undefined && found.image !== undefined) {
      context.addIssue({ code: 'custom', path: ['port'], message: 'is missing' });
    } else if (key !== undefined) {
      context.addIssue({ code: 'custom', path: [key], message: WITHOUT_IMAGE });
    }
  });

type Entry = z.output<typeof entry>;

/** Needs of a service by name, transformed into a list in start order. */
export const needs = z
  .record(needName, entry)
  .superRefine(
    refusing((found: Readonly<Record<string, Entry>>) => {
      const issue = Object.keys(found)
        .map((name) => issueOf(found, name))
        .find((one) => one !== undefined);
      const order = startOrder(predecessorsOf(found));
      const [first = ''] = order.names;
      const message = `cannot be started, because they need each other: ${order.names.join(' -> ')}`;
      return [issue ?? firstMisfit([[order.kind === 'circle', [first, 'needs'], message]])];
    }),
  )
  .transform((found): readonly Need[] => startOrder(predecessorsOf(found)).names.flatMap((name) => needOf(found, name)))
  .describe('Databases, caches and brokers that it needs.');

function predecessorsOf(found: Readonly<Record<string, Entry>>): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(found).map(([name, { needs: before }]) => [name, before]));
}

function issueOf(found: Readonly<Record<string, Entry>>, name: string): Misfit | undefined {
  const one = found[name];
  if (one === undefined) {
    return undefined;
  }
  const known: NeedNames = { family: 'needs', all: Object.keys(found), listed: one.needs };
  const [issue] = [...orderIssues(found, name), ...needPlaceholders(one.environment, known)];
  return issue === undefined ? undefined : { ...issue, path: [name, ...issue.path] };
}

function orderIssues(found: Readonly<Record<string, Entry>>, name: string): readonly Misfit[] {
  const { needs: before = [], fresh } = found[name] ?? {};
  const others = Object.keys(found).filter((other) => other !== name);
  return before.flatMap((other, index) => {
    const path = ['needs', index];
    const first = found[other];
    if (first === undefined) {
      const hint = others.length === 0 ? 'there are no others' : nameHint(other, others);
      return [{ path, message: `there is no ${other}; ${hint}` }];
    }
    return fresh === 'run' && first.fresh === 'slot'
      ? [{ path, message: `is kept for the whole run, but ${other} is not: set \`fresh: run\` on it, too` }]
      : [];
  });
}

function needOf(found: Readonly<Record<string, Entry>>, name: string): readonly Need[] {
  const one = found[name];
  return one === undefined
    ? []
    : [{ ...one, name, image: one.image, port: one.port ?? 0, process: one.process && { ...one.process, build: [] } }];
}

/** Needs, or members, that placeholders may name. */
interface NeedNames {
  /** Prefix of the placeholders. */
  readonly family: 'needs' | 'members';
  readonly all: readonly string[];
  /** Those that are started before. */
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

/** Order in which each comes after its predecessors, or a cycle that ends with its first name. */
type StartOrder =
  | { readonly kind: 'order'; readonly names: readonly string[] }
  | { readonly kind: 'circle'; readonly names: readonly string[] };

/** Start order; ties keep the order of the file, and unknown names are ignored. */
export function startOrder(predecessors: Readonly<Record<string, readonly string[]>>): StartOrder {
  const names = new Set<string>();
  // Adds a name after its predecessors; returns the cycle if there is one.
  const visit = (name: string, trail: readonly string[]): readonly string[] | undefined => {
    if (names.has(name) || !Object.hasOwn(predecessors, name)) {
      return undefined;
    }
    if (trail.includes(name)) {
      return [...trail.slice(trail.indexOf(name)), name];
    }
    for (const before of predecessors[name] ?? []) {
      const circle = visit(before, [...trail, name]);
      if (circle !== undefined) {
        return circle;
      }
    }
    names.add(name);
    return undefined;
  };
  for (const name of Object.keys(predecessors)) {
    const circle = visit(name, []);
    if (circle !== undefined) {
      return { kind: 'circle', names: circle };
    }
  }
  return { kind: 'order', names: [...names] };
}
