export { BlockPlayer, type CpuSeconds, type DriverChannel, type DriverEnd } from './driver/driver.ts';
export { assertDiskHasRoom, recordsIn, writeInputs } from './driver/files.ts';
export { DRIVER, driverVersion } from './driver/source.ts';
export { GENERATORS, generatorFor } from './generators.ts';
export { chosen, dueIntervals, firstNotBelow, joinedColumns, type TimedPart, timedParts } from './records.ts';
export { type GobCursor, readInt, readUint } from './vegeta/gob.ts';
