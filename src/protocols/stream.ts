import { MeasurementError } from '../foundation/errors.ts';
import type { Json } from '../foundation/json.ts';
import type { Reply } from '../model/load.ts';
import type { Operation, StreamSettings } from '../model/suite/suite.ts';

const LINES = /^application\/(?:x-ndjson|ndjson|jsonl)$/;

/** Compared part of a response: its messages with `stream`, else itself. Throws MeasurementError for unexpected messages. */
export function withoutFraming(whole: Json, { answer }: Reply, { stream }: Pick<Operation, 'stream'>): Json {
  return stream === undefined ? whole : checked(messagesOf(whole, answer), stream);
}

/** Messages by content type: lines of NDJSON, data of server-sent events, or the list in any other response. */
function messagesOf(whole: Json, answer: Reply['answer']): readonly Json[] {
  const type = (answer?.contentType ?? '').replace(/;.*$/s, '').trim().toLowerCase();
  if (answer !== undefined && LINES.test(type)) {
    return linesOf(answer.text)
      .filter((line) => line !== '')
      .map(parsed);
  }
  if (answer !== undefined && type === 'text/event-stream') {
    return eventsIn(answer.text).map(parsed);
  }
  return listIn(whole);
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/);
}

/** Data of each event that ends with an empty line. */
function eventsIn(text: string): readonly string[] {
  const events: string[] = [];
  let data: string[] = [];
  // The text after the last line break is an incomplete line.
  for (const line of linesOf(text).slice(0, -1)) {
    if (line.startsWith('data:')) {
      data.push(line.slice('data:'.length).replace(/^ /, ''));
    } else if (line === '' && data.length > 0) {
      events.push(data.join('\n'));
      data = [];
    }
  }
  return events;
}

function parsed(text: string, index: number): Json {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw misfit(`message ${index + 1} of its stream is not valid JSON`, cause);
  }
}

/** The response if it is a list, or the only list in it. */
function listIn(whole: Json): readonly Json[] {
  if (Array.isArray(whole)) {
    return whole;
  }
  const lists = whole !== null && typeof whole === 'object' ? Object.values(whole).filter(Array.isArray) : [];
  const [list] = lists;
  if (list === undefined || lists.length > 1) {
    throw misfit(
      'did not answer with a stream: expected NDJSON, server-sent events, a gRPC stream or one list of messages',
    );
  }
  return list;
}

function checked(messages: readonly Json[], { messages: count, last = '' }: StreamSettings): Json {
  if (messages.length !== count) {
    throw misfit(`its stream has ${messages.length} messages; expected: ${count}`);
  }
  if (!JSON.stringify(messages.at(-1)).includes(last)) {
    throw misfit(`the last message of its stream does not contain ${JSON.stringify(last)}`);
  }
  return [...messages];
}

function misfit(what: string, cause?: unknown): MeasurementError {
  return new MeasurementError(what, {
    code: 'WG-307',
    cause,
    next: 'Fix the service, or `stream` of the operation.',
  });
}
