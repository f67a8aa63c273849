import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, EnvironmentError, MeasurementError, messageOf } from '../../../foundation/errors.ts';
import { insideRepository } from '../../../host/files/repository.ts';
import { type Program, programsOf, type Service } from '../../../model/service.ts';
import type { RuntimeOptions } from '../../port.ts';
import { connectEngine, type Engine, engineRefusalOf, isEngineRefusal } from '../engine.ts';
import { buildImage } from './build.ts';
import { type BuildArgs, imageName } from './image.ts';

export interface ImageOptions extends RuntimeOptions {
  readonly buildArgs: BuildArgs;
}

export interface Images {
  /** Builds or fetches the images of all started services, each once. Throws ConfigError if one has none. */
  prepare(services: readonly Service[], signal: AbortSignal): Promise<void>;
  of(program: Program): string;
}

/** Images of the `programsIn` services: by default those of everything that is started for them. */
export function imagesIn(engine: Engine, options: ImageOptions, programsIn = programsOf): Images {
  const images = new Map<string, string>();
  return {
    async prepare(services, signal) {
      for (const program of programsIn(services)) {
        const source = sourceOf(program);
        requireInside(options.root, program);
        if (!images.has(sourceKey(source))) {
          images.set(sourceKey(source), await readyImage(engine, options, source, signal));
        }
      }
    },
    of(program) {
      const image = images.get(sourceKey(sourceOf(program)));
      if (image === undefined) {
        throw new MeasurementError(`the image of ${program.name} was not built before its start`, { code: 'WG-301' });
      }
      return image;
    },
  };
}

function requireInside(root: string, { name, image, files = {} }: Program): void {
  for (const [target, path] of Object.entries(files)) {
    insideRepository(root, path, `${name}: files.${target}`);
  }
  const built =
    image === undefined || 'reference' in image ? {} : { context: image.context, dockerfile: image.dockerfile };
  for (const [key, path] of Object.entries(built)) {
    if (existsSync(join(root, path))) {
      insideRepository(root, path, `${name}: image.${key}`);
    }
  }
}

type Source = NonNullable<Program['image']>;

function sourceOf({ name, image }: Program): Source {
  if (image === undefined) {
    throw new ConfigError(`${name}: has no image to run in a container`, {
      code: 'WG-116',
      next: 'Set `image`, or measure it as a plain process with --runtime process.',
    });
  }
  return image;
}

async function readyImage(engine: Engine, options: ImageOptions, source: Source, signal: AbortSignal): Promise<string> {
  const { root, log } = options;
  const began = performance.now();
  const buildArgs = 'reference' in source ? {} : { ...source.args, ...options.buildArgs };
  const image =
    'reference' in source
      ? await fetchedImage(engine, source.reference, signal)
      : await buildImage(engine, { root, source, buildArgs, log }, signal);
  const name = 'reference' in source ? source.reference : imageName(source);
  log(`image ${name}: ready after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return image;
}

function sourceKey(source: Source): string {
  return JSON.stringify(
    'reference' in source ? [source.reference] : [source.context, source.dockerfile, source.target, source.args],
  );
}

/** Id of a foreign image, from the engine or its registry. Throws EnvironmentError if it cannot be fetched. */
export async function fetchedImage(engine: Engine, reference: string, signal: AbortSignal): Promise<string> {
  const present = await idOf(engine, reference);
  if (present !== undefined) {
    return present;
  }
  await fetchImage(engine, withTag(reference), signal);
  const fetched = await idOf(engine, reference);
  if (fetched === undefined) {
    throw new EnvironmentError(`the image ${reference} was pulled, but the Docker engine does not have it`, {
      code: 'WG-212',
      next: `Try to pull it yourself: docker pull ${reference}`,
    });
  }
  return fetched;
}

async function idOf(engine: Engine, reference: string): Promise<string | undefined> {
  try {
    return (await engine.api.getImage(reference).inspect()).Id;
  } catch (thrown) {
    if (isEngineRefusal(thrown, 404)) {
      return undefined;
    }
    throw thrown;
  }
}

async function fetchImage(engine: Engine, reference: string, signal: AbortSignal): Promise<void> {
  try {
    const progress = await engine.api.pull(reference, { abortSignal: signal });
    await new Promise<void>((resolve, reject) =>
      engine.api.modem.followProgress(progress, (failure) => (failure === null ? resolve() : reject(failure))),
    );
  } catch (thrown) {
    signal.throwIfAborted();
    throw new EnvironmentError(
      `the image ${reference} cannot be pulled: ${engineRefusalOf(thrown) || messageOf(thrown)}`,
      { code: 'WG-212', cause: thrown, next: `Try to pull it yourself: docker pull ${reference}` },
    );
  }
}

/** Reference with a tag: without one the engine would fetch every image with that name. */
function withTag(reference: string): string {
  return /[:@][^/]*$/.test(reference) ? reference : `${reference}:latest`;
}

export interface ListedImage {
  readonly Id: string;
  readonly RepoTags?: readonly string[] | null | undefined;
  readonly Created: number;
}

/** Images kept per name: both versions of a comparison, those of the one before, and two more. */
const KEPT = 6;

/** Names given by `buildImage`: the tag is the start of the ID. */
const OURS = /^(wiregauge\/[a-z0-9-]+):([0-9a-f]{12})$/;

/** Names of images that Wiregauge built, except for the newest 6 with each name and those in use. */
export function oldImageNames(images: readonly ListedImage[], used: ReadonlySet<string>): readonly string[] {
  const kinds = new Map<string, { readonly name: string; readonly image: ListedImage }[]>();
  for (const image of images) {
    for (const name of image.RepoTags ?? []) {
      const [, kind = '', start = ''] = OURS.exec(name) ?? [];
      if (start !== '' && image.Id.replace(/^sha256:/, '').startsWith(start)) {
        kinds.set(kind, [...(kinds.get(kind) ?? []), { name, image }]);
      }
    }
  }
  return [...kinds.values()].flatMap((own) =>
    own
      .toSorted((left, right) => right.image.Created - left.image.Created)
      .slice(KEPT)
      .filter(({ image }) => !used.has(image.Id))
      .map(({ name }) => name),
  );
}

/** Removes old images of services. No measurement may run meanwhile: a built image counts as old until it is started. */
export async function removeOldImages(log: (line: string) => void): Promise<void> {
  const { api } = await connectEngine();
  const containers = await api.listContainers({ all: true });
  const used = new Set(containers.map(({ ImageID: id }) => id));
  for (const name of oldImageNames(await api.listImages(), used)) {
    log(`removing the image ${name}: keeping only the ${KEPT} newest`);
    await api
      .getImage(name)
      .remove()
      .catch((thrown: unknown) => log(`the image ${name} cannot be removed: ${messageOf(thrown)}`));
  }
}
