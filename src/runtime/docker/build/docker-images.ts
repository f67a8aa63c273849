import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RuntimeOptions } from '../../ports.ts';
import { ConfigError, MeasurementError } from '../../../foundation/errors.ts';
import type { Program, Service } from '../../../model/service.ts';
import { buildImage } from './docker-build.ts';
import type { BuildArgs } from './docker-build-args.ts';
import type { Engine } from '../docker-engine.ts';
import { fetchedImage } from './docker-fetch.ts';
import { imageName } from './docker-image.ts';
import { insideRepository } from '../../../host/files/repository-path.ts';

/** How images are made. */
export interface ImageOptions extends RuntimeOptions {
  /** Given to every image's build; see parseBuildArgs. */
  readonly buildArgs: BuildArgs;
}

/** Images of services and of what they need. */
export interface Images {
  /**
   * Builds or fetches those of all services that are started, each once, and looks for their files. Throws ConfigError where one has
   * none, and as buildImage and fetchedImage do.
   */
  prepare(services: readonly Service[], signal: AbortSignal): Promise<void>;
  /** The id of a program's image; throws MeasurementError where it was not prepared. */
  of(program: Program): string;
}

/** Images in an engine. */
export function imagesIn(engine: Engine, options: ImageOptions): Images {
  const images = new Map<string, string>();
  return {
    async prepare(services, signal) {
      for (const program of programsOf(services)) {
        const source = sourceOf(program);
        requireInside(options.root, program);
        if (!images.has(sourceKey(source))) {
          images.set(sourceKey(source), await readyImage(engine, { options, source }, signal));
        }
      }
    },
    of(program) {
      const image = images.get(sourceKey(sourceOf(program)));
      if (image === undefined) {
        throw new MeasurementError(`the image of ${program.name} was not built before its start`);
      }
      return image;
    },
  };
}

/** What is not there is left to the builder, whose message tells more. */
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

function programsOf(services: readonly Service[]): readonly Program[] {
  return services
    .filter(({ address }) => address === undefined)
    .flatMap((service): readonly Program[] => [service, ...(service.needs ?? [])]);
}

type Source = NonNullable<Program['image']>;

function sourceOf({ name, image }: Program): Source {
  if (image === undefined) {
    throw new ConfigError(`${name}: has no image to run in a container`, {
      next: 'Give it one (`image:`), or measure it as a plain process with --runtime process.',
    });
  }
  return image;
}

interface ImageWish {
  readonly options: ImageOptions;
  readonly source: Source;
}

/** The id of the image, built or fetched. */
async function readyImage(engine: Engine, { options, source }: ImageWish, signal: AbortSignal): Promise<string> {
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
