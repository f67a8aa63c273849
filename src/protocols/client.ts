import type { ProtocolName, Reply, Service, TargetRequest } from '../model/index.ts';
import { resolvedRequest, resolvedService, type Secrets } from '../secrets/index.ts';
import type { Call } from './call.ts';
import { grpcCaller } from './grpc/client.ts';
import { contractReader } from './grpc/contract.ts';
import { callRest } from './rest/client.ts';

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

/** One real request, for readiness and verification. Rejects where the call itself fails. */
export interface Client {
  call(service: Service, address: string, request: TargetRequest): Promise<Reply>;
  /**
   * The service with its contract in hand, for the load tools: one that tells it by reflection is asked for it at this address, once.
   * Any other comes back as it is. Throws ConfigError where it has no reflection.
   */
  described(service: Service, address: string): Promise<Service>;
}
