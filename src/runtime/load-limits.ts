import type { ProgramLimits } from '../model/service.ts';
import type { Limits } from './ports.ts';

/** What the load tools of a service may use: as much memory as it may, since whoever answers at length is heard at length. */
export function loadLimits(usual: Limits, service: ProgramLimits | undefined): Limits {
  return { ...usual, memoryMiB: Math.max(usual.memoryMiB, service?.memoryMiB ?? 0) };
}
