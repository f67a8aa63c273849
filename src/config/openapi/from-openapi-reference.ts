import { ConfigError } from '../../foundation/errors.ts';
import { isLooseMap, type LooseMap, mapIn } from '../yaml/loose.ts';
import type { Path } from '../yaml/yaml.ts';
import type { OpenApiDocument } from './from-openapi-document.ts';

/** A map in a document, and what leads to it. */
export interface DocumentNode {
  readonly value: LooseMap;
  readonly path: Path;
}

/**
 * What stands at a place of a document, or what it refers to there (`$ref`), with what stands beside the reference. Throws ConfigError
 * where that is outside of the document, not there, or itself.
 */
export function nodeAt(value: unknown, path: Path, document: OpenApiDocument): DocumentNode {
  const seen = new Set<string>();
  let node: DocumentNode = { value: mapIn(value), path };
  for (let reference = referenceIn(node); reference !== undefined; reference = referenceIn(node)) {
    if (seen.has(reference)) {
      throw new ConfigError(`${placeOf(node, document)}: refers to itself, by way of ${shown(reference)}`, {
        next: 'Let one of them say what is meant.',
      });
    }
    seen.add(reference);
    const target = targetOf(reference, node, document);
    const { $ref: _, ...beside } = node.value;
    node = { value: { ...target.value, ...beside }, path: target.path };
  }
  return node;
}

/** A name out of a document, short enough for a message. */
export function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

const LONGEST = 80;

function referenceIn({ value }: DocumentNode): string | undefined {
  const reference = value['$ref'];
  return typeof reference === 'string' ? reference : undefined;
}

function placeOf({ path }: DocumentNode, document: OpenApiDocument): string {
  return document.placeOf([...path, '$ref']);
}

function targetOf(reference: string, node: DocumentNode, document: OpenApiDocument): DocumentNode {
  if (!reference.startsWith('#')) {
    throw new ConfigError(
      `${placeOf(node, document)}: refers to ${shown(reference)}, which is outside of the document`,
      {
        next: `Only the document itself is read. Put all into one, like \`npx @redocly/cli bundle ${document.file} --output bundled.yaml\`.`,
      },
    );
  }
  let value: unknown = document.content;
  const path: (string | number)[] = [];
  for (const step of stepsOf(reference)) {
    path.push(Array.isArray(value) ? Number(step) : step);
    value = childOf(value, step);
  }
  if (!isLooseMap(value) && typeof value !== 'boolean') {
    throw new ConfigError(
      `${placeOf(node, document)}: refers to ${shown(reference)}, which the document does not have`,
      {
        next: 'Mend the reference: it is `#/` and the keys that lead to what is meant.',
      },
    );
  }
  return { value: mapIn(value), path };
}

/** "#/a/b~1c" is a and b/c. */
function stepsOf(reference: string): readonly string[] {
  const steps = reference.slice(1).split('/').slice(1);
  return steps.map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** What every object has by nature stands in no document. */
function childOf(parent: unknown, step: string): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, step)
    ? (parent as LooseMap)[step]
    : undefined;
}
