import { ConfigError, EnvironmentError, KnownError, MeasurementError } from '../../../foundation/errors.ts';
import type { Secrets } from '../../../model/secrets/secrets.ts';

export interface VersionFolder {
  readonly root: string;
  readonly ref: string;
  readonly commit: string;
  readonly dirty: boolean;
  readonly subject: string;
}

/** Reads a part of a version; errors name its ref. */
export function naming<Result>(folder: VersionFolder, read: () => Result): Result {
  const { ref } = folder;
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof ConfigError
      ? inWords(thrown, (text) => inRepository(text, [folder]), { before: `in ${ref}: ` })
      : thrown;
  }
}

/** Text without the folders of versions, which no longer exist when it is read. */
export function inRepository(text: string, folders: readonly Pick<VersionFolder, 'root' | 'ref'>[]): string {
  return folders.reduce((left, { root, ref }) => {
    const title = ref === WORKING_TREE ? 'your working tree' : `a checkout of ${ref}`;
    return left.replaceAll(`${root}/`, '').replaceAll(root, title);
  }, text);
}

const WORKING_TREE = 'working tree';

/** Thrown error without the folders of versions, as `inRepository` removes them. */
export function thrownInRepository(thrown: unknown, folders: Parameters<typeof inRepository>[1]): unknown {
  if (!(thrown instanceof KnownError)) {
    return thrown;
  }
  const words = (text: string): string => inRepository(text, folders);
  const texts = [thrown.message, thrown.printed ?? '', thrown.next ?? ''];
  const isSame = texts.every((text) => words(text) === text);
  return isSame ? thrown : inWords(thrown, words);
}

/** Works with versions, and throws errors as `thrownInRepository` returns them. */
export async function namingNoFolder<Result>(
  folders: Parameters<typeof inRepository>[1],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw thrownInRepository(thrown, folders);
  }
}

/** Secrets that also mask the folders of versions, for foreign texts that a run keeps. */
export function maskingFolders(secrets: Secrets, folders: Parameters<typeof inRepository>[1]): Secrets {
  return { ...secrets, mask: (text) => inRepository(secrets.mask(text), folders) };
}

export function inWords(
  error: KnownError,
  words: (text: string) => string,
  { before = '', advice = '' }: { readonly before?: string; readonly advice?: string } = {},
): KnownError {
  const { printed, next, framed } = error;
  const message = `${before}${words(error.message)}`;
  const options = {
    cause: error,
    brief: `${before}${words(error.brief)}`,
    ...(printed !== undefined && { printed: words(printed) }),
    ...(next !== undefined && { next: `${advice}${words(next)}` }),
    ...(framed !== undefined && { framed: `${before}${words(framed)}` }),
  };
  if (error instanceof ConfigError) {
    return new ConfigError(message, options);
  }
  return error instanceof MeasurementError
    ? new MeasurementError(message, options)
    : new EnvironmentError(message, options);
}
