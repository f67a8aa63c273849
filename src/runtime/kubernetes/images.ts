import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { runChild } from '../../host/child.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { readBytes } from '../../host/files/reader.ts';
import { type Program, programsOf, type Service } from '../../model/service.ts';
import type { Engine } from '../docker/engine.ts';
import { buildImage } from '../docker/images/build.ts';
import type { ImageOptions, Images } from '../docker/images/images.ts';
import { DRIVER } from '../driver/source.ts';
import type { ClusterSettings } from './settings.ts';

const PUSH_SECONDS = 900;

const TAG_LENGTH = 12;

/** Takes images from the local engine to where the nodes find them, each once. */
export class Pushing {
  readonly #engine: Engine;
  readonly #settings: Pick<ClusterSettings, 'registry' | 'push'>;
  readonly #pushed = new Set<string>();

  constructor(engine: Engine, settings: Pick<ClusterSettings, 'registry' | 'push'>) {
    this.#engine = engine;
    this.#settings = settings;
  }

  /** The name by which nodes pull an image of the engine. Throws EnvironmentError if it cannot be pushed. */
  async push(image: string, { log, signal }: Logging): Promise<string> {
    const { registry: repo, push } = this.#settings;
    const tag = image.replace(/^sha256:/, '').slice(0, TAG_LENGTH);
    const name = `${repo}:${tag}`;
    if (this.#pushed.has(image)) {
      return name;
    }
    await this.#engine.api.getImage(image).tag({ repo, tag });
    const argv = [...push, name];
    const limits = { limitSeconds: PUSH_SECONDS, ...(signal !== undefined && { signal }) };
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
    this.#pushed.add(image);
    // Only the name goes: the image has others.
    await this.#engine.api
      .getImage(name)
      .remove()
      .catch((thrown: unknown) => log(`the name ${name} stays in the Docker engine: ${messageOf(thrown)}`));
    log(`image ${name}: pushed`);
    return name;
  }
}

interface Logging {
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Images of services by the names that nodes pull, also those of other projects: nodes may lack such an image, or have another by its name. */
export function pushedImages(images: Images, pushing: Pushing, log: (line: string) => void) {
  const names = new Map<string, string>();
  return {
    async prepare(services: readonly Service[], signal: AbortSignal): Promise<void> {
      await images.prepare(services, signal);
      for (const program of programsOf(services)) {
        const own = images.of(program);
        names.set(own, await pushing.push(own, { log, signal }));
      }
    },
    of: (program: Program): string => names.get(images.of(program)) ?? '',
  };
}

/** The image of the driver that this program has, as nodes pull it. */
export async function driverImage({ engine, pushing, options }: DriverImage, signal: AbortSignal): Promise<string> {
  const { tools, owner, log } = options;
  const folder = await ownedFolder(owner);
  await writeFile(join(folder, DRIVER), readBytes(join(tools.folder, DRIVER)), { mode: 0o755 });
  await writeFile(join(folder, 'Dockerfile'), `FROM scratch\nCOPY ${DRIVER} /\n`);
  const source = { context: '.', dockerfile: 'Dockerfile', target: undefined };
  const image = await buildImage(engine, { root: folder, source, buildArgs: {} }, signal);
  return await pushing.push(image, { log, signal });
}

interface DriverImage {
  readonly engine: Engine;
  readonly pushing: Pushing;
  readonly options: ImageOptions;
}
