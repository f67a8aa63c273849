import { type Client, status } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import type { Json } from '../../foundation/json.ts';
import type { Reply } from '../../model/load.ts';
import type { Contract as ContractSource, DescriptorSet, Service } from '../../model/service.ts';
import { BODY_LIMIT_BYTES, type Call, limitMsOf } from '../call.ts';
import { jsonOf } from './answer.ts';
import { failedReply, isServiceError, MOST_RECEIVED_BYTES, metadataOf, openChannel } from './channel.ts';
import { type contractReader, healthContract } from './contract.ts';
import { encodedMessage } from './encoded.ts';
import { messagesFor } from './message.ts';
import { reflectedSet } from './reflection.ts';

/** Asks services over gRPC. */
export interface GrpcCaller {
  /**
   * The answer to a call; of a stream, the list of its answers. Rejects also with the status UNAVAILABLE or DEADLINE_EXCEEDED,
   * which the client makes itself when there was no answer, and with ConfigError if the call does not fit the contract.
   */
  call(call: Call): Promise<Reply>;
  /** See Client.described. */
  described(service: Service, address: string): Promise<Service>;
}

/** A caller that asks each service for its contract once, where it is to be asked. */
export function grpcCaller(contractOf: ReturnType<typeof contractReader>): GrpcCaller {
  const reflected = new Map<ContractSource, DescriptorSet>();
  const described = async (service: Service, address: string): Promise<Service> => {
    const { proto } = service;
    if (proto === undefined || !('reflection' in proto)) {
      return service;
    }
    const set = reflected.get(proto) ?? (await reflectedSet({ service, address }));
    reflected.set(proto, set);
    return { ...service, proto: set };
  };
  return {
    described,
    async call({ service, address, request }) {
      const contract = contractOf(await described(service, address));
      // Readiness may be asked of the health service, which few contracts have in them.
      const health = contract.calls.includes(request.call) ? undefined : healthContract();
      const isHealth = health?.calls.includes(request.call) === true;
      return await ask((isHealth ? health : contract).method(request.call), { service, address, request });
    },
  };
}

async function ask(method: protobuf.Method, call: Call): Promise<Reply> {
  const messages = messagesFor(method, call.request);
  const channel = openChannel(call);
  try {
    const answers = await exchanged(channel, { method, messages, call });
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

interface Exchange {
  readonly method: protobuf.Method;
  readonly messages: readonly Record<string, unknown>[];
  readonly call: Call;
}

/** Every kind of call is a stream to gRPC, of one message if it is not one. */
function exchanged(channel: Client, { method, messages, call }: Exchange): Promise<readonly Json[] | 'cut'> {
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
      if (bytes > BODY_LIMIT_BYTES || answers.length >= MOST_ANSWERS) {
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

/** The rest of a longer stream is not kept. */
const MOST_ANSWERS = 10_000;

/** A service that has begun to send so much has not refused. */
const CUT: Reply = {
  status: 'OK',
  body: undefined,
  cut: `longer than ${MOST_ANSWERS} messages or ${BODY_LIMIT_BYTES} bytes`,
};

/** Whether it is this client that took no more of a message, by its length. */
function isTooLong(thrown: unknown): boolean {
  const words = `Received message larger than max \\((\\d+) vs ${MOST_RECEIVED_BYTES}\\)`;
  return isServiceError(thrown) && thrown.code === status.RESOURCE_EXHAUSTED && new RegExp(words).test(thrown.details);
}
