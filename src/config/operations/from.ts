import { ConfigError } from '../../foundation/errors.ts';
import { contractDrafts } from '../contract/from-contract.ts';
import { documentDrafts, documentReader, type ReadDocument } from '../openapi/from-document.ts';
import {
  type Draft,
  type Entry,
  type Expansion,
  type FoundOperation,
  type OperationsPlace,
  operationEntryOf,
  writtenDraft,
} from './operation-draft.ts';

/**
 * The operations of a file, with those in it that come out of OpenAPI documents and contracts. What stands in the list by itself is not
 * taken a second time with all others. Throws ConfigError with file and line.
 */
export function draftsOf(found: readonly FoundOperation[], place: OperationsPlace): readonly Draft[] {
  const entries = found.map((one, index) => operationEntryOf(one, index, place));
  const readDocument = documentReader(place.reading.readFile);
  const expanded = entries.map((entry) => ({ isWhole: isWhole(entry), ...expansionOf(entry, readDocument) }));
  const single = expanded.flatMap(({ isWhole: isSeveral, drafts }) => (isSeveral ? [] : drafts));
  const all = expanded.flatMap(({ isWhole: isSeveral, drafts }) =>
    isSeveral ? drafts.filter((draft) => !single.some((one) => isSame(one, draft))) : drafts,
  );
  refuseTwice(all);
  for (const { origin, line } of expanded.flatMap(({ leftOut }) => leftOut)) {
    if (!single.some((one) => isFrom(one, origin))) {
      place.reading.remark(line.replace(/\p{Cc}+/gu, ' '));
    }
  }
  return all;
}

/** Whether an entry stands for all operations of what it names. */
function isWhole({ found: { from, operationId } }: Entry): boolean {
  return from?.kind === 'document' ? operationId === undefined : from !== undefined && from.method === undefined;
}

function isSame(single: Draft, { name, origin }: Draft): boolean {
  return single.name === name || (origin !== undefined && isFrom(single, origin));
}

/** What asks for something besides counts, too. */
function isFrom({ origin, grpc }: Draft, other: string): boolean {
  return origin === other || grpc?.call === other;
}

function expansionOf(entry: Entry, readDocument: ReadDocument): Expansion {
  const { from } = entry.found;
  if (from === undefined) {
    return { drafts: [writtenDraft(entry)], leftOut: [] };
  }
  return from.kind === 'document' ? documentDrafts(entry, from, readDocument) : contractDrafts(entry, from);
}

function refuseTwice(drafts: readonly Draft[]): void {
  const second = drafts.find(({ name }, index) => drafts.findIndex((one) => one.name === name) < index);
  if (second !== undefined) {
    const { at, found } = second.entry;
    throw new ConfigError(`${at(found.name === undefined ? 'from' : 'name')}: is a second operation ${second.name}`, {
      next: 'Give one of them another `name`; of several that come out of one thing, choose them one by one.',
    });
  }
}
