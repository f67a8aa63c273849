import { randomUUID } from 'node:crypto';
import { ConfigError } from '../../../foundation/errors.ts';
import type { ImageSource } from '../../../model/service.ts';
import { type Engine, isEngineRefusal, whileItAnswers } from '../engine.ts';

export interface ImageRequest {
  readonly root: string;
  readonly source: ImageSource;
  readonly buildArgs: BuildArgs;
  readonly log?: (line: string) => void;
}

export type BuildEnd =
  | {
      readonly built: true;
      readonly image: string;
      /** Temporary name of the image, if its builder needed one. */
      readonly builtAs?: string;
    }
  | {
      readonly built: false;
      readonly lastLines: string;
      /** Longer output, if there is more. */
      readonly log?: string;
    };

/** A longer name would exceed the limit of a tag. */
const LONGEST_NAME = 100;

export function imageName({ target, context, args = {} }: ImageSource): string {
  const words = [target ?? context.split('/').at(-1) ?? '', ...Object.values(args)];
  return (
    words
      .join('-')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, LONGEST_NAME)
      .replace(/^-+|-+$/g, '') || 'service'
  );
}

/** True if the engine stores images in containerd's store, as a new engine does since version 29. */
export async function hasContainerdStore(engine: Engine): Promise<boolean> {
  const { DriverStatus: status } = await whileItAnswers(engine, () => engine.api.info());
  return JSON.stringify(status ?? []).includes('io.containerd.snapshotter');
}

/**
 * Unique name by which an image is found if the ID from the builder may not be the engine's: for images loaded from a builder in a container, and all
 * in containerd's store (docker/buildx#3952).
 */
export function newName(source: ImageSource): string {
  return `wiregauge/${imageName(source)}:built-${randomUUID()}`;
}

export async function builtByName(engine: Engine, builtAs: string): Promise<BuildEnd> {
  try {
    const { Id: image } = await engine.api.getImage(builtAs).inspect();
    return { built: true, image, builtAs };
  } catch (thrown) {
    if (isEngineRefusal(thrown, 404)) {
      return { built: false, lastLines: `the builder did not load ${builtAs} into the engine` };
    }
    throw thrown;
  }
}

export type BuildArgs = Readonly<Record<string, string>>;

/** Build arguments in WIREGAUGE_BUILD_ARGS, "PYTHON_IMAGE=mirror/python:3.13-slim", for machines without a registry. */
export function parseBuildArgs(text: string | undefined): BuildArgs {
  const entries = (text ?? '').split(',').filter((entry) => entry.trim() !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [, name, value] = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.+?)\s*$/.exec(entry) ?? [];
      if (name === undefined || value === undefined) {
        throw new ConfigError(`WIREGAUGE_BUILD_ARGS contains ${JSON.stringify(entry)}, which is not NAME=value`, {
          code: 'WG-105',
          next: 'Write it as NAME=value,NAME=value, or unset the variable.',
        });
      }
      return [name, value];
    }),
  );
}
