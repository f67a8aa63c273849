import type protobuf from 'protobufjs';
import { KnownError } from '../../foundation/errors.ts';
import type { Service } from '../../model/service.ts';
import type { Client } from '../client.ts';
import { readContract } from './contract.ts';

/** Methods in the contract of a running service by reflection; undefined if the service does not use it, or if it fails. */
export async function reflectedMethods(
  client: Client,
  { service, address }: { readonly service: Service; readonly address: string },
): Promise<readonly protobuf.Method[] | undefined> {
  if (service.proto === undefined || !('reflection' in service.proto)) {
    return undefined;
  }
  try {
    const contract = readContract(await client.described(service, address));
    return contract.calls.map((call) => contract.method(call));
  } catch (thrown) {
    if (thrown instanceof KnownError) {
      return undefined;
    }
    throw thrown;
  }
}
