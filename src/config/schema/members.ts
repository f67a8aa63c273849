import * as z from 'zod';
import { isDistinct } from '../../foundation/names.ts';
import { MAX_MEMBERS } from '../../model/sample/own-figures.ts';
import type { Member } from '../../model/service.ts';
import { type Misfit, refusing } from '../mistakes.ts';
import { circleMisfits, needName, needPlaceholders, otherHint, startOrder } from './needs.ts';
import { argv, memberReady, metrics, port, programKeys, startMisfits, USUAL_NEED_READY } from './program.ts';

/** Linux uses higher ports for outgoing connections, so one could be taken before the program listens. */
const HIGHEST_PORT = 32_767;

const lowPort = port.refine(
  (value) => value <= HIGHEST_PORT,
  `must be at most ${HIGHEST_PORT}: higher ports are used for outgoing connections between members`,
);

const portName = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,19}$/, 'must be up to 20 lower-case letters and digits, starting with a letter');

const member = z.strictObject({
  ...programKeys,
  environment: programKeys.environment.describe(
    'As for a service; `${members.<name>.host}`, `${members.<name>.port}` and `${members.<name>.ports.<port>}` are also filled in.',
  ),
  port: lowPort.optional(),
  ports: z
    .record(portName, lowPort)
    .optional()
    .describe('Additional ports, by name; `grpc: 9090` is `PORT_GRPC` in its environment.'),
  process: z
    .strictObject({
      build: z.array(argv).default([]).describe('Commands that prepare it.'),
      command: argv.describe(
        'The command that starts it, with `HOST`, `PORT` and, except for the entry, `DATA` (an empty folder) in its environment.',
      ),
    })
    .optional()
    .describe('How to start it without a container.'),
  entry: z.boolean().default(false).describe('`true`: this member receives the load. Exactly one does.'),
  ready: memberReady,
  metrics,
  dependsOn: z
    .array(needName)
    .refine(isDistinct, 'must not contain duplicates')
    .default([])
    .describe('Members that must be ready first; default: none, in the order of the file. The entry starts last.'),
});

type Found = Readonly<Record<string, z.output<typeof member>>>;

/** Programs of a service, by name. Transformed into the entry and the other members in start order. */
export const members = z
  .record(needName, member)
  .superRefine(
    refusing((found: Found) =>
      Object.keys(found).length > MAX_MEMBERS
        ? [{ path: [], message: `has more than ${MAX_MEMBERS} members` }]
        : [
            ...entryIssues(found),
            ...circleMisfits(startOrder(found, 'dependsOn'), 'dependsOn', 'depend on'),
            ...Object.entries(found).flatMap(([name, one]) => issuesOf(found, name, one)),
          ],
    ),
  )
  .transform(partsOf)
  .describe('Its programs, if there are several: one receives the load, all are measured.');

function entryIssues(found: Found): readonly Misfit[] {
  const [first, ...others] = entriesOf(found);
  return first === undefined
    ? [{ path: [], message: 'has no entry: set `entry: true` on the member that receives the load' }]
    : others.map((name) => ({ path: [name, 'entry'], message: `must not be true: ${first} is already the entry` }));
}

function entriesOf(found: Found): readonly string[] {
  return Object.keys(found).filter((name) => found[name]?.entry);
}

function issuesOf(found: Found, name: string, one: Found[string]): readonly Misfit[] {
  const all = Object.keys(found);
  // The entry starts after all others.
  const listed = one.entry ? all.filter((other) => other !== name) : one.dependsOn;
  const ports = Object.fromEntries(
    Object.entries(found).map(([other, { ports: own = {} }]) => [other, Object.keys(own)]),
  );
  const own = [
    ...startMisfits(one),
    ...(one.entry && one.ready !== undefined
      ? [{ path: ['ready'], message: 'is not for the entry: set `ready` on the service instead' }]
      : []),
    ...dependencyIssues(found, name, one),
    ...needPlaceholders(one.environment, { family: 'members', all, listed, ports }),
  ];
  return own.map(({ path, message }) => ({ path: [name, ...path], message }));
}

function dependencyIssues(found: Found, name: string, { dependsOn }: Found[string]): readonly Misfit[] {
  return dependsOn.flatMap((other, index) => {
    const path = ['dependsOn', index];
    if (found[other] === undefined) {
      return [{ path, message: `there is no member ${other}; ${otherHint(found, name, other)}` }];
    }
    return found[other].entry && other !== name
      ? [{ path, message: 'is the entry, which starts last, so no member can wait for it' }]
      : [];
  });
}

function partsOf(found: Found) {
  const [entry = ''] = entriesOf(found);
  const { entry: _entry, ready: _ready, ...program } = found[entry] ?? member.parse({});
  const others = startOrder(found, 'dependsOn').programs.filter(([name]) => name !== entry);
  return { entry, program, others: others.map(([name, one]) => memberOf(name, one)) };
}

function memberOf(
  name: string,
  { entry: _entry, dependsOn, ready = USUAL_NEED_READY, ...program }: Found[string],
): Member {
  const { image, port: own = 0, process } = program;
  return { ...program, name, image, port: own, process, ready, needs: dependsOn, fresh: 'slot' };
}

/** Keys that start a program. */
export const OF_A_PROGRAM = [
  ...(['image', 'process', 'port', 'limits', 'command', 'user', 'files', 'tmpfs'] as const),
  'manifests',
] as const;

const OF_A_MEMBER = [...OF_A_PROGRAM, 'address', 'metrics'] as const;

type ServiceWithMembers = { readonly [Key in (typeof OF_A_MEMBER)[number]]?: unknown } & {
  readonly environment: Readonly<Record<string, string>>;
  readonly needs: readonly { readonly name: string }[];
};

/** Mistakes in the combination of a service and its members. */
export function misfitsWithMembers(
  found: ServiceWithMembers,
  { entry, program, others }: ReturnType<typeof partsOf>,
): readonly Misfit[] {
  const keys = OF_A_MEMBER.filter((key) => found[key] !== undefined);
  const settings = Object.keys(found.environment).length > 0 ? ['environment'] : [];
  const needs = found.needs.map(({ name }) => name);
  const all = [{ name: entry, environment: program.environment }, ...others];
  return [
    ...[...keys, ...settings].map((key) => ({
      path: [key],
      message: `is set per member: move it to \`members.${entry}\` or another member`,
    })),
    ...all.flatMap(({ name, environment }) => [
      ...(needs.includes(name) ? [{ path: ['members', name], message: 'is also the name of a need' }] : []),
      ...needPlaceholders(environment, { family: 'needs', all: needs, listed: needs }).map(({ path, message }) => ({
        path: ['members', name, ...path],
        message,
      })),
    ]),
  ];
}
