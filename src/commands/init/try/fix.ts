import { type Document, isMap, isScalar, isSeq, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { TriedService } from '../../../measure/plans/try.ts';
import type { LeftOutService } from '../services/proposal.ts';

/** Facts about the services in addition to their answers. */
export interface FixKnowledge {
  /** Routes with arguments that the file does not have, such as `GET /users/{id}`, by the name of their service. */
  readonly further: ReadonlyMap<string, readonly string[]>;
  /** Requests that seem to return a token, such as `POST /login`, by the name of their service. */
  readonly logins: ReadonlyMap<string, readonly string[]>;
  /** True if the environment has an API_TOKEN to try. */
  readonly hasToken: boolean;
  /** Files that may show how the programs are started. */
  readonly documents: readonly RepositoryFile[];
  /** True for the last trial, after which no argument can be tried. */
  readonly isLast: boolean;
}

export interface Change {
  /** undefined: the text stays unchanged, and only a note is printed. */
  readonly words: string | undefined;
  readonly leftOut?: readonly LeftOutService[];
  /** True if only another trial shows if it helps. */
  readonly isRequestedOtherwise?: boolean;
  /** Operations that stay, since another trial or the user decides about them. */
  readonly operations?: readonly string[];
}

/** Input of a fix, and the document that it changes. */
export interface Fixing {
  readonly document: Document;
  /** Name of the service. */
  readonly name: string;
  readonly service: TriedService;
  readonly known: FixKnowledge;
  /** Operations that the fixes before it keep. */
  readonly waiting: ReadonlySet<string>;
}

/** The operations of a service, or of the file. */
export function listOf(contents: unknown, service: string): YAMLSeq | undefined {
  const root = isMap(contents) ? contents : undefined;
  const own = root?.getIn(['services', service, 'operations']);
  const all = own ?? root?.get('operations');
  return isSeq(all) ? all : undefined;
}

/** The key of the same list, below the comment about it. */
export function keyOf(contents: unknown, service: string): Scalar | undefined {
  const root = isMap(contents) ? contents : undefined;
  const own = root?.getIn(['services', service]);
  const holder = isMap(own) && own.has('operations') ? own : root;
  const key = holder?.items.find((pair) => isScalar(pair.key) && pair.key.value === 'operations')?.key;
  return isScalar(key) ? key : undefined;
}

export function nameOf(item: YAMLMap): string {
  const name = item.get('name', true);
  return isScalar(name) ? String(name.value) : '';
}
