import * as z from 'zod';
import type { Preparation, ProtocolName } from '../../model/service.ts';
import { missingKey, type Protocol } from '../../protocols/protocol.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import { contentAt, type ServicePlace } from '../reader.ts';
import type { Path } from '../yaml/frame.ts';
import { bindingKeys, jsonPath } from './draft.ts';

const MOST = 20;

/** The `prepare` key of a service. */
export const preparations = z
  .array(
    z.strictObject({
      ...bindingKeys,
      capture: z
        .record(z.string().regex(/^[A-Za-z]\w{0,59}$/, 'must be a name of letters, digits and underscores'), jsonPath)
        .optional()
        .describe('Paths of values in the answer, like `{ token: $.user.token }`.'),
    }),
  )
  .min(1)
  .max(MOST)
  .describe('Requests sent once after each start, such as a login.');

/** Requests of the key over the protocol of its service. Throws ConfigError with file and line if one has none. */
export function preparationsOf(
  found: z.output<typeof preparations>,
  protocol: ProtocolName,
  { at, reading }: ServicePlace,
): readonly Preparation[] {
  const { bindingOf }: Protocol = PROTOCOLS[protocol];
  return found.map(({ capture = {}, ...sources }, index) => {
    const own = (...steps: Path): string => at('prepare', index, protocol, ...steps);
    if (sources[protocol] === undefined) {
      throw missingKey(own());
    }
    const contentOf = (file: string, ...steps: Path): string => contentAt(file, own(...steps), reading.readFile).base64;
    const binding = bindingOf(sources[protocol], { at: own, contentOf, rows: [{}] });
    return { place: at('prepare', index), binding, capture };
  });
}
