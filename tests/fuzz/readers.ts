import type { Reader } from './outcome.ts';
import { ANSWER_READERS } from './readers-answers.ts';
import { CONFIG_READERS } from './readers-config.ts';
import { FOREIGN_READERS } from './readers-foreign.ts';
import { STORED_READERS } from './readers-stored.ts';
import { TOOL_READERS } from './readers-tools.ts';

/** All that reads what others write. */
export const FUZZED: readonly Reader[] = [
  ...CONFIG_READERS,
  ...FOREIGN_READERS,
  ...STORED_READERS,
  ...TOOL_READERS,
  ...ANSWER_READERS,
];
