import type { Service } from '../model/service.ts';
import type { OwnNames } from '../model/suite/former-names.ts';
import type { Suite } from '../model/suite/suite.ts';
import type { SecretUse } from '../secrets/secrets.ts';

/** A suite with its services, as their files describe them. */
export interface SuiteFiles {
  readonly root: string;
  readonly suite: Suite;
  /** The services that the suite's file names, whatever was asked for. */
  readonly ownServices: readonly string[];
  readonly services: ReadonlyMap<string, Service>;
  /** SHA-256 of all texts that were read: equal hashes mean equal configurations. */
  readonly configHash: string;
  /** What it may have been before services and operations got the names that they have: of texts without any other change. */
  readonly formerHashes?: readonly string[];
  /** Of an earlier version under the names of today: what it itself calls them. */
  readonly ownNames?: OwnNames;
  /** What the files want of the environment. */
  readonly secrets: readonly SecretUse[];
  /** Lines about operations of documents and contracts that are not measured. */
  readonly leftOut?: readonly string[];
}
