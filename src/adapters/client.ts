import type { Client } from '../app/ports.ts';
import type { Reply } from '../core/protocol.ts';
import { resolvedRequest, resolvedService, type Secrets } from '../core/secrets.ts';
import type { ProtocolName } from '../core/service.ts';
import type { Call } from './client-call.ts';
import { grpcCaller } from './client-grpc.ts';
import { contractReader } from './client-grpc-contract.ts';
import { callRest } from './client-rest.ts';

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
