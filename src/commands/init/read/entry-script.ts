import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { LeftOutService, ProposedProcess } from '../services/proposal.ts';
import { baseName, folderOf } from './places.ts';
import { shellLine } from './port-variable.ts';

/** Commands that a Dockerfile runs before its server, such as migrations and seeds; `leftOut` is a script whose steps depend on conditions. */
interface EntrySteps {
  readonly steps: readonly string[];
  readonly leftOut: readonly LeftOutService[];
}

/** Steps of the script, or of the shell line, that a Dockerfile starts. */
export function entrySteps(dockerfile: RepositoryFile | undefined, files: readonly RepositoryFile[]): EntrySteps {
  const lines = dockerfile?.text.replace(/\\\r?\n/g, ' ').split(/\r?\n/) ?? [];
  const last = lines.slice(lines.findLastIndex((line) => /^\s*FROM\s/i.test(line)) + 1);
  const starts = last.filter((line) => /^\s*(?:ENTRYPOINT|CMD)\s/i.test(line)).toSorted((a, b) => (a < b ? 1 : -1));
  const name = starts.map((line) => /(?<![\w.-])([\w.-]+\.sh)\b/.exec(line)?.[1]).find((found) => found !== undefined);
  const own = folderOf(dockerfile?.path ?? '');
  const script = files.find(({ path }) => baseName(path) === name && path.startsWith(own === '' ? '' : `${own}/`));
  if (script !== undefined) {
    const text = script.text.replace(/\\\r?\n/g, ' ').replaceAll('\r', '');
    const left = WAITS.reduce((rest, wait) => rest.replace(wait, (found) => (WORKS.test(found) ? found : '')), text);
    return stepsOf(script.path, left.split(/\n|&&|;/));
  }
  const inline = starts.map((line) => /-c",?\s*"([^"]*)"/.exec(line)?.[1] ?? /^\s*CMD\s+([^[].*)$/.exec(line)?.[1]);
  return stepsOf('the Dockerfile', inline.find((line) => line?.includes('&&'))?.split('&&') ?? []);
}

/** Loops that only wait, and conditions that do nothing else: needs are ready before the service starts. */
const WAITS = [
  /^[\t ]*(?:while|until)\b[^\n]*?[;\n][\t ]*do\b(?:[\t ]*(?:(?:echo|printf|sleep)\b[^\n;]*)?[;\n])*[\t ]*done\b[^\n;&|]*/gm,
  /^[\t ]*if\b[^\n]*?[;\n][\t ]*then\b(?:[\t ]*(?:(?:echo|printf|sleep)\b[^\n;]*)?[;\n])*[\t ]*fi\b[^\n;&|]*/gm,
];

/** Commands that do more than wait, also in the condition of a loop that tries them again. */
const WORKS = /alembic|aerich|migrat|upgrade|seed|create|\bdb:[a-z]|\bdb push\b|\.\/(?!wait)/i;

/** Lines that matter only inside the container, or only print. */
const PASSED_OVER =
  /^(?:#.*|set .*|cd .*|echo .*|export .*|sleep .*|chmod .*|chown .*|mkdir .*|printf .*|.*wait.for.*|:|)$/i;

const CONDITION = /^(?:if|for|while|until|case|function)\b|\(\)\s*\{|\|\||\$/;

const PLAIN = /^[A-Za-z][\w./:=@%+, -]*$/;

function stepsOf(name: string, all: readonly string[]): EntrySteps {
  const lines = all.map((line) => line.trim()).filter((line) => !PASSED_OVER.test(line));
  const server = lines.findIndex((line) => line.startsWith('exec '));
  const before = lines.slice(0, server === -1 ? -1 : server);
  const why = 'it has conditions: add the steps that the service needs to `process.command`';
  return before.some((line) => CONDITION.test(line) || !PLAIN.test(line))
    ? { steps: [], leftOut: [{ name: `what ${name} runs before the server`, why }] }
    : { steps: before, leftOut: [] };
}

/** A process that runs steps before its server; unchanged if its command cannot be extended, or already has them. */
export function withSteps({ command, ...process }: ProposedProcess, steps: readonly string[]): ProposedProcess {
  const line = shellLine(command);
  const missing = steps.filter((step) => !line.includes(step.replace(/^python3? /, '')));
  if (missing.length === 0 || !(command[0] === 'sh' || PLAIN.test(line))) {
    return { ...process, command };
  }
  const [enter = ''] = /^cd \S+ && (?:export \S+ && )?/.exec(line) ?? [];
  return { ...process, command: ['sh', '-c', `${enter}${missing.join(' && ')} && ${line.slice(enter.length)}`] };
}
