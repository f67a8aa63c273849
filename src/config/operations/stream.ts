import * as z from 'zod';
import { PROTOCOL_NAMES, type ProtocolName } from '../../model/service.ts';
import { PROTOCOLS, WITH_STREAMS } from '../../protocols/protocols.ts';

const MOST_MESSAGES = 1_000_000;

/** Number and content of the messages in a streamed response. */
export const stream = z
  .strictObject({
    messages: z
      .int()
      .min(1)
      .max(MOST_MESSAGES)
      .describe(`How many messages each answer must have, 1 to ${MOST_MESSAGES}.`),
    last: z.string().min(1).max(200).optional().describe('Text that the last message must contain, like `Zoe`.'),
  })
  .describe(`For ${WITH_STREAMS}: answers are streams of messages, or are compared with streams.`);

/** Refuses `stream` for protocols without streams. */
export function refuseMuteStream(
  found: Readonly<Partial<Record<ProtocolName | 'stream', unknown>>>,
  context: z.RefinementCtx,
): void {
  const mute = PROTOCOL_NAMES.find((name) => found[name] !== undefined && PROTOCOLS[name].streams !== true);
  if (found.stream !== undefined && mute !== undefined) {
    const message = `is for ${WITH_STREAMS}, and cannot be combined with \`${mute}\`, whose answers the load tool cannot read as streams`;
    context.addIssue({ code: 'custom', path: ['stream'], message });
  }
}
