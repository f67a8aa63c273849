import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { EnvironmentError } from '../core/errors.ts';
import type { GeneratorName } from '../core/load.ts';
import { buildImage } from './docker-build.ts';
import type { BuildArgs } from './docker-build-args.ts';
import { removeContainer } from './docker-container.ts';
import { connectEngine } from './docker-engine.ts';
import { labelsOf } from './docker-labels.ts';

/** What the image with the load tools is built from. */
export interface ToolsImage {
  /** The folder with the Dockerfile that has the target `load`. */
  readonly root: string;
  readonly buildArgs: BuildArgs;
  readonly owner: string;
  readonly signal: AbortSignal;
}

const TOOLS: readonly GeneratorName[] = ['ghz', 'vegeta'];

/**
 * Builds the image with the load tools and copies them out of it into a folder that exists: a way to them on a machine
 * without Go. Throws EnvironmentError where the engine does not answer or gives no such file, and as buildImage does.
 */
export async function loadToolsFromImage(folder: string, image: ToolsImage): Promise<void> {
  const engine = await connectEngine();
  const source = { context: '.', dockerfile: 'Dockerfile', target: 'load' };
  const { root, buildArgs, owner, signal } = image;
  const id = await buildImage(engine, { root, source, buildArgs }, signal);
  // Never started: a container is the only way to read an image's files through the engine.
  const container = await engine.api.createContainer({ Image: id, Labels: labelsOf(owner) });
  try {
    for (const tool of TOOLS) {
      await unpack(await container.getArchive({ path: `/${tool}` }), folder);
    }
  } finally {
    await removeContainer(container);
  }
}

async function unpack(archive: NodeJS.ReadableStream, folder: string): Promise<void> {
  const tar = spawn('tar', ['--extract', '--no-same-owner', '--directory', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(tar, 'exit');
  await pipeline(archive, tar.stdin);
  const [exitCode] = await ended;
  if (exitCode !== 0) {
    throw new EnvironmentError(
      `the load tools cannot be unpacked into ${folder}: tar ended with exit code ${exitCode}`,
      {
        next: 'Is the disk full, or the folder not yours to write to?',
      },
    );
  }
}
