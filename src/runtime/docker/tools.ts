import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk } from '../../host/files/output.ts';
import { DRIVER, driverVersion } from '../driver/source.ts';
import { withFilesOf } from './container.ts';
import { connectEngine } from './engine.ts';
import { buildImage } from './images/build.ts';
import { archivedFiles } from './images/contents.ts';
import type { ImageOptions } from './images/images.ts';

/** Copies the driver out of its image, the target `load` of the Dockerfile, into a folder that exists: for a machine without Go. */
export async function driverFromImage(
  folder: string,
  image: Pick<ImageOptions, 'root' | 'buildArgs' | 'owner'>,
  signal: AbortSignal,
): Promise<void> {
  const engine = await connectEngine();
  const source = { context: '.', dockerfile: 'Dockerfile', target: 'load' };
  const { root, owner } = image;
  const buildArgs = { ...image.buildArgs, DRIVER_SOURCE: driverVersion(root) };
  const id = await buildImage(engine, { root, source, buildArgs }, signal);
  await withFilesOf(engine, { image: id, owner }, async (container) => {
    for await (const { content = '' } of archivedFiles(container, `/${DRIVER}`)) {
      const file = join(folder, DRIVER);
      await onDisk(file, () => writeFile(file, content, { mode: 0o755 }));
    }
  });
}
