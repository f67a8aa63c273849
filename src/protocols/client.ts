import type { Reply } from '../model/protocol.ts';
import type { ProtocolName } from '../model/service.ts';
import type { Client } from '../runtime/ports.ts';
import { resolvedRequest, resolvedService, type Secrets } from '../secrets/secrets.ts';
import type { Call } from './client-call.ts';
import { grpcCaller } from './grpc/client-grpc.ts';
import { contractReader } from './grpc/client-grpc-contract.ts';
import { callRest } from './rest/client-rest.ts';

/**
 * Asks services over their protocol, each time over a new connection. An answer of any status is a reply. Rejects with
 * MeasurementError where none came within the time that the request may take: 5 s where it says nothing else.
 */
export function protocolClient(secrets: Secrets): Client {
  const contractOf = contractReader();
  const grpc = grpcCaller(contractOf);
  const calls: Readonly<Record<ProtocolName, (call: Call) => Promise<Reply>>> = {
    rest: async (call) => await callRest(call, contractOf),
    grpc: grpc.call,
  };
  return {
    call: async (service, address, request) =>
      await calls[service.protocol]({
        service: resolvedService(service, secrets),
        address,
        request: resolvedRequest(request, secrets),
      }),
    async described(service, address) {
      const { proto } = await grpc.described(resolvedService(service, secrets), address);
      return proto === service.proto ? service : { ...service, proto };
    },
  };
}
