import type protobuf from 'protobufjs';
import { ConfigError } from '../../foundation/errors.ts';
import type { TargetRequest } from '../../model/load.ts';
import { messageFrom } from './client-grpc-message.ts';

/**
 * The messages that a request sends to a method, in the form of protobufjs. Throws ConfigError where they are a stream and it takes
 * none, or the other way round, and where one does not fit.
 */
export function messagesFor(
  { resolvedRequestType, requestStream }: protobuf.Method,
  { call, body }: TargetRequest,
): readonly Record<string, unknown>[] {
  const type = resolvedRequestType as protobuf.Type;
  const isStream = Array.isArray(body);
  if (isStream !== (requestStream === true)) {
    throw isStream
      ? new ConfigError(`${call} takes one message, and \`messages\` is a stream of them`, {
          next: 'Write the one as `message`.',
        })
      : new ConfigError(`${call} takes a stream of messages`, {
          next: `Write those of a stream: \`grpc: { call: ${call}, messages: [{ … }, { … }] }\`.`,
        });
  }
  if (!isStream) {
    return [messageFrom(type, body ?? {}, `${call}: message`)];
  }
  return body.map((message, index) => messageFrom(type, message, `${call}: messages.${index}`));
}
