import { portFrom } from './names.ts';

/** The port of the last EXPOSE of a Dockerfile, with its variables as ARG and ENV set them; undefined where there is none. */
export function exposedPort(text: string): number | undefined {
  const lines = text.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  const variables = new Map<string, string>();
  let port: number | undefined;
  for (const line of lines) {
    for (const [name, value] of settingsIn(line)) {
      variables.set(name, value);
    }
    const [, words = ''] = /^\s*EXPOSE\s+(.*)$/i.exec(line) ?? [];
    const ports = words.split(/\s+/).map((word) => portFrom(filledIn(word, variables)));
    port = ports.find((one) => one !== undefined) ?? port;
  }
  return port ?? portFrom(variables.get('PORT'));
}

function settingsIn(line: string): readonly (readonly [string, string])[] {
  const [, words = ''] = /^\s*(?:ENV|ARG)\s+(.*)$/i.exec(line) ?? [];
  const [, name = '', value = ''] = /^(\w+)\s+(\S+)\s*$/.exec(words) ?? [];
  const pairs = [...words.matchAll(/(?<!\w)(\w+)=(?:"([^"]*)"|(\S*))/g)];
  return pairs.length === 0 && name !== ''
    ? [[name, value]]
    : pairs.map(([, key = '', quoted, plain]) => [key, quoted ?? plain ?? '']);
}

function filledIn(word: string, variables: ReadonlyMap<string, string>): string {
  return word.replace(/\$(?:\w+|\{\w+(?::-[^}]*)?\})/g, (found) => {
    const [, name = '', otherwise = ''] = /^\$\{?(\w+)(?::-([^}]*))?/.exec(found) ?? [];
    return variables.get(name) ?? otherwise;
  });
}
