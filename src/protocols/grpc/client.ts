import { type Client, status } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import type { Json } from '../../foundation/json.ts';
import type { Reply } from '../../model/load.ts';
import { BODY_LIMIT_BYTES, type Call, limitMsOf } from '../call.ts';
import { jsonOf } from './answer.ts';
import { failedReply, isServiceError, MAX_RECEIVED_BYTES, metadataOf, openChannel } from './channel.ts';
import { HEALTH_SERVICE, readContract } from './contract.ts';
import { encodedMessage, messagesFor } from './message.ts';

/**
 * Sends a call and gives a list for a stream. UNAVAILABLE and DEADLINE_EXCEEDED, which the client sets without a response, reject. Readiness
 * checks may call the health service, which few contracts contain.
 */
export async function callGrpc(call: Call): Promise<Reply> {
  const contracts = [readContract(call.service), readContract(HEALTH_SERVICE)] as const;
  const contract = contracts.find(({ calls }) => calls.includes(call.request.call)) ?? contracts[0];
  const method = contract.method(call.request.call);
  const messages = messagesFor(method, call.request);
  const channel = openChannel(call);
  try {
    const answers = await exchanged(channel, method, messages, call);
    if (answers === 'cut') {
      return CUT;
    }
    return { status: 'OK', body: method.responseStream ? answers : answers[0] };
  } catch (thrown) {
    return isTooLong(thrown) ? CUT : failedReply(thrown, call);
  } finally {
    channel.close();
  }
}

/** gRPC handles every call as a stream, of one message if it is unary. */
function exchanged(
  channel: Client,
  method: protobuf.Method,
  messages: readonly Record<string, unknown>[],
  call: Call,
): Promise<readonly Json[] | 'cut'> {
  const answered = method.resolvedResponseType as protobuf.Type;
  return new Promise((resolve, reject) => {
    const answers: Json[] = [];
    let bytes = 0;
    const stream = channel.makeBidiStreamRequest(
      `/${call.request.call}`,
      (message: Record<string, unknown>) => encodedMessage(method, message),
      (encoded) => encoded,
      metadataOf(call.request.metadata),
      { deadline: Date.now() + limitMsOf(call) },
    );
    stream.on('error', reject);
    stream.on('end', () => resolve(answers));
    stream.on('data', (encoded: Buffer) => {
      bytes += encoded.length;
      if (bytes > BODY_LIMIT_BYTES || answers.length >= MAX_ANSWERS) {
        resolve('cut');
        stream.cancel();
        return;
      }
      try {
        answers.push(jsonOf(answered, encoded));
      } catch (thrown) {
        reject(thrown);
        stream.cancel();
      }
    });
    for (const message of messages) {
      stream.write(message);
    }
    stream.end();
  });
}

/** Longer streams are truncated. */
const MAX_ANSWERS = 10_000;

/** A service that sends that much has accepted the call. */
const CUT: Reply = {
  status: 'OK',
  body: undefined,
  cut: `longer than ${MAX_ANSWERS} messages or ${BODY_LIMIT_BYTES} bytes`,
};

function isTooLong(thrown: unknown): boolean {
  const words = `Received message larger than max \\((\\d+) vs ${MAX_RECEIVED_BYTES}\\)`;
  return isServiceError(thrown) && thrown.code === status.RESOURCE_EXHAUSTED && new RegExp(words).test(thrown.details);
}
