import { ConfigError } from '../../foundation/errors.ts';
import { PROTOCOL_NAMES, type ProtocolName } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import type { Protocol } from '../../protocols/protocol.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import { contractDrafts } from '../contract/drafts.ts';
import { Mistakes } from '../mistakes.ts';
import { documentDrafts, documentReader, type ReadDocument } from '../openapi/drafts.ts';
import { contentAt } from '../reader.ts';
import type { Path } from '../yaml/yaml.ts';
import {
  type Draft,
  type Entry,
  type Expansion,
  type FoundOperation,
  type OperationsPlace,
  operationEntryOf,
  writtenDraft,
} from './draft.ts';

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
    kind: 'unary',
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
  const expanded = mistakes.each(entries, (entry) => ({
    isWhole: isWhole(entry),
    ...expansionOf(entry, readDocument),
  }));
  const single = expanded.flatMap(({ isWhole: isSeveral, drafts }) => (isSeveral ? [] : drafts));
  const all = expanded.flatMap(({ isWhole: isSeveral, drafts }) =>
    isSeveral
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

function isWhole({ found: { from, operationId } }: Entry): boolean {
  return from?.kind === 'document' ? operationId === undefined : from !== undefined && from.method === undefined;
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
