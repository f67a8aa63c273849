import { parseProject } from '../../src/config/parse.ts';
import { ConfigError } from '../../src/foundation/errors.ts';
import { PROTOCOLS } from '../../src/protocols/protocols.ts';

/** Files of a repository by their paths. */
export interface FromFiles {
  readonly files?: Readonly<Record<string, string>>;
  /** Below the folder `proto`. */
  readonly protos?: Readonly<Record<string, string>>;
  /** Entries of `services`, a line each. */
  readonly services?: readonly string[];
}

const REST = 'api: { protocol: rest, port: 80, image: a:1 }';

/** What is made of entries of `operations`, a line each, in a repository with those files. */
export function fromProject(entries: readonly string[], { files = {}, protos = {}, services = [REST] }: FromFiles) {
  const leftOut: string[] = [];
  const lines = [
    'services:',
    ...services.map((line) => `  ${line}`),
    'operations:',
    ...entries.map((line) => `  - ${line}`),
  ];
  const project = parseProject(
    { file: 'wiregauge.yml', text: `${lines.join('\n')}\n` },
    {
      protoTexts: () => protos,
      readFile(path) {
        const text = Object.hasOwn(files, path) ? files[path] : undefined;
        return text === undefined ? { refusal: 'there is no such file' } : { text, base64: '' };
      },
      remark: (line) => void leftOut.push(line),
    },
  );
  return { operations: project.suite.operations, services: [...project.services.values()], leftOut };
}

/** The requests of the operations as the first service is sent them: "GET /user/1", with a body behind it. */
export function requestsFrom(entries: readonly string[], files: FromFiles): readonly (readonly string[])[] {
  const { operations, services } = fromProject(entries, files);
  const [service] = services;
  return operations.map((operation) =>
    service === undefined
      ? []
      : PROTOCOLS[service.protocol].target(operation, service, '').requests.map(({ call, content, body, headers }) => {
          const text = content !== undefined && 'text' in content ? content.text : JSON.stringify(body);
          const shown = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
          return [call, ...shown, ...(text === undefined ? [] : [text])].join(' | ');
        }),
  );
}

/** Why an entry of `operations` is refused there; throws Error if it is not. */
export function fromRefusal(entry: string, files: FromFiles): ConfigError {
  try {
    fromProject([entry], files);
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      return thrown;
    }
    throw thrown;
  }
  throw new Error(`nothing was refused of ${entry}`);
}
