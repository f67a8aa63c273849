import { ConfigError, MeasurementError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import type { Reply, TargetRequest } from '../../model/load.ts';
import type { Service } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import { type Call, refuseCut } from '../call.ts';
import { shortText } from '../http/status.ts';
import { boundTo, type Protocol, withOperation } from '../protocol.ts';
import { filledJson, type Values } from '../rest/request.ts';
import { withoutFraming } from '../stream.ts';
import { type GrpcBinding, type GrpcSource, grpcBindingOf, grpcSchema } from './binding.ts';
import { readContract } from './contract.ts';
import { encodedTarget, messagesFor } from './message.ts';

/** gRPC: a binding is a service and a method, and the arguments are the request message, or fill it. */
export const grpc: Protocol<GrpcSource, GrpcBinding> = {
  name: 'grpc',
  transport: 'grpc',
  streams: true,
  example: 'grpc: user.v1.UserService/GetUser',
  schema: grpcSchema,
  bindingOf: grpcBindingOf,
  check: checkCalls,
  call: callLoaded,

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
async function callLoaded(call: Call): Promise<Reply> {
  const { callGrpc } = await import('./client.ts');
  return await callGrpc(call);
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

function bodyOf({ call, message }: GrpcBinding, values: Values): Json {
  if (message === undefined) {
    return values;
  }
  const filled = (template: Json, own = values): Json =>
    filledJson(template, own, (name) => {
      throw new ConfigError(`${call}: an argument has no value for {${name}}`, {
        code: 'WG-114',
        next: 'Add that key to every entry of `arguments`.',
      });
    });
  if ('one' in message) {
    return filled(message.one);
  }
  return 'stream' in message
    ? message.stream.map((one) => filled(one))
    : Array.from({ length: message.count }, (_, index) => filled(message.repeated, { ...values, number: index + 1 }));
}

function checkCalls(service: Service, operations: readonly Operation[]): void {
  const { proto } = service;
  if (proto !== undefined && !('reflection' in proto)) {
    const contract = readContract(service);
    for (const operation of operations) {
      for (const request of grpc.target(operation, service, '').requests) {
        withOperation(operation, () => messagesFor(contract.method(request.call), request));
      }
    }
  }
}
