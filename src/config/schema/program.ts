import * as z from 'zod';
import { isDistinct, name, path, scalar, setting, variable } from '../../foundation/names.ts';
import { MAX_OWN_FIGURES, OWN_NAME } from '../../model/sample/own-figures.ts';
import type { Need, ReadyCheck } from '../../model/service.ts';
import type { Misfit } from '../mistakes.ts';
import { profilePage } from './load/address.ts';

/** Command as a list of arguments, which is not run by a shell. */
export const argv = z.array(scalar).min(1);

const builtImage = z.strictObject({
  context: path.default('.').describe('The folder sent to the builder.'),
  dockerfile: path.default('Dockerfile').describe('Its path from the root of the repository.'),
  target: name.optional().describe('The stage to build, if the Dockerfile has several.'),
  args: z.record(variable, scalar).default({}).describe('Build arguments.'),
});

const reference = z
  .string()
  .regex(/^[a-z0-9][\w.:/-]{0,254}(@sha256:[0-9a-f]{64})?$/, 'must be the name of an image, like nginx:1.27');

const image = z
  .union([reference, builtImage], { error: 'must be the name of an image, or a map that describes how to build one' })
  .transform((value) => (typeof value === 'string' ? { reference: value } : { ...value, target: value.target }))
  .describe('An image (`nginx:1.27`), or how to build one.');

/** Absolute path in a container, without `..`, and not the root. */
const containerPath = z
  .string()
  .refine(
    (value) => /^\/[^/]/.test(value) && !value.split('/').includes('..') && !/[,\0]/.test(value),
    'must be an absolute path inside the container',
  );

const limits = z
  .strictObject({
    cpus: z
      .number()
      .positive()
      .max(1, 'must be at most 1: every program runs on one core')
      .optional()
      .describe('The share of its core, in a container; default: 1.'),
    memoryMiB: z.int().min(8).optional().describe('Memory, without swap, in MiB; default: 512.'),
  })
  .describe('Its CPU and memory limits.');

export const port = z
  .int()
  .min(1)
  .max(65_535)
  .describe(
    'The port in its container; required with `image`. A plain process gets a free port in `PORT`. In a container, or with `process.port`, `environment` can replace `PORT`.',
  );

/** Key of `process`. */
export const fixedPort = port
  .optional()
  .describe(
    'A fixed port of the program; default: a free one. With a fixed port, `compare` measures one version after the other.',
  );

export const settings = z.record(setting, scalar);

const manifests = z
  .union(
    [
      path,
      z.strictObject({
        path: path.describe('A YAML file, or a folder with YAML files, a kustomization or a Helm chart.'),
        values: z.array(path).default([]).describe('Files with values for the chart.'),
        container: z
          .string()
          .regex(/^[\w.-]+(\/[\w.-]+)?$/, 'must be a container, or <Deployment>/<container>')
          .optional()
          .describe('The container that gets the image, if that is not clear: `app` or `shop/app`.'),
      }),
    ],
    { error: 'must be a path, or a map with a path' },
  )
  .transform((value) =>
    typeof value === 'string'
      ? { path: value, values: [], container: undefined }
      : { ...value, container: value.container },
  )
  .describe('Kubernetes manifests with its pod template, for `--runtime kubernetes`.');

/** Keys of services, members and needs. */
export const programKeys = {
  image: image.optional(),
  environment: settings
    .default({})
    .describe(
      'Environment variables, recorded in the run (secrets by name only). `${needs.<name>.host}` and `${needs.<name>.port}` are filled in.',
    ),
  limits: limits.optional(),
  command: argv.optional().describe('Arguments that replace those of the image.'),
  user: z
    .string()
    .regex(/^[\w.-]+(:[\w.-]+)?$/, 'must be user or user:group, as names or numbers, in quotes')
    .optional()
    .describe('The user in the container, like `"101:101"`; default: that of the image.'),
  files: z
    .record(containerPath, path)
    .optional()
    .describe('Files and folders of the repository, by their read-only paths in the container.'),
  tmpfs: z
    .array(containerPath)
    .optional()
    .describe('Writable folders other than `/tmp`: empty at the start, counted as its memory.'),
  manifests: manifests.optional(),
};

/** Prometheus metrics that a program exposes. */
export const metrics = z
  .strictObject({
    path: z
      .string()
      .regex(/^\/\S{0,199}$/, 'must be a path, like /metrics')
      .default('/metrics')
      .describe('The page with the metrics, in the Prometheus text format.'),
    names: z
      .array(z.string().regex(OWN_NAME, 'must be the name of a metric, like http_request_duration_seconds'))
      .min(1)
      .max(MAX_OWN_FIGURES)
      .refine(isDistinct, 'must not contain duplicates')
      .describe('Metrics to read: counters, gauges, histograms, summaries.'),
  })
  .optional()
  .describe('Its Prometheus metrics, which `run` reads before and after each load.');

export const profiler = z
  .union([z.enum(['auto', 'off']), z.strictObject({ pprof: profilePage })], {
    error: 'must be auto, off, or { pprof: /debug/pprof/profile } for a Go program',
  })
  .transform((value) => (value === 'auto' ? undefined : value === 'off' ? value : value.pprof))
  .optional()
  .describe('The profiler that finds slower functions: `auto`, `off`, or its own `pprof`; default: `auto`.');

/** Keys that apply only to containers. */
const CONTAINER_KEYS = ['command', 'user', 'files', 'tmpfs', 'manifests'] as const;

/** Mistakes in how a program is started; `missing` is the message if it is not. */
export function startMisfits(
  found: Readonly<Record<string, unknown>>,
  missing = 'needs image or process',
): readonly Misfit[] {
  const { image, process, port: listened } = found;
  if (image !== undefined) {
    return listened === undefined ? [{ path: ['port'], message: 'is missing' }] : [];
  }
  const key = CONTAINER_KEYS.find((one) => found[one] !== undefined);
  return [
    ...(process === undefined ? [{ path: [], message: missing }] : []),
    ...(key === undefined ? [] : [{ path: [key], message: 'is only for containers, but there is no image' }]),
  ];
}

const LONGEST_SECONDS = 600;

const healthPath = z
  .string()
  .regex(/^\/\S*$/, 'must be a path, like /health')
  .describe('A path that must answer a GET over HTTP with success.');

const command = argv.describe('A command that must exit with 0; runs in the container, or next to the process.');

const timeoutSeconds = z.number().positive().max(LONGEST_SECONDS);

/** Databases create their files first. */
const USUAL_NEED_SECONDS = 60;

const ONE_CHECK = 'must have only one of path, call and command';

export const serviceReady = z
  .strictObject({
    path: healthPath.optional(),
    call: z
      .string()
      .regex(/^[\w.]+\/\w+$/, 'must be a service and a method, like grpc.health.v1.Health/Check')
      .optional()
      .describe(
        'For gRPC: a method that takes an empty message, like `grpc.health.v1.Health/Check`, which must answer `SERVING`.',
      ),
    command: command.optional(),
    timeoutSeconds: timeoutSeconds
      .optional()
      .describe('The time limit; default: 180 s for a service that works, 20 s without progress.'),
  })
  .refine(hasOneCheck, ONE_CHECK)
  .transform(readinessOf)
  .describe('When it counts as started; default: when it answers the first operation.');

const READY_BY_PORT = 'When it counts as started; default: when its port accepts a connection.';

/** Default readiness check of needs and members. */
export const USUAL_NEED_READY: Need['ready'] = { check: { kind: 'usual' }, timeoutSeconds: USUAL_NEED_SECONDS };

const givenReady = z
  .strictObject({
    path: healthPath.optional(),
    command: command.optional(),
    timeoutSeconds: timeoutSeconds.default(USUAL_NEED_SECONDS).describe('The time limit.'),
  })
  .refine(hasOneCheck, ONE_CHECK)
  .transform(readinessOf);

export const needReady = givenReady.default(USUAL_NEED_READY).describe(READY_BY_PORT);

/** Readiness check of a member; undefined if the file has none. */
export const memberReady = givenReady.optional().describe(READY_BY_PORT);

interface Checks {
  readonly path?: string | undefined;
  readonly call?: string | undefined;
  readonly command?: readonly string[] | undefined;
}

function hasOneCheck({ path: page, call, command: run }: Checks): boolean {
  return [page, call, run].filter((check) => check !== undefined).length <= 1;
}

function readinessOf<Given extends Checks & { readonly timeoutSeconds?: number | undefined }>({
  timeoutSeconds: seconds,
  path: page,
  call,
  command: run,
}: Given): { readonly check: ReadyCheck; readonly timeoutSeconds: Given['timeoutSeconds'] } {
  const checks: readonly (ReadyCheck | undefined)[] = [
    page === undefined ? undefined : { kind: 'path', path: page },
    call === undefined ? undefined : { kind: 'call', call },
    run === undefined ? undefined : { kind: 'command', command: run },
  ];
  return { check: checks.find((check) => check !== undefined) ?? { kind: 'usual' }, timeoutSeconds: seconds };
}
