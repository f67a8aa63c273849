import { describe, expect, test } from 'vitest';
import { ConfigError, EnvironmentError, MeasurementError } from '../../../../src/foundation/errors.ts';
import {
  inRepository,
  inWords,
  maskingFolders,
  namingNoFolder,
} from '../../../../src/measure/session/versions/words.ts';
import { NO_SECRETS } from '../../../support/secrets.ts';

describe('what is said of a version', () => {
  const folders = [
    { root: '/tmp/wiregauge-0-12-34-a/b/shop', ref: 'main' },
    { root: '/tmp/wiregauge-0-12-34-c/d/shop', ref: 'working tree' },
  ];

  test.each([
    ['/tmp/wiregauge-0-12-34-a/b/shop/src/app.ts:3: error', 'src/app.ts:3: error'],
    [
      'Repeat it by hand in /tmp/wiregauge-0-12-34-a/b/shop: docker build',
      'Repeat it by hand in a checkout of main: docker build',
    ],
    ['go cannot be started in /tmp/wiregauge-0-12-34-c/d/shop', 'go cannot be started in your working tree'],
    ['nothing of a folder', 'nothing of a folder'],
  ])('names no folder that is gone by then: %s', (text, expected) => {
    expect(inRepository(text, folders)).toBe(expected);
  });

  test.each([ConfigError, EnvironmentError, MeasurementError])(
    'is the same kind of error, in the same way (%o)',
    async (Kind) => {
      const thrown = new Kind('it failed in /tmp/wiregauge-0-12-34-a/b/shop', {
        next: 'See /tmp/wiregauge-0-12-34-a/b/shop/log.',
      });

      const known = await namingNoFolder(folders, async () => {
        throw thrown;
      }).catch((error: unknown) => error);

      expect(known).toBeInstanceOf(Kind);
      expect(known).toMatchObject({ message: 'it failed in a checkout of main', next: 'See log.', cause: thrown });
    },
  );

  test('is left as it is if it is a fault of this program, or names no folder', async () => {
    const fault = new RangeError('a fault at /tmp/wiregauge-0-12-34-a/b/shop');

    const known = new MeasurementError('it ended by itself', { next: 'See its log.' });

    await expect(namingNoFolder(folders, () => Promise.reject(fault))).rejects.toBe(fault);
    await expect(namingNoFolder(folders, () => Promise.reject(known))).rejects.toBe(known);
    await expect(namingNoFolder(folders, async () => 7)).resolves.toBe(7);
  });

  test('is kept in a run without the folders, and without secrets', () => {
    const secrets = { ...NO_SECRETS, mask: (text: string) => text.replace('tok-en-12', '***') };
    const { mask } = maskingFolders(secrets, folders);

    expect(mask('/tmp/wiregauge-0-12-34-a/b/shop/app.py: tok-en-12')).toBe('app.py: ***');
  });

  test.each([ConfigError, EnvironmentError, MeasurementError])('holds a secret in none of its texts (%o)', (Kind) => {
    const secret = 'hunter22';
    const error = new Kind(`a ${secret}`, { brief: `b ${secret}`, printed: `c ${secret}`, next: `d ${secret}` });

    const { message, brief, printed, next } = inWords(error, (text) => text.replaceAll(secret, '***'));

    expect([message, brief, printed, next]).toEqual(['a ***', 'b ***', 'c ***', 'd ***']);
  });
});
