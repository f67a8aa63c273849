import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { outputFolder } from '../adapters/output-folder.ts';
import { hasTerminal, withQuestions } from '../adapters/questions.ts';
import { scanRepository } from '../adapters/repository-scan.ts';
import { withoutCommands } from '../adapters/workflow-command.ts';
import { MOST_OPERATIONS, projectText } from '../app/init/project-text.ts';
import type { Proposal } from '../app/init/proposal.ts';
import { proposeServices } from '../app/init/propose.ts';
import { WORKFLOW_TEXT } from '../app/init/workflow-text.ts';
import { ConfigError } from '../core/errors.ts';
import { cleanText } from '../reports/escape.ts';
import { askAbout } from './init-questions.ts';
import { remarkLog, tellResult } from './result.ts';
import { INTERRUPTED } from './signals.ts';
import { PROJECT_FILE } from './suite.ts';

export interface InitFlags {
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const WORKFLOW_FILE = '.github/workflows/performance.yml';

/**
 * `wiregauge init`: writes a `wiregauge.yml` and a workflow for the repository in a folder, by what lies there; asks at a terminal only.
 * Exit code 0; 130 where nobody answered to the end. Throws ConfigError, and writes nothing, where one of the files is there already.
 */
export async function init(folder: string | undefined, flags: InitFlags): Promise<number> {
  const root = resolve(folder ?? '.');
  const scan = scanRepository(root);
  if (flags.force !== true && flags.dryRun !== true) {
    refuseExisting(root);
  }
  const log = remarkLog(flags);
  for (const line of scan.unread) {
    log(withoutCommands(`not looked at: ${cleanText(line)}`));
  }
  const proposals = proposeServices({ name: basename(root), files: scan.files });
  const isAsked = flags.yes !== true && flags.json !== true && flags.dryRun !== true && hasTerminal();
  const chosen = isAsked ? await withQuestions((ask) => askAbout(proposals, ask)) : proposals[0];
  if (chosen === undefined) {
    process.stderr.write('\nwiregauge: nothing was written\n');
    return INTERRUPTED;
  }
  const files = { [PROJECT_FILE]: projectText(chosen), [WORKFLOW_FILE]: WORKFLOW_TEXT };
  if (flags.dryRun !== true) {
    await writeAll(root, files);
  }
  // It may have been given another name.
  const isChosen = ({ folder: at, image }: Proposal): boolean => at === chosen.folder && image === chosen.image;
  const others = proposals.filter((one) => !isChosen(one)).map(({ name }) => name);
  const told = { chosen, others, files, isDry: flags.dryRun === true };
  tellResult({ command: 'init', json: flags.json }, { text: () => toldText(told), data: () => toldData(root, told) });
  return 0;
}

function refuseExisting(root: string): void {
  const found = [PROJECT_FILE, WORKFLOW_FILE].find((path) => existsSync(join(root, path)));
  if (found !== undefined) {
    throw new ConfigError(`${found} is there already`, {
      next: '`wiregauge init --dry-run` prints what would be written, and `--force` overwrites it.',
    });
  }
}

async function writeAll(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const at = path.lastIndexOf('/') + 1;
    await (await outputFolder(join(root, path.slice(0, at)))).write(path.slice(at), text);
  }
}

interface Told {
  readonly chosen: Proposal;
  /** Names of other services that were found. */
  readonly others: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly isDry: boolean;
}

function toldText({ chosen, others, files, isDry }: Told): string {
  if (isDry) {
    return Object.entries(files)
      .map(([path, text]) => `# ${path}\n${text}`)
      .join('\n');
  }
  const { name, protocol, port, needs } = chosen;
  const beside = needs.length === 0 ? '' : `, with ${needs.map((need) => need.name).join(', ')} beside it`;
  const lines = [
    `${name}: ${protocol} on port ${port.number}${port.from === 'guess' ? ' (a guess)' : ''}${beside}`,
    ...(others.length === 0 ? [] : [`left out: ${others.join(', ')}; services of one file answer the same operations`]),
    ...Object.keys(files).map((path) => `wrote ${path}`),
    'Look over the first of them, and then:',
    '  npx wiregauge doctor                 # whether all is there that measuring needs',
    '  npx wiregauge run --profile smoke    # try it, within two minutes',
  ];
  return `${lines.join('\n')}\n`;
}

function toldData(root: string, { chosen, others, files, isDry }: Told): object {
  const { name, protocol, port, needs, operations } = chosen;
  return {
    root,
    service: { name, protocol, port: port.number, needs: needs.map((need) => need.name) },
    operations: operations.slice(0, MOST_OPERATIONS).map((operation) => operation.name),
    others,
    written: isDry ? [] : Object.keys(files),
    files,
  };
}
