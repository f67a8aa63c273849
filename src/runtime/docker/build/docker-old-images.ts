import { messageOf } from '../../../foundation/errors.ts';
import { connectEngine } from '../docker-engine.ts';

/** An image as the engine lists it; `Created` in Unix seconds. */
export interface ListedImage {
  readonly Id: string;
  readonly RepoTags?: readonly string[] | null | undefined;
  readonly Created: number;
}

/** Of each name: both versions of a comparison, those of the one before, and two more. */
const KEPT = 6;

/** What `buildImage` calls an image: the tag is the start of its id. */
const OURS = /^(wiregauge\/[a-z0-9-]+):([0-9a-f]{12})$/;

/**
 * Names of images that Wiregauge built and that are older than the newest 6 of their kind; those that a container has stay, also where it
 * is stopped, and so does whatever somebody else gave such a name.
 */
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

/**
 * Removes old images of services, with a line for each; an image that has another name keeps that. Throws EnvironmentError where the
 * engine does not answer. Whoever asks makes sure that nothing is being measured: an image that was built is old until it is started.
 */
export async function removeOldImages(log: (line: string) => void): Promise<void> {
  const { api } = await connectEngine();
  const containers = await api.listContainers({ all: true });
  const used = new Set(containers.map(({ ImageID: id }) => id));
  for (const name of oldImageNames(await api.listImages(), used)) {
    log(`removing the image ${name}: there are ${KEPT} newer ones`);
    await api
      .getImage(name)
      .remove()
      .catch((thrown: unknown) => log(`the image ${name} cannot be removed: ${messageOf(thrown)}`));
  }
}
