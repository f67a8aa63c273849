import type protobuf from 'protobufjs';
import { ConfigError } from '../../foundation/errors.ts';
import type { Target } from '../../model/load.ts';
import type { Service } from '../../model/service.ts';
import { contractReader } from './contract.ts';
import { messagesFor } from './message.ts';

const contractOf = contractReader();

/** Target with its messages encoded. Throws ConfigError if one does not fit the contract, or if there are several methods. */
export function encodedTarget(target: Target, service: Service): Target {
  const [call = '', ...others] = new Set(target.requests.map((request) => request.call));
  if (others.length > 0) {
    throw new ConfigError(`one method is called at a time, but the operation has ${others.length + 1}`, {
      code: 'WG-105',
      next: 'Bind the operation to one gRPC method.',
    });
  }
  const method = contractOf(service).method(call);
  const requests = target.requests.map((request) => ({
    ...request,
    messages: messagesFor(method, request).map((message) => encodedMessage(method, message).toString('base64')),
  }));
  const { requestStream = false, responseStream = false } = method;
  return { ...target, requests, method: { clientStreams: requestStream, serverStreams: responseStream } };
}

export function encodedMessage({ resolvedRequestType }: protobuf.Method, message: Record<string, unknown>): Buffer {
  const type = resolvedRequestType as protobuf.Type;
  return Buffer.from(type.encode(type.fromObject(message)).finish());
}
