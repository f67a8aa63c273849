import type { Limits } from '../app/ports.ts';
import type { ProgramLimits } from '../core/service.ts';

/** What the load tools of a service may use: as much memory as it may, since whoever answers at length is heard at length. */
export function loadLimits(usual: Limits, service: ProgramLimits | undefined): Limits {
  return { ...usual, memoryMiB: Math.max(usual.memoryMiB, service?.memoryMiB ?? 0) };
}
