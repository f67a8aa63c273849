import { expect, test } from 'vitest';
import { textOfFrames } from '../../../../src/runtime/docker/container.ts';

test('puts the pieces of both streams together in their order', () => {
  const raw = Buffer.concat([frame(1, 'Listening on 0.0.0.0:5000\n'), frame(2, 'Traceback: zu groß\n'), frame(1, '')]);

  expect(textOfFrames(raw)).toBe('Listening on 0.0.0.0:5000\nTraceback: zu groß\n');
});

test('gives what there is of a log that was cut off', () => {
  const raw = Buffer.concat([frame(1, 'one\n'), frame(1, 'two\n').subarray(0, 10)]);

  expect(textOfFrames(raw)).toBe('one\ntw');
});

test('gives nothing for an empty log', () => {
  expect(textOfFrames(Buffer.alloc(0))).toBe('');
});

function frame(stream: number, text: string): Buffer {
  const payload = Buffer.from(text);
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}
