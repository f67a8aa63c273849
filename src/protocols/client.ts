import type { Reply, TargetRequest } from '../model/load.ts';
import type { ProtocolName, Service } from '../model/service.ts';
import { resolvedRequest, resolvedService, type Secrets } from '../secrets/secrets.ts';
import { contractReader } from './grpc/contract.ts';
import type { Caller } from './protocol.ts';
import { PROTOCOLS } from './protocols.ts';

/**
 * Asks services over their protocol, each time over a new connection. An answer of any status is a reply. Rejects with
 * MeasurementError if none came within the time that the request may take: 5 s if it says nothing else.
 */
export function protocolClient(secrets: Secrets): Client {
  const contractOf = contractReader();
  const callers = Object.fromEntries(
    Object.values(PROTOCOLS).map(({ name, caller }) => [name, caller(contractOf)]),
  ) as Readonly<Record<ProtocolName, Caller>>;
  return {
    call: async (service, address, request) =>
      await callers[service.protocol].call({
        service: resolvedService(service, secrets),
        address,
        request: resolvedRequest(request, secrets),
      }),
    async described(service, address) {
      const found = await callers[service.protocol].described?.(resolvedService(service, secrets), address);
      return found === undefined || found.proto === service.proto ? service : { ...service, proto: found.proto };
    },
  };
}

/** One real request, for readiness and verification. Rejects if the call itself fails. */
export interface Client {
  call(service: Service, address: string, request: TargetRequest): Promise<Reply>;
  /**
   * The service with its contract in hand, for the load tools: one that tells it by reflection is asked for it at this address, once.
   * Any other comes back as it is. Throws ConfigError if it has no reflection.
   */
  described(service: Service, address: string): Promise<Service>;
}
