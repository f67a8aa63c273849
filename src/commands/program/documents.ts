import packageFile from '../../../package.json' with { type: 'json' };
import type { ErrorCode } from '../../foundation/index.ts';

/** The npm package has no documents. */
const DOCUMENTS = `${packageFile.homepage.replace(/#.*/, '')}/blob/main`;

/** The address of a document of this repository, by its path and an anchor: "docs/metrics.md#units". */
export function documentAddress(place: string): string {
  return `${DOCUMENTS}/${place}`;
}

/** The place in the documents that explains the code of an error; without one, all of them. */
export function codePlace(code: ErrorCode | undefined): string {
  return `docs/errors.md${code === undefined ? '' : `#${code.toLowerCase()}`}`;
}
