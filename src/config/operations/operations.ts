import { ConfigError } from '../../foundation/index.ts';
import { type Operation, type RestBinding, SUCCESS } from '../../model/index.ts';
import { missingArgument } from '../../protocols/index.ts';
import { contractDrafts } from '../contract/drafts.ts';
import { documentDrafts, documentReader, type ReadDocument } from '../openapi/drafts.ts';
import { contentAt } from '../reader.ts';
import {
  type Draft,
  type Entry,
  type Expansion,
  type FoundOperation,
  type OperationsPlace,
  operationEntryOf,
  type RestDraft,
  writtenDraft,
} from './draft.ts';
import type { Row } from './feed.ts';

/** The operations of a suite; throws ConfigError with file and line where one names a file or an argument that there is not. */
export function operationsOf(found: readonly FoundOperation[], place: OperationsPlace): readonly Operation[] {
  const drafts = draftsOf(found, place);
  const weights = drafts.reduce((sum, { weight }) => sum + weight, 0);
  return drafts.map((draft) => operationOf(draft, weights));
}

function operationOf({ entry, name, verify, weight, rows, rest, grpc }: Draft, weights: number): Operation {
  const binding = rest && bindingOf(rest, entry);
  if (binding !== undefined) {
    refuseMissingArgument(binding, rows, entry.at('rest'));
  }
  return {
    name,
    kind: 'unary',
    share: weight / weights,
    arguments: rows,
    verify,
    bindings: { ...(binding !== undefined && { rest: binding }), ...(grpc !== undefined && { grpc }) },
  };
}

function bindingOf(
  { method, path, headers = {}, body, expect = {}, deadlineMs }: RestDraft,
  entry: Entry,
): RestBinding {
  const { status = SUCCESS, contentType, contains, message } = expect;
  return {
    method,
    path,
    headers,
    body: body?.kind === 'file' ? { ...body, base64: contentOf(body.file, entry) } : body,
    expect: { status, contentType, contains, ...(message !== undefined && { message }) },
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}

function contentOf(file: string, { at, place }: Entry): string {
  return contentAt(file, at('rest', 'body', 'file'), place.reading.readFile).base64;
}

function refuseMissingArgument(binding: RestBinding, rows: readonly Row[], place: string): void {
  for (const [index, row] of rows.entries()) {
    const name = missingArgument(binding, row);
    if (name !== undefined) {
      throw new ConfigError(`${place}: item ${index + 1} of the arguments gives no plain value for {${name}}`, {
        next: `Give every item of \`arguments\` or of \`feed\` a ${name}. What is no placeholder belongs in a file: \`body: { file: … }\`.`,
      });
    }
  }
}

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
