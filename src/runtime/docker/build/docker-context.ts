import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a path, relative to the context, is left out of it. */
export type Ignored = (path: string) => boolean;

interface Rule {
  readonly pattern: RegExp;
  readonly keeps: boolean;
}

/**
 * Files of a build context, relative to it, in order: all but what its `.dockerignore` leaves out. The Dockerfile and
 * `.dockerignore` itself are always there, since the engine reads them from the context.
 */
export function contextFiles(context: string, dockerfile: string): readonly string[] {
  const rules = readRules(context);
  const ignored = parseIgnored(rules);
  const always = new Set([dockerfile, ...(rules === '' ? [] : ['.dockerignore'])]);
  const prefixes = [...keptPrefixes(rules), dockerfile];
  const mayHoldKept = (folder: string) =>
    prefixes.some((prefix) => prefix.startsWith(folder) || folder.startsWith(prefix));
  const found: string[] = [];
  const folders = [''];
  // Grows while it is walked.
  for (const folder of folders) {
    const entries = readdirSync(join(context, folder), { withFileTypes: true });
    const paths = (areFolders: boolean) =>
      entries.filter((entry) => entry.isDirectory() === areFolders).map((entry) => `${folder}${entry.name}`);
    found.push(...paths(false).filter((path) => always.has(path) || !ignored(path)));
    const entered = paths(true).filter((path) => !ignored(path) || mayHoldKept(`${path}/`));
    folders.push(...entered.map((path) => `${path}/`));
  }
  return found.sort();
}

// What stands before the first wildcard of each rule that takes files back in: only there a left-out folder is worth a look.
function keptPrefixes(rules: string): readonly string[] {
  return [...rules.matchAll(/^\s*!\s*(?:\.?\/)*([^*?[\s]*)/gm)].map(([, prefix = '']) => prefix);
}

/** The rules of a `.dockerignore`: the last one that matches a path, or a folder above it, decides. */
export function parseIgnored(text: string): Ignored {
  const rules = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseRule);
  return (path) => {
    const parts = path.split('/');
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    return rules.findLast(({ pattern }) => paths.some((candidate) => pattern.test(candidate)))?.keeps === false;
  };
}

function parseRule(line: string): Rule {
  const keeps = line.startsWith('!');
  const glob = line
    .slice(keeps ? 1 : 0)
    .trim()
    .replace(/^(\.?\/)+|\/+$/g, '');
  const source = glob.replace(/\*\*\/|\*\*|[*?]|[.+^${}()|\\]/g, (token) => WILDCARDS[token] ?? `\\${token}`);
  return { keeps, pattern: new RegExp(`^${source}$`) };
}

const WILDCARDS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};

function readRules(context: string): string {
  try {
    return readFileSync(join(context, '.dockerignore'), 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') {
      return '';
    }
    throw thrown;
  }
}
