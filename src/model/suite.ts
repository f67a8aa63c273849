import type { Json } from '../foundation/json.ts';
import type { GrpcBinding } from './grpc-binding.ts';
import type { MetricName } from './metric.ts';
import type { PolicyChange } from './policy.ts';
import type { RestBinding } from './rest-binding.ts';
import type { StudyFinding } from './study-schema.ts';
import type { Tier } from './tier.ts';

/** A set of services, operations and tiers that are measured together. */
export interface Suite {
  readonly name: string;
  readonly title: string;
  /** Names of services, the reference first. */
  readonly services: readonly string[];
  readonly operations: readonly Operation[];
  readonly tiers: readonly Tier[];
  readonly saturation: Saturation;
  readonly sweep?: Sweep | undefined;
  readonly published: Published | undefined;
  /** How a comparison of two versions is judged, where it differs from the usual. */
  readonly policy: PolicyChange;
}

/** One thing that every service of a suite can do, with the same answer over every protocol. */
export interface Operation {
  readonly name: string;
  readonly kind: 'unary';
  /** Share of the arrivals, 0 to 1; the shares of a suite add up to 1. */
  readonly share: number;
  /** One request each, taken in turn. */
  readonly arguments: readonly Readonly<Record<string, Json>>[];
  readonly bindings: Bindings;
  /** What is asked of its answers before anything is measured; undefined for `answer`. */
  readonly verify?: Verification | undefined;
}

/** How an operation is asked for, by protocol. */
export interface Bindings {
  readonly rest?: RestBinding;
  readonly grpc?: GrpcBinding;
}

/** Nothing; that they are as expected; or also that they are the same from every service and version. */
export type Verification = 'none' | 'status' | 'answer';

/** A closed loop: so many workers that each send the next request as soon as the last is answered. */
export interface Saturation {
  readonly workers: number;
}

/** An argument that the suite makes larger from tier to tier, to see how its services take it. */
export interface Sweep {
  /** Of the one operation that each tier of the sweep asks for. */
  readonly argument: string;
  /** What it counts: "objects in an answer". */
  readonly title: string;
  /** Pictures that show some of the services each. */
  readonly panels: readonly SweepPanel[];
}

export interface SweepPanel {
  readonly title: string;
  readonly services: readonly string[];
}

/** What a study published about its own machine; shown beside ours, never judged. */
export interface Published {
  readonly source: string;
  readonly note: string;
  readonly figures: readonly PublishedFigure[];
  /** What it found, to be tested here. */
  readonly findings?: readonly StudyFinding[] | undefined;
}

export interface PublishedFigure {
  readonly service: string;
  readonly tier: string;
  readonly metric: MetricName;
  /** As printed there, for example "<1 ms". */
  readonly text: string;
}
