import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { runChild } from '../../host/child.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { readBytes } from '../../host/files/reader.ts';
import { programsOf } from '../../model/service.ts';
import type { Engine } from '../docker/engine.ts';
import { buildImage } from '../docker/images/build.ts';
import type { ImageOptions, Images } from '../docker/images/images.ts';
import { DRIVER } from '../driver/source.ts';
import type { ClusterSettings } from './settings.ts';

const PUSH_SECONDS = 900;

const TAG_LENGTH = 12;

/** Pushes an image from the local engine to where the nodes find it, once, and returns its name there. */
export type Push = (image: string, signal: AbortSignal) => Promise<string>;

/** Throws EnvironmentError for an image that cannot be pushed. */
export function pusher(
  engine: Engine,
  { registry: repo, push }: Pick<ClusterSettings, 'registry' | 'push'>,
  log: (line: string) => void,
): Push {
  const pushed = new Set<string>();
  return async (image, signal) => {
    const tag = image.replace(/^sha256:/, '').slice(0, TAG_LENGTH);
    const name = `${repo}:${tag}`;
    if (pushed.has(image)) {
      return name;
    }
    await engine.api.getImage(image).tag({ repo, tag });
    const argv = [...push, name];
    const limits = { limitSeconds: PUSH_SECONDS, signal };
    const end = await runChild({ argv, cwd: process.cwd(), environment: process.env }, limits);
    if (end.exitCode !== 0) {
      throw new EnvironmentError(
        `the image ${name} cannot be pushed: ${end.lastLines || `exit code ${end.exitCode}`}`,
        {
          code: 'WG-212',
          next: `Log in to the registry, and try it yourself: ${argv.join(' ')}`,
        },
      );
    }
    pushed.add(image);
    // Only the name is removed: the image has others.
    await engine.api
      .getImage(name)
      .remove()
      .catch((thrown: unknown) => log(`the name ${name} stays in the Docker engine: ${messageOf(thrown)}`));
    log(`image ${name}: pushed`);
    return name;
  };
}

/** Images of services by the names that nodes pull, including those of other projects: nodes may lack such an image, or have another by its name. */
export function pushedImages(images: Images, push: Push): Images {
  const names = new Map<string, string>();
  return {
    async prepare(services, signal) {
      await images.prepare(services, signal);
      for (const program of programsOf(services)) {
        const own = images.of(program);
        names.set(own, await push(own, signal));
      }
    },
    of: (program) => names.get(images.of(program)) ?? '',
  };
}

/** ID of an image with this program's driver. */
export async function driverImage(
  engine: Engine,
  { tools, owner }: Pick<ImageOptions, 'tools' | 'owner'>,
  signal: AbortSignal,
): Promise<string> {
  const folder = await ownedFolder(owner);
  await writeFile(join(folder, DRIVER), readBytes(join(tools.folder, DRIVER)), { mode: 0o755 });
  await writeFile(join(folder, 'Dockerfile'), `FROM scratch\nCOPY ${DRIVER} /\n`);
  const source = { context: '.', dockerfile: 'Dockerfile', target: undefined };
  return await buildImage(engine, { root: folder, source, buildArgs: {} }, signal);
}
