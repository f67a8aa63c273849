import { join, posix } from 'node:path';
import * as z from 'zod';
import workflows from '../../../../generated/workflows.json' with { type: 'json' };
import { ConfigError } from '../../../foundation/errors.ts';
import { readText } from '../../../host/files/reader.ts';
import { OWN_ROOT } from '../../../project/own-root.ts';

/** The workflows that init writes; that of the history only on request. */
export interface WorkflowFiles {
  readonly compare: string;
  readonly command: string;
  readonly history: string | undefined;
  /** The texts by the paths. */
  readonly texts: Readonly<Record<string, string>>;
}

const FOLDER = '.github/workflows';

/** The tag in the texts, which moves with every release. */
const MOVING = 'wiregauge/wiregauge@v1';

const publishedSchema = z.object({ version: z.string(), gitHead: z.string().regex(/^[0-9a-f]{40}$/) });

/** The action at the commit of the package in a folder, which the release writes into it; a checkout has none, and its texts the tag. */
export function actionOf(root: string): string {
  const text = readText(join(root, 'package.json'), 'Install Wiregauge again.');
  const { data } = publishedSchema.safeParse(JSON.parse(text));
  return data === undefined ? MOVING : `wiregauge/wiregauge@${data.gitHead} # v${data.version}`;
}

/**
 * The workflows for a folder of a repository, by paths from that folder: GitHub reads those of the root only. `directory` is the folder from
 * the root, with slashes, and empty for the root itself; the workflows of any other have names, comments and groups of their own. Throws
 * ConfigError for a folder whose name cannot be used in a workflow.
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

/** The name of the folder in names of workflows and groups; empty for the root. */
export function idOf(directory: string): string {
  return directory
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[^A-Za-z0-9]+|(?<!-)-+$/g, '')
    .slice(0, 80);
}

/** Steps without a checkout need no folder: one that judges has a comment of its own, one that obeys starts one workflow again. */
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
