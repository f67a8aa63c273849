import type { z } from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import type { GrpcBinding } from '../../model/grpc-binding.ts';
import type { Service } from '../../model/service.ts';
import type { Verification } from '../../model/suite.ts';
import { contentAt } from '../files.ts';
import type { ConfigReader } from '../reading.ts';
import type { RestSource } from '../schema/rest-schema.ts';
import type { Path, Placed } from '../yaml/yaml.ts';
import { feedRows, type Row } from './feed.ts';
import type { operation } from './operation-schema.ts';

/** An entry of `operations`, as it stands in its file. */
export type FoundOperation = z.output<typeof operation>;

/** The file that operations stand in, and what else they need of the repository. */
export interface OperationsPlace {
  readonly placeOf: Placed<unknown>['placeOf'];
  readonly reading: ConfigReader;
  /** The services of the suite: read when an operation comes out of something only. */
  readonly services: () => readonly Service[];
}

/** An entry and where it stands. */
export interface Entry {
  readonly found: FoundOperation;
  readonly index: number;
  readonly place: OperationsPlace;
  /** For messages: where a key of it stands. */
  readonly at: (...steps: Path) => string;
}

/** A request over HTTP with a method and a path. */
export interface RestDraft {
  readonly method: string;
  readonly path: string;
  readonly headers?: RestSource['headers'];
  readonly body?: RestSource['body'];
  readonly expect?: RestSource['expect'];
  readonly deadlineMs?: RestSource['deadlineMs'];
}

/** An operation with all that is said of it, still without its share. */
export interface Draft {
  readonly entry: Entry;
  readonly name: string;
  readonly weight: number;
  readonly verify: Verification;
  readonly rows: readonly Row[];
  readonly rest: RestDraft | undefined;
  readonly grpc: GrpcBinding | undefined;
  /** What it came out of: "openapi.yaml GET /users"; undefined for one that is written out. */
  readonly origin: string | undefined;
}

/** What an entry comes to. */
export interface Expansion {
  readonly drafts: readonly Draft[];
  readonly leftOut: readonly LeftOut[];
}

/** An operation of a document or a contract that cannot be sent as it is. */
export interface LeftOut {
  /** As that of a draft. */
  readonly origin: string;
  /** What and why, for people. */
  readonly line: string;
}

/** The entry of that number. */
export function operationEntryOf(found: FoundOperation, index: number, place: OperationsPlace): Entry {
  return { found, index, place, at: (...steps) => place.placeOf(['operations', index, ...steps]) };
}

/** An operation that is written out. Throws ConfigError where it says too little. */
export function writtenDraft(entry: Entry): Draft {
  const { found, at } = entry;
  const { name, weight, verify } = found;
  if (name === undefined) {
    throw missing(at('name'));
  }
  return {
    entry,
    name,
    weight,
    verify,
    rows: givenRows(entry) ?? [{}],
    rest: writtenRest(entry),
    grpc: writtenGrpc(entry),
    origin: undefined,
  };
}

/** The binding to HTTP that is written out; undefined where there is none. Throws ConfigError where it has no path. */
export function writtenRest({ found: { rest }, at }: Entry): RestDraft | undefined {
  if (rest === undefined) {
    return undefined;
  }
  const { method = 'GET', path } = rest;
  if (path === undefined) {
    throw missing(at('rest', 'path'));
  }
  return { ...rest, method, path };
}

/** The same for gRPC. */
export function writtenGrpc({ found: { grpc }, at }: Entry): GrpcBinding | undefined {
  if (grpc === undefined) {
    return undefined;
  }
  const { call } = grpc;
  if (call === undefined) {
    throw missing(at('grpc', 'call'));
  }
  return { ...grpc, call };
}

function missing(place: string): ConfigError {
  return new ConfigError(`${place}: is missing`, { next: 'docs/config.md shows every key of this file.' });
}

/** The arguments that an entry gives, itself or by a file; undefined where it gives none. */
export function givenRows({ found, at, place }: Entry): readonly Row[] | undefined {
  const { arguments: own = [{}], feed } = found;
  if (feed === undefined) {
    return found.arguments;
  }
  const { text } = contentAt(feed.file, at('feed', 'file'), place.reading.readFile);
  return feedRows({ file: feed.file, text }).map((row, index) => ({ ...own[index % own.length], ...row }));
}
