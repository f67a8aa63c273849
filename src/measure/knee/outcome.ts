import type { SaturateRecord, ServiceKnee } from './record.ts';

/** 0 as wanted, 1 a service holds less than was asked for, 2 nothing can be told. */
export type SaturateExit = 0 | 1 | 2;

/**
 * The exit code of a search. Without a rate that is asked for: 0 where the knee of every service was found, else 2. With one: 0 where
 * every service holds it, 1 where one is known not to, 2 where neither can be told.
 */
export function exitCodeOfSaturate({ services, complete }: SaturateRecord, leastRps: number | undefined): SaturateExit {
  const codes = services.map((service) => (leastRps === undefined ? foundCode(service) : heldCode(service, leastRps)));
  if (codes.includes(1)) {
    return 1;
  }
  return codes.includes(2) || codes.length === 0 || (!complete && leastRps === undefined) ? 2 : 0;
}

function foundCode({ conclusion }: ServiceKnee): SaturateExit {
  return conclusion.kind === 'found' ? 0 : 2;
}

function heldCode({ conclusion: { kind, held } }: ServiceKnee, leastRps: number): SaturateExit {
  if (held !== undefined && held.offeredRps >= leastRps) {
    return 0;
  }
  return kind === 'found' || kind === 'none' ? 1 : 2;
}
