import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../measure/session/budget.ts';
import type { Mode } from '../../model/plan.ts';
import { MOST_SHARDS, type ShardName } from '../../model/run/shards.ts';

/** Names with commas between them. */
export function commaSeparated(text: string): string[] {
  const names = text.split(',').filter((name) => name !== '');
  if (names.length === 0) {
    throw new InvalidArgumentError('Give names with commas between them.');
  }
  if (new Set(names).size < names.length) {
    throw new InvalidArgumentError('A name is given twice.');
  }
  return names;
}

/** Modes of `wiregauge run`, with commas between them. */
export function modesOf(text: string): Mode[] {
  return commaSeparated(text).map((mode) => {
    if (mode !== 'open' && mode !== 'saturate') {
      throw new InvalidArgumentError('Modes are open and saturate.');
    }
    return mode;
  });
}

/** A whole number from 1 that fits into 31 bits. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number >= 2 ** 31) {
    throw new InvalidArgumentError('Give a whole number from 1.');
  }
  return number;
}

/** The id of a workflow's run: larger than most numbers. */
export function runIdOf(text: string): number {
  const id = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError('Give the id of a workflow run, a whole number.');
  }
  return id;
}

/** Seconds of a length of time like "90s" or "10m". */
export function durationOf(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) {
    throw new InvalidArgumentError('Give a length of time like 90s, 10m or 1h.');
  }
  return seconds;
}

/** Milliseconds of a latency like "50ms" or "1.5s". */
export function latencyOf(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text) ?? [];
  const milliseconds = Number(number) * (unit === 's' ? 1000 : 1);
  if (!(milliseconds > 0)) {
    throw new InvalidArgumentError('Give a latency like 50ms or 1.5s.');
  }
  return milliseconds;
}

/** Requests per second of a rate like "3000" or "3000/s". */
export function rateOf(text: string): number {
  const rate = Number(/^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text)?.[1]);
  if (!(rate > 0)) {
    throw new InvalidArgumentError('Give a rate like 3000 or 3000/s.');
  }
  return rate;
}

/** A shard like "1/2". */
export function shardOf(text: string): ShardName {
  const [, index, of] = /^([1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (!(shard.index <= shard.of && shard.of <= MOST_SHARDS)) {
    throw new InvalidArgumentError(`Give a shard like 1/2, of at most ${MOST_SHARDS}.`);
  }
  return shard;
}

/** How many shards: a number, or "auto" for one of each service. */
export function shardCountOf(text: string): number | 'auto' {
  const count = text === 'auto' ? text : wholeNumber(text);
  if (count !== 'auto' && count > MOST_SHARDS) {
    throw new InvalidArgumentError(`Give a whole number from 1 to ${MOST_SHARDS}, or auto.`);
  }
  return count;
}
