import { ConfigError, MeasurementError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import type { GrpcBinding } from '../../model/grpc-binding.ts';
import type { TargetRequest } from '../../model/load.ts';
import type { Protocol } from '../../model/protocol.ts';
import { withoutEnvelope } from '../canonical.ts';
import { refuseCut } from '../cut-answer.ts';
import { filledMessage, type PlaceholderValues } from './grpc-message.ts';

/** gRPC: a binding is a service and a method; the arguments are the request message, or fill it. */
export const grpc: Protocol = {
  name: 'grpc',

  target(operation, service, address) {
    const binding = operation.bindings.grpc;
    if (binding === undefined) {
      throw new ConfigError(`operation ${operation.name} has no \`grpc\` binding`, {
        next: 'Add one to the suite, like `grpc: user.v1.UserService/GetUser`.',
      });
    }
    refuseManyStreams(operation.name, binding, operation.arguments.length);
    const common = commonOf(binding, service.metadata);
    const requests = operation.arguments.map((values) => ({ ...common, body: bodyOf(binding, values) }));
    const { connection, proto } = service;
    return { address, requests, proto, ...(connection !== undefined && { connection }) };
  },

  canonical(reply, operation) {
    const { status, body = null, cut } = reply;
    if (status !== 'OK' || (reply.body === undefined && cut === undefined)) {
      throw new MeasurementError(`answered ${status}`);
    }
    refuseCut(reply, operation);
    return withoutEnvelope(body);
  },
};

/** ghz sends the same stream in every call, where it takes single messages in turn. */
function refuseManyStreams(operation: string, { message }: GrpcBinding, count: number): void {
  if (message !== undefined && 'stream' in message && count > 1) {
    throw new ConfigError(
      `operation ${operation}: has ${count} arguments, and a call sends the same stream each time`,
      {
        next: 'Leave one entry in `arguments`, and write the messages of a stream in `grpc.messages`.',
      },
    );
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
  return 'one' in message
    ? filledMessage(message.one, values, call)
    : message.stream.map((one) => filledMessage(one, values, call));
}
