import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import dockerignore from '@balena/dockerignore';
import * as z from 'zod';
import { EnvironmentError, type KnownError, MeasurementError } from '../../../foundation/errors.ts';
import { shellCommand } from '../../../foundation/text.ts';
import { programOnPath } from '../../../host/child.ts';
import { readTextIfThere } from '../../../host/files/reader.ts';
import { cacheVariables, childEnvironment } from '../../../host/workflow.ts';
import { relevantLine, relevantLines } from '../../../model/secrets/printed.ts';
import { type Engine, engineRefusalOf } from '../engine.ts';
import { type BuildEnd, builtByName, hasContainerdStore, type ImageRequest, imageName, newName } from './image.ts';
import { builderEnvironment, buildFlags, buildPlainly, inspectBuilder, runBuild } from './plain.ts';

/** Builds an image and returns its ID. Its tag `wiregauge/<target>:<start of its ID>` protects both versions from pruning. */
export async function buildImage(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<string> {
  // The command line tool builds with BuildKit if installed, which the engine's API cannot do without a session.
  const build = programOnPath('docker') !== undefined ? buildByCli : buildByEngine;
  const end = await build(engine, request, signal);
  if (!end.built) {
    throw buildFailure(request, end);
  }
  const tag = end.image.replace(/^sha256:/, '').slice(0, 12);
  await engine.api.getImage(end.image).tag({ repo: `wiregauge/${imageName(request.source)}`, tag });
  if (end.builtAs !== undefined) {
    // Removes only the name: the image has another one by now.
    await engine.api.getImage(end.builtAs).remove();
  }
  return end.image;
}

const OUTSIDE =
  /no space left on device|pull access denied|failed to resolve source metadata|toomanyrequests|no such host|Temporary failure in name resolution|dial tcp|i\/o timeout|TLS handshake|connection refused|Cannot connect to the Docker daemon/i;

const STEP = /^(?:#\d{1,5} )?\d{1,6}\.\d{1,3} (?=\S)/gm;

export function buildFailure(
  request: ImageRequest,
  { lastLines, log = lastLines }: { readonly lastLines: string; readonly log?: string },
): KnownError {
  const Failure = OUTSIDE.test(lastLines) ? EnvironmentError : MeasurementError;
  const [, exitCode] = /did not complete successfully: exit code: (\d{1,3})/.exec(lastLines) ?? [];
  const end = exitCode === undefined ? '' : `: a step ended with exit code ${exitCode}`;
  const what = `the image ${imageName(request.source)} of ${request.source.dockerfile} cannot be built${end}`;
  const lines = log.replace(STEP, '');
  const printed = relevantLines(lines, process.env, 'first');
  return new Failure(`${what}; the build printed:\n${printed}`, {
    brief: `${what}; it printed: ${relevantLine(lines, process.env, 'first') ?? 'nothing'}`,
    printed,
    // Without a folder: that of a version no longer exists when the message is read.
    next: `To reproduce, run in the root of the repository: ${shellCommand(['docker', 'build', ...buildFlags(request)])}`,
  });
}

const LAST_LINES = 20;

const event = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  aux: z.object({ ID: z.string() }).partial().optional(),
});

/** Builds with the classic builder of the engine's API: for machines that have the engine but not its command line tool. */
export async function buildByEngine(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<BuildEnd> {
  signal.throwIfAborted();
  const { source, buildArgs } = request;
  const context = join(request.root, source.context);
  const dockerfile = relative(context, join(request.root, source.dockerfile));
  if (dockerfile.startsWith('..')) {
    throw new EnvironmentError(`${source.dockerfile} is outside its build context ${source.context}`, {
      code: 'WG-301',
      next: 'Install the docker CLI, which can build it.',
    });
  }
  const archive = packed(context, contextFiles(context, dockerfile));
  try {
    const output = await engine.api.buildImage(archive.stdout, {
      dockerfile,
      buildargs: buildArgs,
      forcerm: true,
      ...(source.target !== undefined && { target: source.target }),
      abortSignal: signal,
    });
    return await readBuild(output);
  } catch (thrown) {
    signal.throwIfAborted();
    return { built: false, lastLines: engineRefusalOf(thrown) };
  } finally {
    archive.kill('SIGKILL');
  }
}

function packed(context: string, files: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  const tar = spawn('tar', ['--create', '--directory', context, '--null', '--files-from', '-'], {
    env: childEnvironment(process.env),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  tar.once('error', (cause) => tar.stdout.destroy(cause));
  tar.stdin.on('error', (cause) => tar.stdout.destroy(cause));
  tar.stdin.end(files.join('\0'));
  return tar;
}

async function readBuild(output: NodeJS.ReadableStream): Promise<BuildEnd> {
  const lines: string[] = [];
  let image: string | undefined;
  for await (const line of createInterface({ input: output })) {
    const said = event.parse(JSON.parse(line));
    const text = (said.error ?? said.stream ?? said.status ?? '').trim();
    lines.push(...text.split('\n').filter(Boolean));
    image = said.aux?.ID ?? image;
    if (said.error !== undefined) {
      image = undefined;
      break;
    }
  }
  return image === undefined
    ? { built: false, lastLines: lines.slice(-LAST_LINES).join('\n') }
    : { built: true, image };
}

/** Files of a build context in order, without those of its `.dockerignore`, but with that file and the Dockerfile. */
export function contextFiles(context: string, dockerfile: string): readonly string[] {
  const rules = readTextIfThere(join(context, '.dockerignore'), 'Fix or remove the file.', { root: context }) ?? '';
  const ignored = dockerignore.default({ ignorecase: false }).add(rules);
  const always = new Set([dockerfile, ...(rules === '' ? [] : ['.dockerignore'])]);
  const prefixes = [...keptPrefixes(rules), dockerfile];
  const mayHoldKept = (folder: string) =>
    prefixes.some((prefix) => prefix.startsWith(folder) || folder.startsWith(prefix));
  const found: string[] = [];
  const folders = [''];
  // Grows during the iteration.
  for (const folder of folders) {
    const entries = readdirSync(join(context, folder), { withFileTypes: true });
    const paths = (areFolders: boolean) =>
      entries.filter((entry) => entry.isDirectory() === areFolders).map((entry) => `${folder}${entry.name}`);
    found.push(...paths(false).filter((path) => always.has(path) || !ignored.ignores(path)));
    const entered = paths(true).filter((path) => !ignored.ignores(path) || mayHoldKept(`${path}/`));
    folders.push(...entered.map((path) => `${path}/`));
  }
  return found.sort();
}

// Text before the first wildcard of each rule that includes files again: only such excluded folders are read.
function keptPrefixes(rules: string): readonly string[] {
  return [...rules.matchAll(/^[\t ]*![\t ]*(?:\.?\/)*([^*?[\s]*)/gm)].map(([, prefix = '']) => prefix);
}

/** Builds with the command line tool, with the cache of GitHub Actions if possible: its failure costs time, never the build. */
export async function buildByCli(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<BuildEnd> {
  const builder = await cachingBuilder(engine, signal);
  if (builder === undefined) {
    return await buildPlainly(engine, request, signal);
  }
  const { log = () => undefined, source } = request;
  const end = await buildWithCache(engine, request, { builder, signal });
  if (end.built) {
    log(`image ${imageName(source)}: built by ${builder.name} with layers from the GitHub Actions cache`);
    return end;
  }
  if (OF_THE_BUILD.test(end.lastLines)) {
    return end;
  }
  log(`image ${imageName(source)}: rebuilt without the GitHub Actions cache: ${end.lastLines.split('\n').at(-1)}`);
  return await buildPlainly(engine, request, signal);
}

/** Failures of a step itself, or a build that is too slow, do not come from the cache. Any other failure may come from the cache or its builder. */
const OF_THE_BUILD = /did not complete successfully: exit code|The build was stopped after/;

/** Builder that can store layers in the cache of GitHub Actions, and the access to it. */
interface CachingBuilder {
  readonly name: string;
  readonly cache: Readonly<Record<string, string | undefined>>;
}

/** Builder that can store layers between jobs: one in a container, or the engine's own with containerd's image store. */
async function cachingBuilder(engine: Engine, signal: AbortSignal): Promise<CachingBuilder | undefined> {
  const cache = cacheVariables(process.env);
  if (cache === undefined) {
    return undefined;
  }
  // The user may select the builder by variable, but not the engine.
  const environment = { ...builderEnvironment(engine), BUILDX_BUILDER: process.env['BUILDX_BUILDER'] };
  const current = await inspectBuilder(environment, signal);
  if (current?.driver === 'docker-container') {
    return { name: current.name, cache };
  }
  return current !== undefined && (await hasContainerdStore(engine)) ? { name: 'default', cache } : undefined;
}

/** Builds with layers from and to the cache, and loads the image into the engine. */
async function buildWithCache(
  engine: Engine,
  request: ImageRequest,
  { builder, signal }: { readonly builder: CachingBuilder; readonly signal: AbortSignal },
): Promise<BuildEnd> {
  // Shared by both versions of a comparison, and by the jobs of a branch and of the pull requests to it.
  const scope = `scope=wiregauge-${imageName(request.source)}`;
  const builtAs = newName(request.source);
  const flags = [
    ...['--tag', builtAs, '--load'],
    ...['--cache-from', `type=gha,${scope}`],
    ...['--cache-to', `type=gha,mode=max,${scope},ignore-error=true`],
  ];
  const environment = { ...builderEnvironment(engine), BUILDX_BUILDER: builder.name };
  const argv = ['docker', 'buildx', 'build', ...flags, ...buildFlags(request)];
  const command = { argv, cwd: request.root, environment, credentials: builder.cache };
  return await runBuild(command, () => builtByName(engine, builtAs), signal);
}
