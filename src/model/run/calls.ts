import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf } from '../../foundation/schema.ts';
import { count, side } from '../fields.ts';
import { failureSchema } from './rounds.ts';

const text = z.string().max(400);

const MAX_COMMANDS = 2000;

const TOO_MANY = `has more than ${MAX_COMMANDS} commands`;

/** Calls of a service to one of its needs or members, as counted by the relay (tools/load/cmd/wiregauge-load/relay.go). */
export const needCallsSchema = z.object({
  name,
  /** Empty before the first bytes. */
  protocol: text,
  connections: count,
  roundTrips: count,
  commands: z.record(text, count),
  sentBytes: count,
  receivedBytes: count,
  /** Reason why not all commands can be read: round trips are counted instead. Empty if they can. */
  unread: text,
});

export type NeedCalls = z.infer<typeof needCallsSchema>;

const called = z.object({
  operation: name,
  need: name,
  /** Requests in each window. */
  requests: count.positive(),
  connections: listOf(count),
  roundTrips: listOf(count),
  bytes: listOf(count),
  commands: z.record(text, listOf(count)).refine((all) => Object.keys(all).length <= MAX_COMMANDS, TOO_MANY),
});

const start = z.object({
  service: name,
  side,
  /** Number of the start of a service and side, from 1. */
  start: count.positive(),
  operations: listOf(called),
  /** Commands that a service sends without a request: they are not counted. */
  idle: listOf(text),
  /** Bytes that a request allocated on the heap of a JVM, from the log of its collector; such a start has no operations. */
  allocated: count.optional(),
  /** Needs and members whose commands cannot be read, with reasons. */
  unread: listOf(z.object({ need: name, reason: text })),
});

export const callsSchema = z.object({
  starts: listOf(start),
  failures: listOf(failureSchema.extend({ service: name, side })),
});

export type CallsRecord = z.infer<typeof callsSchema>;

export type CallsStart = CallsRecord['starts'][number];
