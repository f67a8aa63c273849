import { readFileSync } from 'node:fs';
import { allCommands } from '../../src/commands/program/help.ts';
import { commandLine } from '../../src/commands/program/program.ts';
import { withInputs, withTables } from './action-tables.ts';
import { withCommandReference } from './command-reference.ts';
import { withMetrics } from './metric-table.ts';
import { withProfiles } from './profile-table.ts';
import { withRunners } from './runner-table.ts';
import { withSchemaTables } from './schema/tables.ts';
import { withServiceTable } from './service-table.ts';

const COMMANDS = allCommands(commandLine(() => undefined));

const withAction = (text: string): string => withTables(text, readFileSync('action.yml', 'utf8'));

/** The documents that have parts made from the source, each with what fills them in. */
export const GENERATED: Readonly<Record<string, (text: string) => string>> = {
  'action.yml': withInputs,
  'docs/action.md': withAction,
  'docs/cli.md': withProfiles,
  'docs/commands.md': (text) => withCommandReference(text, COMMANDS),
  'docs/config.md': (text) => withSchemaTables(text),
  'docs/metrics.md': withMetrics,
  'docs/runners.md': (text) => withRunners(text),
  'services/README.md': (text) => withServiceTable(text),
};
