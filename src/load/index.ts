export { assertDiskHasRoom, BlockPlayer, type CpuSeconds, recordsIn, writeInputs } from './driver/blocks.ts';
export type { DriverChannel, DriverEnd } from './driver/driver.ts';
export { DRIVER, driverVersion } from './driver/source.ts';
export { GENERATORS, generatorFor } from './generators.ts';
export { chosen, dueIntervals, firstNotBelow, joinedColumns, type TimedPart, timedParts } from './records.ts';
export { type GobCursor, readInt, readUint } from './vegeta/gob.ts';
