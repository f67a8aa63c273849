import { type Client, status } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import type { Json } from '../../foundation/json.ts';
import type { Reply } from '../../model/load.ts';
import type { Contract as ContractSource, DescriptorSet, Service } from '../../model/service.ts';
import { BODY_LIMIT_BYTES, type Call, limitMsOf } from '../call.ts';
import type { Caller } from '../protocol.ts';
import { jsonOf } from './answer.ts';
import { failedReply, isServiceError, MAX_RECEIVED_BYTES, metadataOf, openChannel } from './channel.ts';
import { type contractReader, healthContract } from './contract.ts';
import { encodedMessage, messagesFor } from './message.ts';
import { reflectedSet } from './reflection.ts';

/** Caller that requests each contract by reflection only once, and gives a list for a stream. UNAVAILABLE and DEADLINE_EXCEEDED, which the client sets without a response, reject. */
export function grpcCaller(contractOf: ReturnType<typeof contractReader>): Required<Caller> {
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
      // Readiness checks may call the health service, which few contracts contain.
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
