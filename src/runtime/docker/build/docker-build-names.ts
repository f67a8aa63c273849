import { randomUUID } from 'node:crypto';
import type { ImageSource } from '../../../model/service.ts';
import { type Engine, isEngineRefusal, whileItAnswers } from '../docker-engine.ts';
import { type BuildEnd, imageName } from './docker-image.ts';

/** Whether the engine keeps images in containerd's store, as a new engine does from version 29 on. */
export async function hasContainerdStore(engine: Engine): Promise<boolean> {
  const { DriverStatus: status } = await whileItAnswers(engine, () => engine.api.info());
  return JSON.stringify(status ?? []).includes('io.containerd.snapshotter');
}

/**
 * A name that no other image has. An image is found by it where the id that the builder tells need not be the engine's: what a builder
 * in a container loads, and whatever is in containerd's store (docker/buildx#3952).
 */
export function newName(source: ImageSource): string {
  return `wiregauge/${imageName(source)}:built-${randomUUID()}`;
}

/** The image that was built by that name; not built where the engine does not have it. */
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
