import { join } from 'node:path';
import type { SourceText } from '../config/yaml/frame.ts';
import { MAX_NAMED_BYTES, readText } from '../host/files/reader.ts';
import type { SecretUse } from '../model/secrets/secrets.ts';
import type { Service } from '../model/service.ts';
import type { OwnNames } from '../model/suite/former-names.ts';
import type { Suite } from '../model/suite/suite.ts';

/** Suite with its services, read from their files. */
export interface SuiteFiles {
  readonly root: string;
  readonly suite: Suite;
  /** Services in the file of the suite, whether selected or not. */
  readonly ownServices: readonly string[];
  readonly services: ReadonlyMap<string, Service>;
  /** SHA-256 of all texts that were read. */
  readonly configHash: string;
  /** Possible hashes before services and operations were renamed, without any other change. */
  readonly formerHashes?: readonly string[];
  /** Original names in an earlier version that is read under present names. */
  readonly ownNames?: OwnNames;
  /** Environment variables in the files. */
  readonly secrets: readonly SecretUse[];
  /** Messages about operations of documents and contracts that are not measured. */
  readonly leftOut?: readonly string[];
}

/** Configuration file of a repository. Throws ConfigError, with the advice, if it cannot be read. */
export function sourceIn(root: string, file: string, advice: string): SourceText {
  return { file, text: readText(join(root, file), advice, { root, most: MAX_NAMED_BYTES }) };
}
