import type { Reply, TargetRequest } from '../model/load.ts';
import { resolvedRequest, resolvedService, type Secrets } from '../model/secrets/secrets.ts';
import type { ProtocolName, Service } from '../model/service.ts';
import { contractReader } from './grpc/contract.ts';
import type { Caller } from './protocol.ts';
import { PROTOCOLS } from './protocols.ts';

/** Sends single requests over new connections. A response of any status is a reply; without one it throws MeasurementError. */
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
    learn: secrets.learn,
  };
}

/** Sends single requests, for readiness and verification. Rejects if a call fails. */
export interface Client {
  call(service: Service, address: string, request: TargetRequest): Promise<Reply>;
  /** Service with its contract; one by reflection is requested once at this address. */
  described(service: Service, address: string): Promise<Service>;
  learn(values: readonly string[]): void;
}
