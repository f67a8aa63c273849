import { type Document, isMap, isScalar, isSeq, type Scalar, YAMLMap, YAMLSeq } from 'yaml';
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
  /** Operations to keep, which another trial or the user decides about. */
  readonly operations?: readonly string[];
}

/** A tried service, and its parts of the document that fixes change. */
export interface Fixing {
  readonly document: Document;
  readonly name: string;
  readonly service: TriedService;
  readonly known: FixKnowledge;
  readonly entry: YAMLMap;
  /** Its operations, or those of the whole file. */
  readonly list: YAMLSeq;
  /** Operations that earlier fixes keep. */
  readonly waiting: ReadonlySet<string>;
}

export function fixingOf(document: Document, name: string): Pick<Fixing, 'document' | 'name' | 'entry' | 'list'> {
  const entry = document.getIn(['services', name]);
  const list = (isMap(entry) ? entry.get('operations') : undefined) ?? document.get('operations');
  return {
    document,
    name,
    entry: isMap(entry) ? entry : new YAMLMap(),
    list: isSeq(list) ? list : new YAMLSeq(),
  };
}

/** Change whose effect another trial shows. */
export function retried(words: string, operations: readonly string[] = []): readonly Change[] {
  return [{ words, operations, isRequestedOtherwise: true }];
}

/** Key of the operations, below the comment about them. */
export function keyOf({ document, entry }: Pick<Fixing, 'document' | 'entry'>): Scalar | undefined {
  const holder = entry.has('operations') ? entry : document.contents;
  const items = isMap(holder) ? holder.items : [];
  return items.map(({ key }) => key).find((key) => isScalar(key) && key.value === 'operations') as Scalar | undefined;
}

/** Adds a key with a comment above it to the entry of the service. */
export function addCommented({ document, entry }: Fixing, key: string, value: object, comment: string): void {
  const node = document.createNode(key) as Scalar;
  node.commentBefore = comment;
  entry.set(node, document.createNode(value));
}

export function itemsOf({ list }: Pick<Fixing, 'list'>): readonly YAMLMap[] {
  return list.items.filter((item) => isMap(item));
}

export function itemOf(fixing: Pick<Fixing, 'list'>, operation: string): YAMLMap | undefined {
  return itemsOf(fixing).find((item) => nameOf(item) === operation);
}

export function nameOf(item: YAMLMap): string {
  return String(item.get('name') ?? '');
}
