import type protobuf from 'protobufjs';
import { KnownError } from '../../foundation/errors.ts';
import type { Running } from '../call.ts';
import type { Client } from '../client.ts';
import { readContract } from './contract.ts';

/** Methods in the contract of a running service, also by reflection; undefined if it has none, or if it cannot be read. */
export async function methodsOf(
  client: Client,
  { service, address }: Running,
): Promise<readonly protobuf.Method[] | undefined> {
  if (service.proto === undefined) {
    return undefined;
  }
  try {
    const contract = readContract('reflection' in service.proto ? await client.described(service, address) : service);
    return contract.calls.map((call) => contract.method(call));
  } catch (thrown) {
    if (thrown instanceof KnownError) {
      return undefined;
    }
    throw thrown;
  }
}
