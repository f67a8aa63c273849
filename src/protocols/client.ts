import type { Reply, TargetRequest } from '../model/load.ts';
import { resolvedRequest, resolvedService, type Secrets } from '../model/secrets/secrets.ts';
import type { Contract, DescriptorSet, Service } from '../model/service.ts';
import { PROTOCOLS } from './protocols.ts';

/** Sends single requests over new connections. A response of any status is a reply; without one it throws MeasurementError. */
export function protocolClient(secrets: Secrets): Client {
  const reflected = new Map<Contract, DescriptorSet>();
  const described = async (service: Service, address: string): Promise<Service> => {
    const { proto } = service;
    if (proto === undefined || !('reflection' in proto)) {
      return service;
    }
    // Loaded on demand, since it is large.
    const { reflectedSet } = await import('./grpc/reflection.ts');
    const set = reflected.get(proto) ?? (await reflectedSet({ service: resolvedService(service, secrets), address }));
    reflected.set(proto, set);
    return { ...service, proto: set };
  };
  return {
    call: async (service, address, request) =>
      await PROTOCOLS[service.protocol].call({
        service: resolvedService(await described(service, address), secrets),
        address,
        request: resolvedRequest(request, secrets),
      }),
    described,
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
