import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import { EnvironmentError, type KnownError, MeasurementError } from '../../../foundation/errors.ts';
import { shellCommand } from '../../../foundation/text.ts';
import { readTextIfThere } from '../../../host/files/reader.ts';
import { childEnvironment } from '../../../host/workflow.ts';
import { relevantLine, relevantLines } from '../../../model/secrets/printed.ts';
import { type Engine, engineRefusalOf } from '../engine.ts';
import { buildByCli, cliArguments } from './cli.ts';
import { type BuildEnd, type ImageRequest, imageName } from './image.ts';

/**
 * Builds an image, or finds all of it in the engine's cache, and gives its id. It is tagged `wiregauge/<target>:<start of its id>`,
 * so that builds of two versions live side by side and neither is pruned. Throws MeasurementError if the build fails,
 * EnvironmentError if it cannot fetch what it needs or the disk is full; an abort ends it and rejects with the signal's reason.
 */
export async function buildImage(engine: Engine, request: ImageRequest, signal: AbortSignal): Promise<string> {
  // The command line tool builds with BuildKit if that is installed; the engine's API without a session cannot.
  const build = isOnPath('docker') ? buildByCli : buildByEngine;
  const end = await build(engine, request, signal);
  if (!end.built) {
    throw buildFailure(request, end);
  }
  await engine.api.getImage(end.image).tag({ repo: `wiregauge/${imageName(request.source)}`, tag: tagOf(end.image) });
  if (end.builtAs !== undefined) {
    // Only the name goes: the image has another by now.
    await engine.api.getImage(end.builtAs).remove();
  }
  return end.image;
}

function tagOf(image: string): string {
  return image.replace(/^sha256:/, '').slice(0, 12);
}

const OUTSIDE =
  /no space left on device|pull access denied|failed to resolve source metadata|toomanyrequests|no such host|Temporary failure in name resolution|dial tcp|i\/o timeout|TLS handshake|connection refused|Cannot connect to the Docker daemon/i;

const STEP = /^(?:#\d{1,5} )?\d{1,6}\.\d{1,3} (?=\S)/gm;

/** An error that says how a build failed, with the lines of it that tell the cause. */
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
    // No folder is named: that of a version is gone by the time when somebody reads this.
    next: `To reproduce, run in the root of the repository: ${shellCommand(['docker', ...cliArguments(request)])}`,
  });
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
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
    if (said.error !== undefined) {
      return { built: false, lastLines: lines.slice(-LAST_LINES).join('\n') };
    }
    image = said.aux?.ID ?? image;
  }
  return image === undefined
    ? { built: false, lastLines: lines.slice(-LAST_LINES).join('\n') }
    : { built: true, image };
}

/** True if a path, relative to the context, is left out of it. */
export type Ignored = (path: string) => boolean;

interface Rule {
  readonly pattern: RegExp;
  readonly keeps: boolean;
}

/**
 * Files of a build context, relative to it, in order: all but what its `.dockerignore` leaves out. The Dockerfile and
 * `.dockerignore` itself are always there, since the engine reads them from the context.
 */
export function contextFiles(context: string, dockerfile: string): readonly string[] {
  const rules = readRules(context);
  const ignored = parseIgnored(rules);
  const always = new Set([dockerfile, ...(rules === '' ? [] : ['.dockerignore'])]);
  const prefixes = [...keptPrefixes(rules), dockerfile];
  const mayHoldKept = (folder: string) =>
    prefixes.some((prefix) => prefix.startsWith(folder) || folder.startsWith(prefix));
  const found: string[] = [];
  const folders = [''];
  // Grows while it is walked.
  for (const folder of folders) {
    const entries = readdirSync(join(context, folder), { withFileTypes: true });
    const paths = (areFolders: boolean) =>
      entries.filter((entry) => entry.isDirectory() === areFolders).map((entry) => `${folder}${entry.name}`);
    found.push(...paths(false).filter((path) => always.has(path) || !ignored(path)));
    const entered = paths(true).filter((path) => !ignored(path) || mayHoldKept(`${path}/`));
    folders.push(...entered.map((path) => `${path}/`));
  }
  return found.sort();
}

// Text before the first wildcard of each rule that includes files again: only such excluded folders are read.
function keptPrefixes(rules: string): readonly string[] {
  return [...rules.matchAll(/^[\t ]*![\t ]*(?:\.?\/)*([^*?[\s]*)/gm)].map(([, prefix = '']) => prefix);
}

/** The rules of a `.dockerignore`: the last one that matches a path, or a folder above it, decides. */
export function parseIgnored(text: string): Ignored {
  const rules = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseRule);
  return (path) => {
    const parts = path.split('/');
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    return rules.findLast(({ pattern }) => paths.some((candidate) => pattern.test(candidate)))?.keeps === false;
  };
}

function parseRule(line: string): Rule {
  const keeps = line.startsWith('!');
  const glob = line
    .slice(keeps ? 1 : 0)
    .trim()
    .replace(/^(\.?\/)+|\/+$/g, '');
  const source = glob.replace(/\*\*\/|\*\*|[*?]|[.+^${}()|\\]/g, (token) => WILDCARDS[token] ?? `\\${token}`);
  return { keeps, pattern: new RegExp(`^${source}$`) };
}

const WILDCARDS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};

function readRules(context: string): string {
  return readTextIfThere(join(context, '.dockerignore'), 'Fix or remove the file.', { root: context }) ?? '';
}
