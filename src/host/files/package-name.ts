import { isJsonMap, parsedJson } from '../../foundation/json.ts';
import { readInside } from './reader.ts';

const NAMES: readonly (readonly [file: string, nameIn: (text: string) => string | undefined])[] = [
  ['package.json', ofPackageJson],
  ['go.mod', (text) => /^module\s+"?([^\s"]+)"?/m.exec(text)?.[1]?.replace(/\/v\d+$/, '')],
  ['pyproject.toml', (text) => ofToml(text, 'project')],
  ['Cargo.toml', (text) => ofToml(text, 'package')],
];

/** Name of the package in a folder, without a scope or the path of a module; undefined without one. */
export function packageNameIn(root: string): string | undefined {
  for (const [file, nameIn] of NAMES) {
    const found = readInside(root, file);
    const name = 'text' in found ? nameIn(found.text)?.split('/').at(-1) : undefined;
    if (name !== undefined && /^[A-Za-z0-9][\w.-]{0,79}$/.test(name)) {
      return name;
    }
  }
  return undefined;
}

function ofPackageJson(text: string): string | undefined {
  const found = parsedJson(text);
  const name = isJsonMap(found) ? found['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function ofToml(text: string, table: string): string | undefined {
  const [, own = ''] = text.split(new RegExp(`^\\[${table}\\][^\\n]*$`, 'm'));
  return /^name\s*=\s*["']([^"']+)["']/m.exec(own.split(/^\[/m)[0] ?? '')?.[1];
}
