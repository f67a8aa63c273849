import { ConfigError } from '../../foundation/errors.ts';
import { nameAdvice } from '../../foundation/names.ts';
import { cleanText } from '../../foundation/text.ts';
import type { DocumentOrigin } from '../operations/draft.ts';
import { type Draft, type Entry, type Expansion, givenRows, type LeftOut, withOwnNames } from '../operations/draft.ts';
import type { Row } from '../operations/feed.ts';
import { type ReadFile, textAt } from '../reader.ts';
import { type RestDraft, refuseMissingCredentials } from './credentials.ts';
import {
  type DocumentOperation,
  documentOperationName,
  documentOperations,
  type OpenApiDocument,
  openApiDocument,
  requestLine,
  shown,
} from './document.ts';
import { type DocumentRequest, documentRequest } from './request.ts';

/** Returns the document of a file that an entry names; throws ConfigError if it cannot be read. */
export type ReadDocument = (file: string, place: string) => OpenApiDocument;

/** Reader that parses each document once. */
export function documentReader(readFile: ReadFile): ReadDocument {
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
export function documentDrafts(entry: Entry, { file }: DocumentOrigin, read: ReadDocument): Expansion {
  const document = read(file, entry.at('from'));
  const all = documentOperations(document);
  const { operationId } = entry.found;
  if (operationId === undefined) {
    return safeDrafts(entry, document, all);
  }
  const chosen = all.find(({ id }) => id === operationId) ?? all.find((one) => requestLine(one) === operationId);
  if (chosen === undefined) {
    throw unknownOperation(operationId, entry, all);
  }
  return { drafts: [draftOf(chosen, document, entry)], leftOut: [] };
}

function unknownOperation(name: string, { at, found }: Entry, all: readonly DocumentOperation[]): ConfigError {
  const file = found.from?.kind === 'document' ? found.from.file : '';
  const known = all.map((one) => one.id ?? requestLine(one));
  return new ConfigError(`${at('operationId')}: ${file} has no operation ${shown(name)}`, {
    code: 'WG-113',
    next: nameAdvice(name, known, 'Available operations'),
  });
}

/** Characters of a path or a name in a message. */
const MOST_SHOWN = 200;

/** Methods that change no data. */
const SAFE = ['GET', 'HEAD'];

function safeDrafts(entry: Entry, document: OpenApiDocument, all: readonly DocumentOperation[]): Expansion {
  const drafts: Draft[] = [];
  const leftOut: (LeftOut & { readonly reason: string })[] = [];
  for (const operation of all) {
    const found = draftOrReason(operation, document, entry);
    if (typeof found === 'string') {
      const id = operation.id === undefined ? '' : ` (${cleanText(operation.id, MOST_SHOWN)})`;
      const reason = `${cleanText(requestLine(operation), MOST_SHOWN)}${id}: ${cleanText(found)}`;
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
  if (!SAFE.includes(operation.method)) {
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
  const draft: RestDraft = {
    method: rest?.method ?? operation.method,
    path: request.path,
    headers: { ...request.headers, ...rest?.headers },
    body: rest?.body ?? request.body,
    deadlineMs: rest?.deadlineMs,
    expect: { ...(request.status !== undefined && { status: request.status }), ...given(rest?.expect ?? {}) },
  };
  refuseUnknownArguments(entry, request, draft);
  refuseMissingCredentials({ operation, document, entry, draft });
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

/** Removes keys that are undefined. */
function given<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Value;
}

/** Row completed with the document's examples. */
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
