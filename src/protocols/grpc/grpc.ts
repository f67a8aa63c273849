import { ConfigError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import { nearName } from '../../foundation/names.ts';
import type { TargetRequest } from '../../model/load.ts';
import type { Service } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import { refuseCut } from '../call.ts';
import { shortText } from '../http/status.ts';
import { boundTo, type Protocol, withOperation } from '../protocol.ts';
import { withoutFraming } from '../stream.ts';
import { type GrpcBinding, type GrpcSource, grpcBindingOf, grpcSchema } from './binding.ts';
import type { GrpcCaller } from './client.ts';
import { type contractReader, type GrpcContract, readContract } from './contract.ts';
import { encodedTarget } from './encoded.ts';
import { messagesFor } from './message.ts';

/** gRPC: a binding is a service and a method, and the arguments are the request message, or fill it. */
export const grpc: Protocol<GrpcSource, GrpcBinding> = {
  name: 'grpc',
  transport: 'grpc',
  streams: true,
  example: 'grpc: user.v1.UserService/GetUser',
  schema: grpcSchema,
  bindingOf: grpcBindingOf,
  check: checkCalls,
  caller: lazyCaller,

  target(operation, service, address) {
    const binding = boundTo(operation, grpc);
    refuseManyStreams(operation.name, binding, operation.arguments.length);
    const common = commonOf(binding, service.metadata);
    const requests = operation.arguments.map((values) => ({ ...common, body: bodyOf(binding, values) }));
    const { connection } = service;
    return { address, requests, ...(connection !== undefined && { connection }) };
  },

  encoded: encodedTarget,

  canonical(reply, operation) {
    const { status, body = null, cut, detail = '' } = reply;
    if (status !== 'OK' || (reply.body === undefined && cut === undefined)) {
      throw new MeasurementError(`answered ${status}${detail === '' ? '' : ` (${shortText(detail)})`}`, {
        code: 'WG-307',
      });
    }
    refuseCut(reply, operation);
    return cut === undefined ? withoutFraming(body, reply, operation) : body;
  },
};

/** The client is loaded with the first call: it is large, and most commands send none. */
function lazyCaller(contractOf: ReturnType<typeof contractReader>): GrpcCaller {
  let loaded: Promise<GrpcCaller> | undefined;
  const caller = (): Promise<GrpcCaller> => {
    loaded ??= import('./client.ts').then(({ grpcCaller }) => grpcCaller(contractOf));
    return loaded;
  };
  return {
    call: async (call) => await (await caller()).call(call),
    described: async (service, address) => await (await caller()).described(service, address),
  };
}

/** ghz sends the same stream in every call. */
function refuseManyStreams(operation: string, { message }: GrpcBinding, count: number): void {
  if (message !== undefined && !('one' in message) && count > 1) {
    throw new ConfigError(`operation ${operation}: has ${count} arguments, but every call sends the same stream`, {
      code: 'WG-114',
      next: 'Keep one entry in `arguments`, and put the messages of the stream in `grpc.messages`.',
    });
  }
}

function commonOf(
  { call, metadata, deadlineMs }: GrpcBinding,
  ofService: TargetRequest['metadata'],
): Omit<TargetRequest, 'body'> {
  const all = { ...ofService, ...metadata };
  return {
    call,
    ...(Object.keys(all).length > 0 && { metadata: all }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}

function bodyOf({ call, message }: GrpcBinding, values: PlaceholderValues): Json {
  if (message === undefined) {
    return values;
  }
  if ('one' in message) {
    return filledMessage(message.one, values, call);
  }
  return 'stream' in message
    ? message.stream.map((one) => filledMessage(one, values, call))
    : Array.from({ length: message.count }, (_, index) =>
        filledMessage(message.repeated, { ...values, number: index + 1 }, call),
      );
}

export type PlaceholderValues = Readonly<Record<string, Json>>;

const WHOLE = /^\{(\w+)\}$/;

const PART = /\{(\w+)\}/g;

/** Message with placeholders filled in; a string that is only `{name}` becomes the value itself. */
export function filledMessage(template: Json, values: PlaceholderValues, call: string): Json {
  if (typeof template === 'string') {
    const [, name] = WHOLE.exec(template) ?? [];
    return name === undefined ? filledText(template, values, call) : named(name, values, call);
  }
  if (template === null || typeof template !== 'object') {
    return template;
  }
  return Array.isArray(template)
    ? template.map((inner: Json) => filledMessage(inner, values, call))
    : Object.fromEntries(Object.entries(template).map(([key, inner]) => [key, filledMessage(inner, values, call)]));
}

function filledText(text: string, values: PlaceholderValues, call: string): string {
  return text.replace(PART, (_found, name: string) => {
    const value = named(name, values, call);
    if (value === null || typeof value === 'object') {
      throw missing(name, call);
    }
    return String(value);
  });
}

function named(name: string, values: PlaceholderValues, call: string): Json {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) {
    throw missing(name, call);
  }
  return value;
}

function missing(name: string, call: string): ConfigError {
  return new ConfigError(`${call}: an argument has no value for {${name}}`, {
    code: 'WG-114',
    next: 'Add that key to every entry of `arguments`.',
  });
}

function checkCalls(service: Service, operations: readonly Operation[]): void {
  const { proto } = service;
  if (proto !== undefined && !('reflection' in proto)) {
    const contract = readContract(service);
    for (const operation of operations) {
      for (const request of grpc.target(operation, service, '').requests) {
        withOperation(operation, () => messagesFor(methodOf(request, contract), request));
      }
    }
  }
}

function methodOf({ call }: TargetRequest, contract: GrpcContract): ReturnType<GrpcContract['method']> {
  try {
    return contract.method(call);
  } catch (cause) {
    const near = cause instanceof ConfigError ? nearName(call, contract.calls) : undefined;
    throw near === undefined
      ? cause
      : new ConfigError(messageOf(cause), { code: 'WG-112', cause, next: `Did you mean ${near}?` });
  }
}
