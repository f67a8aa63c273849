import type protobuf from 'protobufjs';
import { MeasurementError, messageOf } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import type { Answer } from '../../model/http.ts';
import { jsonOf } from '../grpc/client-grpc-answer.ts';
import { messageFrom } from '../grpc/client-grpc-message.ts';

/** The body of an answer that is said to be a message. */
interface Body {
  readonly answer: Pick<Answer, 'contentType'>;
  readonly bytes: Uint8Array;
  /** Undefined where it is no JSON. */
  readonly json: Json | undefined;
}

/** There is no registered media type; these are in use. */
const PROTOBUF = /^application\/(?:x-|x-google-|vnd\.google\.)?protobuf\s*(?:;|$)/i;

/**
 * The message as a gRPC service of the same contract would have answered it: all fields by their names, unset ones too, whether it came in
 * protobuf or in protobuf's JSON form. Throws MeasurementError where it is no such message.
 */
export function messageJson(type: protobuf.Type, { answer, bytes, json }: Body): Json {
  const isProtobuf = PROTOBUF.test(answer.contentType?.trim() ?? '');
  try {
    return jsonOf(type, isProtobuf ? bytes : encoded(type, json));
  } catch (cause) {
    const form = isProtobuf ? 'in protobuf' : 'in JSON';
    throw new MeasurementError(`the answer is no ${type.fullName.slice(1)} ${form}: ${messageOf(cause)}`, {
      cause,
      next: 'Mend the service, or `expect.message` of the operation.',
    });
  }
}

function encoded(type: protobuf.Type, json: Json | undefined): Uint8Array {
  if (json === undefined) {
    throw new Error('it is neither JSON nor of the type application/x-protobuf');
  }
  return type.encode(type.fromObject(messageFrom(type, json, 'body'))).finish();
}
