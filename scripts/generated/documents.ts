import { readFileSync } from 'node:fs';
import { withInputs, withTables } from './action-tables.ts';
import { withMetrics } from './metric-table.ts';
import { withProfiles } from './profile-table.ts';
import { withRunners } from './runner-table.ts';
import { withSchemaTables } from './schema/tables.ts';
import { withServiceTable } from './service-table.ts';

const withAction = (text: string): string => withTables(text, readFileSync('action.yml', 'utf8'));

/** Documents with parts generated from the source, each with its generator. */
export const GENERATED: Readonly<Record<string, (text: string) => string>> = {
  'action.yml': withInputs,
  'docs/action.md': withAction,
  'docs/cli.md': withProfiles,
  'docs/config.md': (text) => withSchemaTables(text),
  'docs/metrics.md': withMetrics,
  'docs/runners.md': (text) => withRunners(text),
  'services/README.md': (text) => withServiceTable(text),
};
