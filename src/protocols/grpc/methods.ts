import type protobuf from 'protobufjs';
import { withFallback } from '../../foundation/errors.ts';
import type { Running } from '../call.ts';
import type { Client } from '../client.ts';
import { readContract } from './contract.ts';

/** Methods in the contract of a running service, also by reflection; undefined if it has none, or if it cannot be read. */
export async function methodsOf(
  client: Client,
  { service, address }: Running,
): Promise<readonly protobuf.Method[] | undefined> {
  return await withFallback(async () => {
    const isReflected = service.proto !== undefined && 'reflection' in service.proto;
    const contract = readContract(isReflected ? await client.described(service, address) : service);
    return contract.calls.map((call) => contract.method(call));
  });
}
