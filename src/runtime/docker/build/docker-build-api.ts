import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { EnvironmentError } from '../../../foundation/errors.ts';
import { contextFiles } from './docker-context.ts';
import { type Engine, engineRefusalOf } from '../docker-engine.ts';
import type { BuildEnd, ImageRequest } from './docker-image.ts';

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
    throw new EnvironmentError(`${source.dockerfile} lies outside of its build context ${source.context}`, {
      next: 'Install the docker command line tool, which can build it.',
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
