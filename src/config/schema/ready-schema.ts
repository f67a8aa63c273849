import { z } from 'zod';
import type { ReadyCheck } from '../../model/service.ts';
import { argv } from './program-schema.ts';

const LONGEST_SECONDS = 600;

const healthPath = z
  .string()
  .regex(/^\/\S*$/, 'must be a path, like /health')
  .describe('A path whose GET is answered with success over HTTP, whatever the body is.');

const command = argv.describe(
  'A command, as a list of arguments, that ends with exit code 0, inside of the container or beside the process.',
);

const timeoutSeconds = z.number().positive().max(LONGEST_SECONDS);

/** How long a service may take to get ready. */
const USUAL_READY_SECONDS = 20;

/** Databases make their files first. */
const USUAL_NEED_SECONDS = 60;

const ONE_CHECK = 'says more than one of path, call and command';

/** When a service counts as started. */
export const serviceReady = z
  .strictObject({
    path: healthPath.optional(),
    call: z
      .string()
      .regex(/^[\w.]+\/\w+$/, 'must be a service and a method, like grpc.health.v1.Health/Check')
      .optional()
      .describe(
        'For gRPC: a method that answers an empty message with success; `grpc.health.v1.Health/Check` need not be in the contract, and has to answer `SERVING`.',
      ),
    command: command.optional(),
    timeoutSeconds: timeoutSeconds.default(USUAL_READY_SECONDS).describe('How long that may take.'),
  })
  .refine(hasOneCheck, ONE_CHECK)
  .transform(readinessOf)
  .describe("When it counts as started; default: when it has answered the suite's first operation.");

/** When something that a service needs counts as started. */
export const needReady = z
  .strictObject({
    path: healthPath.optional(),
    command: command.optional(),
    timeoutSeconds: timeoutSeconds.default(USUAL_NEED_SECONDS).describe('How long that may take.'),
  })
  .refine(hasOneCheck, ONE_CHECK)
  .transform(readinessOf)
  .default({ check: { kind: 'usual' }, timeoutSeconds: USUAL_NEED_SECONDS })
  .describe('When it counts as started; default: when its port takes a connection.');

interface Checks {
  readonly path?: string | undefined;
  readonly call?: string | undefined;
  readonly command?: readonly string[] | undefined;
}

function hasOneCheck({ path: asked, call, command: run }: Checks): boolean {
  return [asked, call, run].filter((check) => check !== undefined).length <= 1;
}

function readinessOf({ timeoutSeconds: seconds, ...checks }: Checks & { readonly timeoutSeconds: number }) {
  return { check: checkOf(checks), timeoutSeconds: seconds };
}

function checkOf({ path: asked, call, command: run }: Checks): ReadyCheck {
  if (asked !== undefined) {
    return { kind: 'path', path: asked };
  }
  if (call !== undefined) {
    return { kind: 'call', call };
  }
  return run === undefined ? { kind: 'usual' } : { kind: 'command', command: run };
}
