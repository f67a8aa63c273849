import type { Generator, GeneratorName, ProtocolName } from '../model/index.ts';
import { PROTOCOLS } from '../protocols/index.ts';
import { ghz } from './ghz/ghz.ts';
import { vegeta } from './vegeta/vegeta.ts';

/** Every load generator, by its name. A new one is one more line. */
export const GENERATORS: Readonly<Record<GeneratorName, Generator>> = { ghz, vegeta };

/** The load generator that sends the requests of a protocol. */
export function generatorFor(protocol: ProtocolName): Generator {
  const { transport } = PROTOCOLS[protocol];
  const generator = Object.values(GENERATORS).find(({ drives }) => drives === transport);
  if (generator === undefined) {
    throw new RangeError(`no load generator drives ${protocol}`);
  }
  return generator;
}
