import { ConfigError } from '../../foundation/index.ts';
import type { RoundsRecord } from '../../model/index.ts';
import { type ShardName, servicesByShard } from '../../model/index.ts';
import { onlyServices, type VersionSuites } from './versions.ts';

/** What one job measures of a comparison. */
export interface Share {
  /** With the services of this job alone; everything else, as the hash of the configuration, is that of the whole. */
  readonly suites: VersionSuites;
  /** How the whole is split; undefined where one job measures all of it. */
  readonly shards: RoundsRecord['shards'];
}

/** What a share is taken from. */
interface Asked {
  readonly services?: readonly string[];
  readonly shard?: ShardName;
  readonly pullRequest?: string;
}

/**
 * The share of a comparison that was asked for, or all of it. The services of the head are shared out, so that every job comes to the
 * same division; what only the base has is the first shard's to tell. Throws ConfigError for more shards than services.
 */
export function shareOf(suites: VersionSuites, { services: asked, shard, pullRequest }: Asked): Share {
  if (shard === undefined) {
    return { suites, shards: undefined };
  }
  if (pullRequest !== undefined) {
    throw new ConfigError('--pull-request does not go with --shard: one shard alone is not what a label accepts', {
      next: 'Give it to `wiregauge merge --judge`, which judges all shards.',
    });
  }
  const all = asked ?? suites.head.ownServices;
  const gone = asked === undefined ? suites.base.ownServices.filter((service) => !all.includes(service)) : [];
  const services = servicesByShard(all, shard.of).map((own, place) => (place === 0 ? [...own, ...gone] : own));
  const own = services[shard.index - 1] ?? [];
  const { suite, base, head } = suites;
  return {
    suites: {
      suite: { ...suite, services: suite.services.filter((service) => own.includes(service)) },
      base: onlyServices(base, own),
      head: onlyServices(head, own),
    },
    shards: { kind: 'shard', of: shard.of, index: shard.index, services },
  };
}

/** What `run.json` says of a version, with the services of this share alone. */
export function ownRecord(record: RoundsRecord['base'], shards: RoundsRecord['shards']): RoundsRecord['base'] {
  const own = shards?.kind === 'shard' ? (shards.services[shards.index - 1] ?? []) : record.services;
  return { ...record, services: record.services.filter((service) => own.includes(service)) };
}
