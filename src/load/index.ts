export { BlockPlayer, type CpuSeconds, type DriverChannel, type DriverEnd } from './driver/driver.ts';
export { DRIVER, driverVersion } from './driver/source.ts';
export { generatorFor } from './generators.ts';
export { readRecords } from './record-file.ts';
export { chosen, firstNotBelow, joinedColumns, type TimedPart, timedParts } from './records.ts';
