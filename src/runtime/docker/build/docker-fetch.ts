import { EnvironmentError, messageOf } from '../../../foundation/errors.ts';
import { type Engine, isEngineRefusal, engineRefusalOf } from '../docker-engine.ts';

/**
 * The id of an image that somebody else built: the engine's own where it has it, else fetched from its registry. Throws
 * EnvironmentError where it cannot be fetched; an abort rejects with the signal's reason.
 */
export async function fetchedImage(engine: Engine, reference: string, signal: AbortSignal): Promise<string> {
  const present = await idOf(engine, reference);
  if (present !== undefined) {
    return present;
  }
  await fetchImage(engine, withTag(reference), signal);
  const fetched = await idOf(engine, reference);
  if (fetched === undefined) {
    throw new EnvironmentError(`the image ${reference} was fetched, but the Docker engine does not have it`, {
      next: `Look at it by hand: docker pull ${reference}`,
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
    throw new EnvironmentError(`the image ${reference} cannot be fetched: ${engineRefusalOf(thrown) || messageOf(thrown)}`, {
      cause: thrown,
      next: `Try it by hand: docker pull ${reference}`,
    });
  }
}

/** Without a tag the engine would fetch every image of that name. */
function withTag(reference: string): string {
  return /[:@][^/]*$/.test(reference) ? reference : `${reference}:latest`;
}
