import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/foundation/json.ts';
import type { Reply } from '../../../src/model/load.ts';
import { withoutFraming } from '../../../src/protocols/stream.ts';

const stream = { messages: 2, last: 'Ben' };
const USERS = [{ name: 'Ada' }, { name: 'Ben' }];

const reply = (contentType: string, text: string): Reply => ({
  status: '200',
  body: undefined,
  answer: { contentType, text, location: undefined, bytes: text.length, sha256: '' },
});
const messagesOf = (contentType: string, text: string, settings = stream): Json =>
  withoutFraming(null, reply(contentType, text), { stream: settings });

describe('the messages of an answer', () => {
  it.each([
    ['application/x-ndjson', '{"name":"Ada"}\n{"name":"Ben"}\n'],
    ['application/NDJSON; charset=utf-8', '{"name":"Ada"}\r\n\r\n{"name":"Ben"}'],
    ['application/jsonl', '{"name":"Ada"}\n{"name":"Ben"}'],
    ['text/event-stream', 'data: {"name":"Ada"}\n\ndata: {"name":"Ben"}\n\n'],
    [
      'text/event-stream;charset=utf-8',
      ': hello\nevent: user\nid: 1\ndata: {"name":\ndata:"Ada"}\n\n\nretry: 5\n\ndata: {"name":"Ben"}\n\n',
    ],
  ])('are the same for each carrier: %s, %j', (contentType, text) => {
    expect(messagesOf(contentType, text)).toEqual(USERS);
  });

  it.each([[USERS], [{ users: USERS, next: 3 }]])('are the one list in any other answer: %j', (body) => {
    expect(withoutFraming(body, { status: 'OK', body }, { stream })).toEqual(USERS);
    expect(withoutFraming(body, reply('application/json', JSON.stringify(body)), { stream })).toEqual(USERS);
  });

  it('are one if it says that it is a stream, though it is JSON as a whole, too', () => {
    const settings = { messages: 1, last: 'Ben' };

    expect(messagesOf('application/x-ndjson', '{"name":"Ben"}', settings)).toEqual([{ name: 'Ben' }]);
  });

  it.each([
    ['application/x-ndjson', '{"name":"Ben"}\n', 'its stream has 1 messages; expected: 2'],
    ['text/event-stream', 'data: 1\n\ndata: 2\n\ndata: 3\n\n', 'its stream has 3 messages; expected: 2'],
    ['text/event-stream', 'data: 1\n\ndata: "Ben"\n', 'its stream has 1 messages'],
    [
      'application/x-ndjson',
      '{"name":"Ben"}\n{"name":"Ada"}\n',
      'the last message of its stream does not contain "Ben"',
    ],
    ['application/x-ndjson', '1\n{"name"\n', 'message 2 of its stream is not valid JSON'],
    ['application/json', '{"a":[1],"b":[2]}', 'did not answer with a stream'],
    ['text/plain', 'Ben', 'did not answer with a stream'],
  ])('are refused if they are not as they are to be: %s, %j', (contentType, text, message) => {
    const body: Json = contentType === 'application/json' ? JSON.parse(text) : text;

    expect(() => withoutFraming(body, reply(contentType, text), { stream })).toThrow(message);
  });
});

it('an answer of an operation without `stream` is compared unchanged', () => {
  expect(withoutFraming('text', reply('application/x-ndjson', '1\n2\n'), {})).toBe('text');
});
