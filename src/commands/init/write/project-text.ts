import { Document, isMap, isScalar, isSeq, Scalar, visit } from 'yaml';
import { SCHEMA_ADDRESS } from '../../../config/parse.ts';
import { cleanText, documentAddress } from '../../../foundation/text.ts';
import { hostNameFrom } from '../read/places.ts';
import type { Proposal, Proposals, ProposedImage, ProposedOperation, ProposedProcess } from '../services/proposal.ts';

/** More would make each of them too short to measure. */
export const MAX_OPERATIONS = 5;

/** Limit of written operations; those from traffic are already selected. */
export function mostOperations(from: Proposal['from']): number {
  return from === 'traffic' ? Number.POSITIVE_INFINITY : MAX_OPERATIONS;
}

/**
 * Text of a `wiregauge.yml`, with comments for the person who completes it; its name if the repository has several such files. Each of several
 * services has its own operations. Without tiers it uses the default loads. Text of the repository goes into values and keys, and into comments only
 * after cleaning.
 */
export function projectText({
  name,
  services: proposals,
  tiers = [],
}: {
  readonly name?: string | undefined;
  readonly services: Proposals;
  readonly tiers?: readonly object[];
}): string {
  const [first, ...others] = proposals;
  const content =
    others.length === 0
      ? { services: { [first.name]: serviceEntry(first) }, operations: operationEntries(first) }
      : {
          services: Object.fromEntries(
            proposals.map((one) => [one.name, { ...serviceEntry(one), operations: operationEntries(one) }]),
          ),
        };
  const value = { ...(name !== undefined && { name }), ...content, ...present({ tiers }) };
  // A YAML anchor for repeated parts would not help the reader.
  const document = new Document(value, { aliasDuplicateObjects: false });
  document.commentBefore = ` yaml-language-server: $schema=${SCHEMA_ADDRESS}\n${HEAD}`;
  for (const proposal of proposals) {
    const operations = others.length === 0 ? [] : ['services', proposal.name];
    for (const [path, comment] of commentsOf(proposal, [...operations, 'operations'])) {
      addComment(document, path, comment);
    }
  }
  layOut(document);
  document.comment =
    tiers.length === 0
      ? TAIL
      : TAIL.replace(
          /and limits have[\s\S]*thinkSeconds: 0.3/,
          'are the observed rates. Limits have defaults. To change them:',
        );
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

const INDEX: ProposedOperation = { name: 'Index', example: undefined, binding: { rest: 'GET /' } };

const HEAD = ` What Wiregauge measures. Every key: ${documentAddress('docs/config.md')}
 \`wiregauge config show\` prints it with all defaults, \`wiregauge run --profile smoke\` tries it.`;

const TAIL = ` Loads and limits have defaults. To change them:
 tiers:
   - name: low
     users: 100
     spawnPerSecond: 10
     thinkSeconds: 0.3
 policy:
   thresholds:
     - metric: p95
       threshold: 15%`;

function serviceEntry(proposal: Proposal): object {
  const { protocol, proto, needs, members, headers, prepare } = proposal;
  const own = programEntry(proposal);
  return present({
    protocol,
    ...(members.length === 0 && own),
    proto,
    members: members.length === 0 ? undefined : membersEntry(proposal, own),
    headers,
    prepare,
    needs: Object.fromEntries(needs.map(({ name, ...need }) => [name, present(need)])),
  });
}

/** The program that receives the load comes first. */
function membersEntry(proposal: Proposal, own: object): object {
  const { members } = proposal;
  const others = members.map(({ name: other, image, process, ...rest }) => [
    other,
    present({ image: imageEntry(image), process: process && processEntry(process), ...rest }),
  ]);
  const dependsOn = members.map((member) => member.name);
  return { [entryName(proposal)]: { entry: true, ...own, dependsOn }, ...Object.fromEntries(others) };
}

/** A member's key is a host name, as is a need's. */
function entryName({ name, members, needs }: Pick<Proposal, 'name' | 'members' | 'needs'>): string {
  const host = hostNameFrom(name) ?? 'entry';
  return [...members, ...needs].some((other) => other.name === host) ? `${host.slice(0, 50)}-entry` : host;
}

function programEntry({ port, image, process, environment, command, user, files, tmpfs }: Proposal): object {
  const built = image ?? (process === undefined ? { context: '.', dockerfile: 'Dockerfile' } : undefined);
  return present({
    port: port.number,
    image: built && imageEntry(built),
    process: process && processEntry(process),
    ...{ command, user, files, tmpfs, environment },
  });
}

function imageEntry(image: ProposedImage): object | string {
  return image.reference ?? present(image);
}

function processEntry({ build, command, port }: ProposedProcess): object {
  return present({ build, command, port });
}

function operationEntries({ operations, from }: Proposal): readonly object[] {
  const found: readonly ProposedOperation[] =
    operations.length > 0 ? operations.slice(0, mostOperations(from)) : [INDEX];
  return found.map(operationEntry);
}

export function operationEntry({ name, example, further = [], weight, binding }: ProposedOperation): object {
  return {
    name,
    ...(weight !== undefined && { weight }),
    ...(example !== undefined && { arguments: [example, ...further] }),
    ...binding,
  };
}

/** Entries that are neither undefined nor empty. */
function present(value: object): object {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([, one]) => one !== undefined && (typeof one !== 'object' || Object.keys(one).length > 0),
    ),
  );
}

type Comment = readonly [path: readonly string[], text: string | undefined];

const PORTS: Readonly<Record<Proposal['port']['from'], string>> = {
  compose: 'The port inside the container, as in the compose file.',
  dockerfile: 'As in the Dockerfile.',
  sources: 'As in the sources.',
  command: 'As in its command.',
  guess: 'A guess: change it if the service listens elsewhere. The port is passed as $PORT.',
};

/** More would hide the rest of the file. */
const MAX_OTHERS = 5;

function commentsOf(proposal: Proposal, operations: readonly string[]): readonly Comment[] {
  const { name, port, image, process, members, contracts } = proposal;
  const service = ['services', name];
  const program = members.length === 0 ? service : [...service, 'members', entryName(proposal)];
  return [
    [[...program, 'port'], PORTS[port.from]],
    [
      [...program, 'image'],
      image === undefined && process === undefined
        ? 'There is no Dockerfile yet. Write one, or set a start command instead: process: { command: [./server] }'
        : undefined,
    ],
    [[...program, 'process'], process && processWords(process)],
    [[...program, 'environment'], environmentWords(proposal)],
    [
      [...service, 'proto'],
      contracts.length > 0
        ? `A guess: one of ${contracts.length + 1} contracts with services. The others: ${shortList(contracts)}`
        : undefined,
    ],
    [[...service, 'headers'], JSON.stringify(proposal.headers).includes('${env.') ? TOKEN_WORDS : undefined],
    [
      [...service, 'members'],
      'A system: started together, fresh for each measurement. The entry is loaded, and each program is measured.',
    ],
    [
      [...service, 'needs'],
      'Started fresh before each start of the service. It has no privileges, and can write only to `tmpfs`.',
    ],
    [operations, requestedFor(proposal)],
  ];
}

function processWords({ port }: ProposedProcess): string {
  const started = 'For `--runtime process`: started without a container, with HOST and PORT in its environment.';
  return port === undefined
    ? started
    : `${started} It always seems to listen on port ${port}: if it reads PORT, remove \`port\` here.`;
}

function environmentWords({ madeUp, settingsFrom }: Proposal): string | undefined {
  const words = [
    ...(settingsFrom.length > 0 ? [`From ${settingsFrom.map((path) => cleanText(path, 100)).join(' and ')}.`] : []),
    ...(madeUp.length > 0 ? [`Placeholder values for variables that come from elsewhere: ${madeUp.join(', ')}`] : []),
  ];
  return words.join(' ') || undefined;
}

function requestedFor(proposal: Proposal): string {
  const { protocol, operations, hasWebSocket } = proposal;
  const requested =
    operations.length === 0
      ? 'The repository does not show what it answers: write the requests that matter.'
      : foundWords(proposal);
  return hasWebSocket && protocol !== 'websocket' ? `${requested} ${BY_HAND}` : requested;
}

/** Source of the operations, and the operations left out. */
function foundWords(proposal: Proposal): string {
  const { protocol, from, further } = proposal;
  const base = BASES.get(`${from} ${protocol}`);
  if (from === 'traffic') {
    return base ?? '';
  }
  return base === undefined
    ? `Routes found in your code. Keep those that matter.${leftOutWords({ ...proposal, further: [] })}${further.length === 0 ? '' : `\n ${furtherWords(further)}`}`
    : `${base}${leftOutWords(proposal)}`;
}

/** Routes that are not in the file, as a comment line; empty without any. */
export function furtherWords(further: readonly string[]): string {
  return listed(FURTHER, further).trimStart();
}

export const FURTHER = 'Further routes';

/** Operations left out, as a sentence that follows another; those of another kind come first. Empty if none was left out. */
export function leftOutWords({ operations, further }: Pick<Proposal, 'operations' | 'further'>): string {
  return listed('Left out', [...further, ...operations.slice(MAX_OPERATIONS).map(({ name }) => name)]);
}

function listed(title: string, names: readonly string[]): string {
  return names.length === 0 ? '' : ` ${title}: ${shortList(names)}.`;
}

/** First names of a list, and the number of the others. */
export function shortList(names: readonly string[], most = MAX_OTHERS): string {
  const shown = names.slice(0, most).map((name) => cleanText(name, 100));
  return `${shown.join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;
}

export const TOKEN_WORDS =
  'It requires credentials: set API_TOKEN in the environment, and in the workflow by `env: { WIREGAUGE_SECRETS: API_TOKEN, API_TOKEN: "${{ secrets.API_TOKEN }}" }`.';

export const BY_HAND =
  'It seems to use WebSockets: if so, write `protocol: websocket` and its messages by hand, because the sources do not show them.';

/** Source of the operations, by how they were found and by protocol. All others come from routes in the sources. */
const BASES: ReadonlyMap<string, string> = new Map([
  ['description rest', 'From the OpenAPI document. Use arguments that the service can answer; they are used in turn.'],
  [
    'description graphql',
    'From the schema. Use arguments that the service can answer, and query the fields that matter.',
  ],
  [
    'description grpc',
    'From the contract. Each item of `arguments` is a message: use those that the service can answer.',
  ],
  [
    'traffic rest',
    'From traffic: the weights are the shares of requests in percent. Operations with `weight: 0` are not sent: they may change data, or need a variable that was not set.',
  ],
  [
    'guess grpc',
    'No file has its contract: `wiregauge init` lists its methods when it tries a service with reflection. Otherwise, write the calls that matter.',
  ],
  ['guess graphql', 'It uses a GraphQL server, but no schema was found: query the fields that matter.'],
  [
    'guess websocket',
    'Its sources have WebSocket handlers, but do not show which messages they accept: write some that they answer.',
  ],
]);

/** Adds a comment above the key at a path; nothing if there is no such key, or no comment. */
function addComment(document: Document, path: readonly string[], comment: string | undefined): void {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const keys = isMap(parent) ? parent.items.map((pair) => pair.key).filter((key) => isScalar(key)) : [];
  const key = keys.find(({ value }) => value === path.at(-1));
  if (comment !== undefined && key !== undefined) {
    key.commentBefore = ` ${comment}`;
    key.spaceBefore = path.length === 1;
  }
}

/** Lists of plain values are on one line, unless one has several; a map is never on one line, since braces in a path like `/users/{id}` would end it. */
function layOut(document: Document): void {
  visit(document, {
    Seq(_, list) {
      if (list.items.every((item) => isScalar(item) && !String(item.value).includes('\n'))) {
        list.flow = true;
      }
    },
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value === 'arguments' && isSeq(value)) {
        value.flow = value.items.length > 3 && value.items.every(isShort);
      }
      if (isScalar(key) && key.value === 'user' && isScalar(value)) {
        // Older YAML reads 999:999 as a number.
        value.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
}

/** True if an item needs no quotes within a list on one line. */
function isShort(item: unknown): boolean {
  return isMap(item) && item.items.every(({ value }) => isScalar(value) && /^[\w.-]{1,40}$/.test(String(value.value)));
}
