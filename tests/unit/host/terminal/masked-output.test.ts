import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { maskOutput } from '../../../../src/host/terminal/output.ts';

test('all texts that are written to the streams pass through the mask, and say when they are written', async () => {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });

  maskOutput((text) => text.replaceAll('secret', '***'), [stream]);

  await new Promise<unknown>((resolve) => stream.write('a secret\n', resolve));
  stream.write(Buffer.from([65]));
  expect(written).toEqual(['a ***\n', 'A']);
});
