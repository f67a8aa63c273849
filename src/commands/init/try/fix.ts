import { type Document, isMap, isScalar, isSeq, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { TriedService } from '../../../measure/plans/try.ts';
import type { LeftOutService } from '../services/proposal.ts';

/** Facts about the services, in addition to their responses. */
export interface FixKnowledge {
  /** Routes with arguments missing from the file, such as `GET /users/{id}`, by service. */
  readonly further: ReadonlyMap<string, readonly string[]>;
  /** Requests that seem to return a token, such as `POST /login`, by service. */
  readonly logins: ReadonlyMap<string, readonly string[]>;
  /** True if the environment has an API_TOKEN to try. */
  readonly hasToken: boolean;
  /** Files that may show how programs are started. */
  readonly documents: readonly RepositoryFile[];
  /** True for the last trial, after which no argument can be tried. */
  readonly isLast: boolean;
}

export interface Change {
  /** Undefined if only a note is printed and the text stays unchanged. */
  readonly words: string | undefined;
  readonly leftOut?: readonly LeftOutService[];
  /** True if only another trial can show whether it helps. */
  readonly isRequestedOtherwise?: boolean;
  /** Operations that stay, because another trial or the user decides about them. */
  readonly operations?: readonly string[];
}

/** Input of a fix, and the document that it changes. */
export interface Fixing {
  readonly document: Document;
  /** Name of the service. */
  readonly name: string;
  readonly service: TriedService;
  readonly known: FixKnowledge;
  /** Operations that earlier fixes keep. */
  readonly waiting: ReadonlySet<string>;
}

/** Operations of a service, or of the whole file. */
export function listOf(contents: unknown, service: string): YAMLSeq | undefined {
  const root = isMap(contents) ? contents : undefined;
  const own = root?.getIn(['services', service, 'operations']);
  const all = own ?? root?.get('operations');
  return isSeq(all) ? all : undefined;
}

/** Key of that list, below the comment about it. */
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
