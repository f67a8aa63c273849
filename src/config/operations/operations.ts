import { ConfigError } from '../../foundation/errors.ts';
import { nameAdvice } from '../../foundation/names.ts';
import { cleanText } from '../../foundation/text.ts';
import { PROTOCOL_NAMES, type ProtocolName } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import type { Protocol } from '../../protocols/protocol.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import { contractDrafts } from '../contract/drafts.ts';
import { Mistakes } from '../mistakes.ts';
import { type RestDraft, refuseMissingCredentials } from '../openapi/credentials.ts';
import {
  type DocumentOperation,
  documentOperationName,
  documentOperations,
  type OpenApiDocument,
  openApiDocument,
  requestLine,
  shown,
} from '../openapi/document.ts';
import { type DocumentRequest, documentRequest } from '../openapi/request.ts';
import { contentAt, type ReadFile, textAt } from '../reader.ts';
import type { Path } from '../yaml/frame.ts';
import {
  type DocumentOrigin,
  type Draft,
  type Entry,
  type Expansion,
  type FoundOperation,
  givenRows,
  type LeftOut,
  type OperationsPlace,
  operationEntryOf,
  withOwnNames,
  writtenDraft,
} from './draft.ts';
import type { Row } from './feed.ts';

/** Operations of a suite. Throws ConfigError, with file and line, if a file or an argument is missing. */
export function operationsOf(found: readonly FoundOperation[], place: OperationsPlace): readonly Operation[] {
  const mistakes = new Mistakes();
  const all = draftsOf(found, place, mistakes);
  const drafts = all.filter(({ weight }) => weight > 0);
  mistakes.attempt(() => refuseUnsent(all, drafts));
  const weights = drafts.reduce((sum, { weight }) => sum + weight, 0);
  return mistakes.without(mistakes.each(drafts, (draft) => operationOf(draft, weights)));
}

function operationOf({ entry, name, verify, weight, rows, sources }: Draft, weights: number): Operation {
  const bindings = PROTOCOL_NAMES.flatMap((protocol) => {
    const source = sources[protocol];
    return source === undefined ? [] : [[protocol, bindingOf(protocol, source, { entry, rows })] as const];
  });
  const { ignore, stream } = entry.found;
  return {
    name,
    share: weight / weights,
    arguments: rows,
    verify,
    ...(ignore !== undefined && { ignore }),
    ...(stream !== undefined && { stream }),
    bindings: Object.fromEntries(bindings),
  };
}

function bindingOf(name: ProtocolName, source: unknown, { entry, rows }: Pick<Draft, 'entry' | 'rows'>): unknown {
  const protocol: Protocol = PROTOCOLS[name];
  const at = (...steps: Path): string => entry.at(name, ...steps);
  return protocol.bindingOf(source, {
    at,
    contentOf: (file, ...steps) => contentAt(file, at(...steps), entry.place.reading.readFile).base64,
    rows,
  });
}

/**
 * Operations of a file, including those from OpenAPI documents and contracts. Those listed individually are not added
 * again by an entry for all.
 */
function draftsOf(found: readonly FoundOperation[], place: OperationsPlace, mistakes: Mistakes): readonly Draft[] {
  const entries = found.map((one, index) => operationEntryOf(one, index, place));
  const readDocument = documentReader(place.reading.readFile);
  const expanded = mistakes.each(entries, (entry) => {
    const { from, operationId } = entry.found;
    const isOne =
      from?.kind === 'document' ? operationId !== undefined : from === undefined || from.method !== undefined;
    return { isOne, ...expansionOf(entry, readDocument) };
  });
  const single = expanded.flatMap(({ isOne, drafts }) => (isOne ? drafts : []));
  const all = expanded.flatMap(({ isOne, drafts }) =>
    !isOne
      ? drafts.filter(
          ({ name, origin }) =>
            !single.some((one) => one.name === name || (origin !== undefined && isFrom(one, origin))),
        )
      : drafts,
  );
  mistakes.attempt(() => refuseTwice(all));
  for (const { origin, line } of expanded.flatMap(({ leftOut }) => leftOut)) {
    if (!single.some((one) => isFrom(one, origin))) {
      place.reading.remark(line.replace(/\p{Cc}+/gu, ' '));
    }
  }
  return all;
}

/** A `grpc` key next to `from` may call another method. */
function isFrom({ origin, sources }: Draft, other: string): boolean {
  return origin === other || sources.grpc?.call === other;
}

function expansionOf(entry: Entry, readDocument: ReadDocument): Expansion {
  const { from } = entry.found;
  if (from === undefined) {
    return { drafts: [writtenDraft(entry)], leftOut: [] };
  }
  return from.kind === 'document' ? documentDrafts(entry, from, readDocument) : contractDrafts(entry, from);
}

function refuseUnsent(all: readonly Draft[], sent: readonly Draft[]): void {
  const [first] = all;
  if (first !== undefined && sent.length === 0) {
    throw new ConfigError(`${first.entry.at('weight')}: no operation has a weight above 0`, {
      code: 'WG-105',
      next: 'Operations with `weight: 0` are not sent: give one of them a weight.',
    });
  }
}

function refuseTwice(drafts: readonly Draft[]): void {
  const second = drafts.find(({ name }, index) => drafts.findIndex((one) => one.name === name) < index);
  if (second !== undefined) {
    const { at, found } = second.entry;
    throw new ConfigError(`${at(found.name === undefined ? 'from' : 'name')}: duplicates operation ${second.name}`, {
      code: 'WG-105',
      next: 'Rename one of them with `name`; if one `from` yields both, select them one by one.',
    });
  }
}

/** Returns the document of a file that an entry names; throws ConfigError if it cannot be read. */
type ReadDocument = (file: string, place: string) => OpenApiDocument;

/** Reader that parses each document once. */
function documentReader(readFile: ReadFile): ReadDocument {
  const read = new Map<string, OpenApiDocument>();
  return (file, place) => {
    const document = read.get(file) ?? openApiDocument({ file, text: textAt(file, place, readFile) });
    read.set(file, document);
    return document;
  };
}

/**
 * Drafts of the operation that an entry selects, or of all operations that are safe to send, with the reasons why
 * others are skipped. Throws ConfigError, with file and line, if there is no such operation or it cannot be sent.
 */
function documentDrafts(entry: Entry, { file }: DocumentOrigin, read: ReadDocument): Expansion {
  const document = read(file, entry.at('from'));
  const all = documentOperations(document);
  const { operationId } = entry.found;
  if (operationId === undefined) {
    return safeDrafts(entry, document, all);
  }
  const chosen = all.find(({ id }) => id === operationId) ?? all.find((one) => requestLine(one) === operationId);
  if (chosen === undefined) {
    const known = all.map((one) => one.id ?? requestLine(one));
    throw new ConfigError(`${entry.at('operationId')}: ${file} has no operation ${shown(operationId)}`, {
      code: 'WG-113',
      next: nameAdvice(operationId, known, 'Available operations'),
    });
  }
  return { drafts: [draftOf(chosen, document, entry)], leftOut: [] };
}

/** Characters of a path or a name in a message. */
const MAX_SHOWN = 200;

function safeDrafts(entry: Entry, document: OpenApiDocument, all: readonly DocumentOperation[]): Expansion {
  const drafts: Draft[] = [];
  const leftOut: (LeftOut & { readonly reason: string })[] = [];
  for (const operation of all) {
    const found = draftOrReason(operation, document, entry);
    if (typeof found === 'string') {
      const id = operation.id === undefined ? '' : ` (${cleanText(operation.id, MAX_SHOWN)})`;
      const reason = `${cleanText(requestLine(operation), MAX_SHOWN)}${id}: ${cleanText(found)}`;
      leftOut.push({ origin: originOf(operation, document), line: `${document.file}: skipped ${reason}`, reason });
    } else {
      drafts.push(found);
    }
  }
  if (drafts.length === 0) {
    const reasons = leftOut.slice(0, 3).map(({ reason }) => reason);
    const why = reasons.join('; ') || 'it has no operations';
    throw new ConfigError(`${entry.at('from')}: no operation in ${document.file} can be sent as it is: ${why}`, {
      code: 'WG-113',
      next: 'Select an operation by its `operationId`, and set what it lacks next to it.',
    });
  }
  // Paths without an id may result in the same name.
  return { drafts: withOwnNames(drafts), leftOut };
}

function originOf(operation: DocumentOperation, { file }: OpenApiDocument): string {
  return `${file} ${requestLine(operation)}`;
}

function draftOrReason(operation: DocumentOperation, document: OpenApiDocument, entry: Entry): Draft | string {
  if (operation.method !== 'GET' && operation.method !== 'HEAD') {
    return `a ${operation.method} may change data; select it by its operationId`;
  }
  try {
    return draftOf(operation, document, entry);
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      return thrown.message;
    }
    throw thrown;
  }
}

function draftOf(operation: DocumentOperation, document: OpenApiDocument, entry: Entry): Draft {
  const { name, weight, verify, rest } = entry.found;
  const rows = givenRows(entry);
  const argumentNames = new Set((rows ?? []).flatMap((row) => Object.keys(row)));
  const request = documentRequest(operation, document, { argumentNames, rest });
  const expected = Object.entries(rest?.expect ?? {}).filter(([, one]) => one !== undefined);
  const draft: RestDraft = {
    method: rest?.method ?? operation.method,
    path: request.path,
    headers: { ...request.headers, ...rest?.headers },
    body: rest?.body ?? request.body,
    deadlineMs: rest?.deadlineMs,
    expect: { ...(request.status !== undefined && { status: request.status }), ...Object.fromEntries(expected) },
  };
  refuseUnknownArguments(entry, request, draft);
  refuseMissingCredentials(operation, document, entry, draft);
  return {
    entry,
    name: name ?? documentOperationName(operation),
    weight,
    verify,
    rows: (rows ?? request.examples).map((row, index) => filledRow(row, index, request)),
    sources: { ...entry.found, rest: draft },
    origin: originOf(operation, document),
  };
}

function filledRow(row: Row, index: number, { examples, names }: DocumentRequest): Row {
  const own = Object.entries(row).map(([key, value]) => [names.get(key) ?? key, value] as const);
  return { ...examples[index % examples.length], ...Object.fromEntries(own) };
}

/** Columns of a file may be for other operations, and with `grpc` the arguments are its message. */
function refuseUnknownArguments({ found, at }: Entry, { names }: DocumentRequest, draft: RestDraft): void {
  if (found.grpc !== undefined) {
    return;
  }
  const placeholders = [...JSON.stringify(draft).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const known = [...new Set([...names.keys(), ...names.values(), ...placeholders])];
  for (const [index, row] of (found.arguments ?? []).entries()) {
    const unknown = Object.keys(row).find((key) => !known.includes(key));
    if (unknown !== undefined) {
      throw new ConfigError(`${at('arguments', index, unknown)}: is not a parameter of ${draft.method} ${draft.path}`, {
        code: 'WG-113',
        next: nameAdvice(unknown, known, 'Available parameters'),
      });
    }
  }
}
