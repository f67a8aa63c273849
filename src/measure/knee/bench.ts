import type { Service } from '../../model/service.ts';
import type { OutputFolder, RunningService } from '../../runtime/ports.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Questioning } from '../service/verify.ts';
import type { Criteria } from './criteria.ts';
import type { SaturateRecord } from './record.ts';

/** What every step of a search works with. */
export interface SaturateBench extends Questioning {
  readonly secrets: Secrets;
  readonly output: OutputFolder;
  readonly criteria: Criteria;
  /** Measured of each step. */
  readonly stepSeconds: number;
  /** Of all services together. */
  readonly budgetSeconds: number;
}

/** A started service, with its contract in hand. */
export interface Started {
  readonly service: Service;
  readonly running: RunningService;
}

/** What a record is besides its measurements. */
export type SaturateHead = Omit<SaturateRecord, 'complete' | 'services'>;

/** The file that a search leaves in its output folder, written anew after every step. */
export const SATURATE_FILE = 'saturate.json';

/** Of each step, before it is measured: connections are made, and the first requests of a burst answered. */
export const STEP_WARMUP_SECONDS = 2;
