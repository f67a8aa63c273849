import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { EnvironmentError } from '../../foundation/errors.ts';
import { runChild } from '../../host/child.ts';
import { onDisk } from '../../host/files/output.ts';
import { DRIVER, driverVersion } from '../driver/source.ts';
import { containerLabels, removeContainer } from './container.ts';
import { connectEngine } from './engine.ts';
import { buildImage } from './images/build.ts';
import type { BuildArgs } from './images/image.ts';

export interface ToolsImage {
  /** The folder with the Dockerfile that has the target `load`. */
  readonly root: string;
  readonly buildArgs: BuildArgs;
  readonly owner: string;
  readonly signal: AbortSignal;
}

const UNPACK_SECONDS = 60;

/** Copies the driver out of its image into a folder that exists: for a machine without Go. */
export async function driverFromImage(folder: string, image: ToolsImage): Promise<void> {
  const engine = await connectEngine();
  const source = { context: '.', dockerfile: 'Dockerfile', target: 'load' };
  const { root, owner, signal } = image;
  const buildArgs = { ...image.buildArgs, DRIVER_SOURCE: driverVersion(root) };
  const id = await buildImage(engine, { root, source, buildArgs }, signal);
  // Never started: a container is the only way to read an image's files through the engine.
  const container = await engine.api.createContainer({ Image: id, Labels: containerLabels(owner) });
  try {
    await unpack(await container.getArchive({ path: `/${DRIVER}` }), folder);
  } finally {
    await removeContainer(container);
  }
}

// By way of a file: tar closes its standard input at the archive's end mark, before the engine has sent the padding behind it.
async function unpack(archive: NodeJS.ReadableStream, folder: string): Promise<void> {
  const file = join(folder, '.archive.tar');
  await onDisk(file, () => pipeline(archive, createWriteStream(file)));
  try {
    const argv = ['tar', '--extract', '--no-same-owner', '--file', file, '--directory', folder];
    const end = await runChild({ argv, cwd: folder, environment: process.env }, { limitSeconds: UNPACK_SECONDS });
    if (end.exitCode !== 0) {
      throw new EnvironmentError(`the load driver cannot be unpacked into ${dirname(folder)}: ${end.lastLines}`, {
        code: 'WG-203',
        next: 'Check that the disk is not full and that you can write to the folder.',
      });
    }
  } finally {
    await rm(file, { force: true });
  }
}
