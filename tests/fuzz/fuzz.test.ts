import { describe, expect, test } from 'vitest';
import { CONFIG_READERS } from './readers-config.ts';
import { STORED_READERS } from './readers-stored.ts';
import { TOOL_READERS } from './readers-tools.ts';

const READERS = [...CONFIG_READERS, ...STORED_READERS, ...TOOL_READERS];

/** `npm run fuzz` sets them. */
const { WIREGAUGE_FUZZ_SECONDS, WIREGAUGE_FUZZ_SEED } = process.env;

const seed = WIREGAUGE_FUZZ_SEED === undefined ? undefined : Number(WIREGAUGE_FUZZ_SEED);
const seconds = WIREGAUGE_FUZZ_SECONDS === undefined ? undefined : Number(WIREGAUGE_FUZZ_SECONDS) / READERS.length;

/** Whatever hangs is told after this. */
const timeout = ((seconds ?? 0) + 60) * 1000;

describe('a document that was changed is read, or refused with a message:', () => {
  test.each(READERS)('$name', { timeout }, async ({ search }) => {
    await expect(search({ seed, seconds })).resolves.toBeUndefined();
  });
});
