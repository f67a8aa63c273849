import { join, posix } from 'node:path';
import * as z from 'zod';
import workflows from '../../../../generated/workflows.json' with { type: 'json' };
import { ConfigError } from '../../../foundation/errors.ts';
import { readText } from '../../../host/files/reader.ts';
import { OWN_ROOT } from '../../../project/own-root.ts';

/** Workflows that init writes; the history's only on request. */
export interface WorkflowFiles {
  readonly compare: string;
  readonly command: string;
  readonly history: string | undefined;
  /** Texts by path. */
  readonly texts: Readonly<Record<string, string>>;
}

const FOLDER = '.github/workflows';

/** Tag in the texts, which moves with every release. */
const MOVING = 'wiregauge/wiregauge@v1';

const publishedSchema = z.object({ version: z.string(), gitHead: z.string().regex(/^[0-9a-f]{40}$/) });

/** Reference to the action at the commit of the package, which the release writes into it; the tag for a checkout, which has none. */
export function actionOf(root: string): string {
  const text = readText(join(root, 'package.json'), 'Install Wiregauge again.');
  const { data } = publishedSchema.safeParse(JSON.parse(text));
  return data === undefined ? MOVING : `wiregauge/wiregauge@${data.gitHead} # v${data.version}`;
}

/**
 * Workflows for a folder of a repository, by path relative to it: GitHub reads only those in the root. `directory` is the folder relative to the
 * root, with slashes, empty for the root; workflows of any other folder have their own names, comments and groups. Throws ConfigError for a folder
 * whose name cannot be used in a workflow.
 */
export function workflowFiles(directory: string, withHistory: boolean): WorkflowFiles {
  if (!/^[\w./@+ -]*$/.test(directory)) {
    throw new ConfigError(`the folder name ${directory} cannot be used in a workflow`, {
      code: 'WG-107',
      next: 'Use a folder whose path has only letters, digits, spaces and . _ - / @ +.',
    });
  }
  const id = idOf(directory);
  const up = posix.relative(directory, '');
  const pathOf = (name: string): string => posix.join(up, FOLDER, `${name}${id === '' ? '' : `-${id}`}.yml`);
  const [compare, command] = [pathOf('performance'), pathOf('performance-command')];
  const history = withHistory ? pathOf('history') : undefined;
  return {
    compare,
    command,
    history,
    texts: {
      [compare]: textFor(workflows.performance, directory),
      [command]: textFor(workflows['performance-command'], directory),
      ...(history !== undefined && { [history]: textFor(workflows.history, directory) }),
    },
  };
}

/** Folder name in the names of workflows and groups; empty for the root. */
export function idOf(directory: string): string {
  return directory
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[^A-Za-z0-9]+|(?<!-)-+$/g, '')
    .slice(0, 80);
}

/** Steps without a checkout need no folder: a judging one has its own comment, and one that runs commands restarts a workflow. */
function ownInput(inputs: string, { directory, id }: { readonly directory: string; readonly id: string }): string {
  const [, mode] = /^ +(?:mode: (?=comment)|args: github )(comment|command)$/m.exec(inputs) ?? [];
  switch (mode) {
    case 'comment':
      return `comment-id: ${id}`;
    case 'command':
      return `workflow: ${FOLDER}/performance-${id}.yml`;
    default:
      return `directory: ${JSON.stringify(directory)}`;
  }
}

function textFor(text: string, directory: string): string {
  return inDirectory(text, directory).replaceAll(MOVING, actionOf(OWN_ROOT));
}

/** Workflows of several folders must neither share a name nor cancel each other. */
function inDirectory(text: string, directory: string): string {
  if (directory === '') {
    return text;
  }
  const id = idOf(directory);
  return text
    .replace(/^name: (.+)$/m, `name: $1-${id}`)
    .replace('group: performance-', `group: performance-${id}-`)
    .replaceAll(
      /^( +)- uses: wiregauge\/.+(?:\n +with:)?((?:\n {10}.+)*)/gm,
      (step, indent: string, inputs: string) => {
        const [action = ''] = step.split('\n');
        return `${action}\n${indent}  with:\n${indent}    ${ownInput(inputs, { directory, id })}${inputs}`;
      },
    );
}
