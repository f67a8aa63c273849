import { join } from 'node:path';
import { cleanText, documentAddress } from '../../../foundation/text.ts';
import { readText } from '../../../host/files/reader.ts';
import { PROJECT_FILE } from '../../../project/suite.ts';
import { isHealthPath } from '../routes/source-operations.ts';
import type { LeftOutService, Proposal, Proposals } from '../services/proposal.ts';
import type { ProposalTrial } from '../try/try.ts';
import { BY_HAND, MAX_OPERATIONS, mostOperations, shortList } from './project-text.ts';
import type { WorkflowFiles } from './workflow-files.ts';

export interface Reported {
  /** Services that are written; the chosen one comes first. */
  readonly services: Proposals;
  readonly leftOut: readonly LeftOutService[];
  readonly files: Readonly<Record<string, string>>;
  /** Lines that `.gitignore` still lacks. */
  readonly lacking: readonly string[];
  readonly workflows: WorkflowFiles;
  readonly isDry: boolean;
  /** Variables for secrets in the traffic. */
  readonly variables: readonly string[];
}

/** Lines about what init found and wrote; the files themselves for a dry run. */
export function writtenText({ services, files, isDry }: Reported): string {
  if (isDry) {
    return Object.entries(files)
      .map(([path, text]) => `# ${path}\n${text}\n`)
      .join('');
  }
  const lines = [
    ...services.map(serviceLine),
    ...(services.some(({ hasWebSocket, protocol }) => hasWebSocket && protocol !== 'websocket') ? [BY_HAND] : []),
    ...Object.keys(files).map((path) => `wrote ${path}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Lines about what was left out, and the next steps; as comments for a dry run. */
export function leftText(reported: Reported, trial: ProposalTrial | undefined): string {
  const { lacking, workflows, isDry, variables } = reported;
  const leftOut = leftOutOf(reported, trial).map(({ name, why }) => `  ${cleanText(name)}: ${cleanText(why)}`);
  const listed = leftOut.length === 0 ? [] : ['Left out:', ...leftOut];
  const next = [
    ...(lacking.length === 0 ? [] : [`Add to .gitignore: ${lacking.join(' ')}`]),
    ...(variables.length === 0
      ? []
      : [`Set in the environment, in place of secrets of the traffic: ${shortList(variables, variables.length)}`]),
    `Next: review ${PROJECT_FILE}, then`,
    ...(trial === undefined ? ['  npx wiregauge doctor                 # checks that this machine can measure'] : []),
    '  npx wiregauge run --profile smoke    # measures once, in a minute or two',
    `Then commit the files. On GitHub, ${workflows.compare} compares each pull request; require its check \`wiregauge\`. Comments such as \`/wiregauge accept 8%\` work once ${workflows.command} is on the default branch.`,
    costLine(reported.services.length),
    workflows.history === undefined
      ? 'To record pushes to main, too: `wiregauge init --history --force`.'
      : `${workflows.history} records pushes to main, and compares them with the latest release. After its first run, enable Settings, Pages, "Deploy from a branch", gh-pages: the page is at performance/.`,
  ];
  const lines = isDry ? listed.map((line) => `# ${line}`) : [...listed, ...next];
  return lines.map((line) => `${line}\n`).join('');
}

/** Minutes that a comparison measures: per service if nothing changed, and by the default budget. */
const MEASURING = { service: 2.5, most: 10 };

/** Minutes in addition to measuring: two builds, the load tools and Valgrind; and the job that judges. */
const BUILDING = { least: 2, most: 3, judging: 1 };

function costLine(services: number): string {
  const least = Math.ceil(Math.min(MEASURING.most, MEASURING.service * services) + BUILDING.least);
  const most = MEASURING.most + BUILDING.most;
  const address = documentAddress('docs/how-to/time-and-cost.md');
  return `A push to a pull request takes about ${least} to ${most} minutes (${least + BUILDING.judging} to ${most + BUILDING.judging} billed minutes in a private repository). To spend fewer: ${address}`;
}

/** Services of the repository that are left out, settings in the compose file, other operations, and operations that a service refused. */
function leftOutOf({ services, leftOut }: Reported, trial: ProposalTrial | undefined): readonly LeftOutService[] {
  const all = [
    ...leftOut,
    ...services.flatMap((one) => one.leftOut),
    ...services.flatMap((one) => furtherOf({ ...one, further: trial?.further.get(one.name) ?? one.further })),
    ...(trial?.leftOut ?? []),
  ];
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** Operations that a repository shows and the file lacks. */
function furtherOf({ name, from, further, logins, operations }: Proposal): readonly LeftOutService[] {
  const more = operations.slice(mostOperations(from)).map((one) => one.name);
  const others = further.filter((one) => !logins.includes(one));
  const reasons = new Map(others.map((one) => [one, from === 'sources' ? routeReason(one) : describedReason(one)]));
  const entries = [
    ...[...new Set(reasons.values())].map((why) => [others.filter((one) => reasons.get(one) === why), why] as const),
    [logins, 'seems to return a token: send it in `prepare`, or set its token as API_TOKEN'] as const,
    [more, `${MAX_OPERATIONS} operations are enough to begin with`] as const,
  ];
  return entries.flatMap(([names, why]) => (names.length === 0 ? [] : [{ name: `${name}: ${shortList(names)}`, why }]));
}

function routeReason(route: string): string {
  if (isHealthPath(route)) {
    return 'shows only that the service is alive';
  }
  return route.includes('{')
    ? 'needs an argument that the service knows: `arguments: [{ id: 7 }]` of an operation'
    : 'seems to need credentials';
}

/** Reasons by the kind of an operation; the first match is used. */
const REASONS: readonly (readonly [kind: RegExp, why: string])[] = [
  [
    /^GET /,
    'needs credentials (run init again with API_TOKEN in the environment), or values that the document does not show',
  ],
  [/^(?:POST|PUT|PATCH) /, 'may change data: `init --writes` proposes it'],
  [/^(?:DELETE|mutation) /, 'changes data'],
  [/^subscription /, 'is a stream'],
  [/^/, 'may change data (`init --writes` proposes it), or is a stream'],
];

function describedReason(operation: string): string {
  return REASONS.find(([kind]) => kind.test(operation))?.[1] ?? '';
}

function serviceLine({ name, protocol, port, needs, members }: Proposal): string {
  const namesOf = (all: readonly { readonly name: string }[]) => all.map((one) => one.name).join(', ');
  const within = members.length === 0 ? '' : `, a system with ${namesOf(members)}`;
  const withNeeds = needs.length === 0 ? '' : `, with ${namesOf(needs)}`;
  return `${name}: ${protocol} on port ${port.number}${port.from === 'guess' ? ' (a guess)' : ''}${within}${withNeeds}`;
}

/** The same as data, with the trial if there was one. */
export function reportedData(root: string, reported: Reported, trial: ProposalTrial | undefined): object {
  const { services, leftOut, files, lacking, isDry, variables } = reported;
  const [chosen, ...written] = services;
  const { name, protocol, port, needs, members, operations, further } = chosen;
  return {
    root,
    service: {
      name,
      protocol,
      port: port.number,
      needs: needs.map((need) => need.name),
      ...(members.length > 0 && { members: members.map((member) => member.name) }),
    },
    operations: operations.slice(0, mostOperations(chosen.from)).map((operation) => operation.name),
    further,
    additional: written.map((one) => one.name),
    others: leftOut.map((one) => one.name),
    leftOut: leftOutOf(reported, trial),
    written: isDry ? [] : Object.keys(files),
    files,
    notIgnored: lacking,
    variables,
    ...(trial && {
      // The trial may have changed the file.
      files: { ...files, [PROJECT_FILE]: readText(join(root, PROJECT_FILE), '', { root }) },
      trial: {
        // A contract may be long, and the repository contains it.
        services: [...trial.tried].map(([name, { methods: _, schema: _schema, ...one }]) => ({ name, ...one })),
        changes: trial.changes,
        faults: trial.faults,
      },
    }),
  };
}
