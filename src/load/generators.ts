import type { GeneratorName } from '../model/load.ts';
import type { ProtocolName, Transport } from '../model/service.ts';
import { PROTOCOLS } from '../protocols/protocols.ts';

/** Generator that drives each transport. */
const GENERATORS: Readonly<Record<Transport, GeneratorName>> = { grpc: 'ghz', http: 'vegeta', websocket: 'websocket' };

/** The load generator that sends the requests of a protocol. */
export function generatorFor(protocol: ProtocolName): GeneratorName {
  return GENERATORS[PROTOCOLS[protocol].transport];
}
