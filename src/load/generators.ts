import type { Generator, GeneratorName, ProtocolName } from '../model/index.ts';
import { PROTOCOLS } from '../protocols/index.ts';
import { ghz } from './ghz/ghz.ts';
import { vegetaReader } from './vegeta/records.ts';
import { vegeta } from './vegeta/vegeta.ts';

/** Messages over a WebSocket: the driver alone sends them, and records them as vegeta does (tools/load/cmd/wiregauge-load/websocket.go). */
const websocket: Generator = { name: 'websocket', drives: 'websocket', reader: vegetaReader };

/** Every load generator, by its name. A new one is one more line. */
export const GENERATORS = { ghz, vegeta, websocket } as const satisfies Readonly<Record<GeneratorName, Generator>>;

/** The load generator that sends the requests of a protocol. */
export function generatorFor(protocol: ProtocolName): Generator {
  const { transport } = PROTOCOLS[protocol];
  const generator = Object.values(GENERATORS).find(({ drives }) => drives === transport);
  if (generator === undefined) {
    throw new RangeError(`no load generator drives ${protocol}`);
  }
  return generator;
}
