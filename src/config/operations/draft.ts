import * as z from 'zod';
import { isJsonPath } from '../../foundation/json-path.ts';
import { name, path } from '../../foundation/names.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import { PROTOCOL_NAMES, type ProtocolName, type Service } from '../../model/service.ts';
import type { Verification } from '../../model/suite/suite.ts';
import { missingKey } from '../../protocols/protocol.ts';
import { PROTOCOLS, WITH_STREAMS } from '../../protocols/protocols.ts';
import { type ConfigReader, textAt } from '../reader.ts';
import { wasNamed } from '../schema/former-names.ts';
import type { Path, PlaceOf } from '../yaml/frame.ts';
import { feedRows, type Row } from './feed.ts';

type Origin = DocumentOrigin | ContractOrigin;

/** OpenAPI document, by its path in the repository. */
export interface DocumentOrigin {
  readonly kind: 'document';
  readonly file: string;
}

/** Service of a contract, or one of its methods. */
export interface ContractOrigin {
  readonly kind: 'contract';
  readonly service: string;
  readonly method: string | undefined;
}

const FORMS =
  'must be the path of an OpenAPI document (.json, .yaml, .yml), or a service of the contract, like user.v1.UserService or user.v1.UserService/GetUser';

const from = z
  .string()
  .transform((text, context): Origin => {
    const origin = originOf(text);
    if (typeof origin === 'string') {
      context.addIssue({ code: 'custom', message: origin });
      return z.NEVER;
    }
    return origin;
  })
  .describe(
    'An OpenAPI document in the repository, or a service or method of the contract, like `user.v1.UserService`.',
  );

/** Returns the reason as a string if the text is not valid. */
function originOf(text: string): Origin | string {
  if (/^[a-z][a-z+.-]*:\/\//i.test(text)) {
    return 'must be a file in the repository: nothing is downloaded';
  }
  if (/\.(?:json|ya?ml)$/.test(text)) {
    return path.safeParse(text).success ? { kind: 'document', file: text } : 'must be a path inside the repository';
  }
  if (text.endsWith('.proto')) {
    return 'must name a service of the contract, like user.v1.UserService; set its .proto file in `proto` of the service';
  }
  const [, service, method] = /^(\w+(?:\.\w+)*)(?:\/(\w+))?$/.exec(text) ?? [];
  return service === undefined ? FORMS : { kind: 'contract', service, method };
}

const MAX_MESSAGES = 1_000_000;

const stream = z
  .strictObject({
    messages: z
      .int()
      .min(1)
      .max(MAX_MESSAGES)
      .describe(`How many messages each answer must have, 1 to ${MAX_MESSAGES}.`),
    last: z.string().min(1).max(200).optional().describe('Text that the last message must contain, like `Zoe`.'),
  })
  .describe(`For ${WITH_STREAMS}: answers are streams of messages, or are compared with streams.`);

/** Keys of a request, by protocol. */
export const bindingKeys = Object.fromEntries(
  PROTOCOL_NAMES.map((protocol) => [protocol, PROTOCOLS[protocol].schema.optional()]),
) as unknown as { readonly [Name in ProtocolName]: z.ZodOptional<(typeof PROTOCOLS)[Name]['schema']> };

export const jsonPath = z
  .string()
  .max(300)
  .refine(
    isJsonPath,
    'must be a path like $.id, $.items[*].at or $["created at"]: a $, followed by .name, ["name"], [0] or [*]',
  );

const keys = z.strictObject({
  name: name
    .refine(
      (value) => value !== ALL_OPERATIONS,
      `must not be "${ALL_OPERATIONS}", which is reserved for all operations together`,
    )
    .optional()
    .describe('Its name in reports; required without `from`.'),
  wasNamed: wasNamed.describe('Former names, like `[GetUsers]`: its history continues theirs. Needs `name`.'),
  from: from.optional(),
  operationId: z
    .string()
    .min(1)
    .optional()
    .describe('With an OpenAPI document: one operation, like `getUser` or `GET /users`; default: all GET and HEAD.'),
  weight: z.number().nonnegative().default(1).describe('Its share of the requests, relative to the others; 0: none.'),
  arguments: z
    .array(z.record(z.string(), z.json()))
    .min(1)
    .optional()
    .meta({ default: [{}] })
    .describe('One entry per request, in turn: fills `{name}` in a path, header or body; over gRPC, the message.'),
  feed: z
    .strictObject({
      file: path.describe('CSV with a header line, or JSON with a list of maps.'),
      order: z.literal('cycle').default('cycle').describe('In order, repeatedly.'),
    })
    .optional()
    .describe('Arguments from a file.'),
  verify: z
    .enum(['none', 'status', 'answer'])
    .default('answer')
    .describe('Checks before measuring: the whole `answer`, only its `status`, or `none`.'),
  ignore: z
    .array(jsonPath)
    .min(1)
    .max(100)
    .optional()
    .describe('Paths in answers that may differ, like `$.requestId` or `$.items[*].at`.'),
  stream: stream.optional(),
  ...bindingKeys,
});

/** Keys that need a single operation. */
const OF_ONE = ['name', 'wasNamed', 'arguments', 'feed', 'stream', ...PROTOCOL_NAMES] as const;

/** Operation that every service of a suite supports, or several from a document or a contract. */
export const operation = keys.superRefine((found, context) => {
  const refuse = (key: string, message: string): void => context.addIssue({ code: 'custom', path: [key], message });
  const { from: origin, operationId, ignore, verify } = found;
  if (found.wasNamed !== undefined && found.name === undefined) {
    refuse('wasNamed', 'needs a `name`: operations from a document or a contract get their names from it');
  }
  const mute = PROTOCOL_NAMES.find((one) => found[one] !== undefined && PROTOCOLS[one].streams !== true);
  if (found.stream !== undefined && mute !== undefined) {
    const why = 'whose answers the load tool cannot read as streams';
    refuse('stream', `is for ${WITH_STREAMS}, and cannot be combined with \`${mute}\`, ${why}`);
  }
  if (ignore !== undefined && verify !== 'answer') {
    refuse('ignore', `has no effect with \`verify: ${verify}\`, which does not compare answers`);
  }
  if (operationId !== undefined && origin?.kind !== 'document') {
    refuse('operationId', 'needs an OpenAPI document in `from`; select a method with `from: Service/Method`');
    return;
  }
  const isOne =
    origin === undefined || operationId !== undefined || (origin.kind === 'contract' && origin.method !== undefined);
  const misfit = isOne ? undefined : OF_ONE.find((key) => found[key] !== undefined);
  if (misfit !== undefined) {
    refuse(
      misfit,
      `applies to one operation, but \`from\` selects several: select one with ${origin?.kind === 'document' ? '`operationId`' : '`from: Service/Method`'}`,
    );
  }
});

/** Valid name made from any text; undefined if no character is left. */
export function nameFrom(text: string | undefined): string | undefined {
  const name = (text ?? '')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 80)
    .replace(/(?<![-.])[-.]+$/, '');
  return name === '' ? undefined : name;
}

/** Valid name of an operation from the first text that has one, else `verb`. Does not return the reserved name for all operations. */
export function operationNameFrom(texts: readonly (string | undefined)[], verb: string): string {
  const name = texts.map(nameFrom).find((one) => one !== undefined) ?? verb;
  return name === ALL_OPERATIONS ? `${verb}-${ALL_OPERATIONS}` : name;
}

/** Values with unique names: the second `api` becomes `api-2`. */
export function withOwnNames<Named extends { readonly name: string }>(values: readonly Named[]): readonly Named[] {
  const taken = new Set<string>();
  return values.map((value) => {
    let name = value.name;
    for (let count = 2; taken.has(name); count += 1) {
      name = `${value.name.slice(0, 55)}-${count}`;
    }
    taken.add(name);
    return { ...value, name };
  });
}

/** Entry of `operations`, as in its file. */
export type FoundOperation = z.output<typeof operation>;

/** Position of operations in a file, with access to the repository. */
export interface OperationsPlace {
  readonly placeOf: PlaceOf;
  readonly reading: ConfigReader;
  /** Services of the suite, read only for operations with `from`. */
  readonly services: () => readonly Service[];
}

export interface Entry {
  readonly found: FoundOperation;
  readonly index: number;
  readonly place: OperationsPlace;
  /** Place of one of its keys, for messages. */
  readonly at: (...steps: Path) => string;
}

/** Operation without its share of the load. */
export interface Draft {
  readonly entry: Entry;
  readonly name: string;
  readonly weight: number;
  readonly verify: Verification;
  readonly rows: readonly Row[];
  readonly sources: Pick<FoundOperation, ProtocolName>;
  /** Source, such as "openapi.yaml GET /users"; undefined for an operation that is written out. */
  readonly origin: string | undefined;
}

/** Operations that an entry results in. */
export interface Expansion {
  readonly drafts: readonly Draft[];
  readonly leftOut: readonly LeftOut[];
}

/** Operation of a document or a contract that cannot be sent. */
export interface LeftOut {
  /** Same format as the origin of a draft. */
  readonly origin: string;
  /** Line for the log, with the reason. */
  readonly line: string;
}

export function operationEntryOf(found: FoundOperation, index: number, place: OperationsPlace): Entry {
  return { found, index, place, at: (...steps) => place.placeOf(['operations', index, ...steps]) };
}

/** Draft of an operation without `from`. Throws ConfigError if it has no name. */
export function writtenDraft(entry: Entry): Draft {
  const { found, at } = entry;
  const { name, weight, verify } = found;
  if (name === undefined) {
    throw missingKey(at('name'));
  }
  return {
    entry,
    name,
    weight,
    verify,
    rows: givenRows(entry) ?? [{}],
    sources: found,
    origin: undefined,
  };
}

/** Arguments of an entry, from itself and its feed; undefined if it has none. */
export function givenRows({ found, at, place }: Entry): readonly Row[] | undefined {
  const { arguments: own = [{}], feed } = found;
  if (feed === undefined) {
    return found.arguments;
  }
  const text = textAt(feed.file, at('feed', 'file'), place.reading.readFile);
  return feedRows({ file: feed.file, text }).map((row, index) => ({ ...own[index % own.length], ...row }));
}
