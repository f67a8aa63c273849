import type { GeneratorName, ProtocolName, Transport } from '../model/index.ts';
import { PROTOCOLS } from '../protocols/index.ts';

/** Generator that drives each transport. */
const GENERATORS: Readonly<Record<Transport, GeneratorName>> = { grpc: 'ghz', http: 'vegeta', websocket: 'websocket' };

/** The load generator that sends the requests of a protocol. */
export function generatorFor(protocol: ProtocolName): GeneratorName {
  return GENERATORS[PROTOCOLS[protocol].transport];
}
