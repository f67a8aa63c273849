import type { Row } from './row.ts';
import { CONTAINERS } from './rows/containers.ts';
import { ENDS } from './rows/ends.ts';
import { FILES } from './rows/files.ts';
import { MACHINE } from './rows/machine.ts';
import { SERVICES } from './rows/services.ts';
import { TEXTS } from './rows/texts.ts';

/** They take minutes, except those that are played in this process. */
const atNight = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => ({ ...row, nightly: !('argv' in row.by && row.by.isInside === true) }));

/** Cases of all kinds. */
export const ROWS: readonly Row[] = [...FILES, ...SERVICES, ...atNight([...TEXTS, ...MACHINE, ...ENDS, ...CONTAINERS])];
