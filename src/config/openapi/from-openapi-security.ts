import { type LooseMap, listIn, mapIn, textIn } from '../yaml/loose.ts';
import type { OpenApiDocument } from './from-openapi-document.ts';
import type { DocumentOperation } from './from-openapi-operations.ts';
import { nodeAt } from './from-openapi-reference.ts';

/** What shows a service who asks. */
export interface Credential {
  /** What the document calls it. */
  readonly scheme: string;
  readonly kind: 'header' | 'query' | 'certificate';
  /** Of the header, or in the query. */
  readonly name: string;
}

/** Ways to show who asks, each of which is enough, and wants all of its credentials; none where nobody needs to. */
export function credentialsFor(
  { node }: DocumentOperation,
  document: OpenApiDocument,
): readonly (readonly Credential[])[] {
  const wanted = listIn(node.value['security'] ?? document.content['security']).map((one) => Object.keys(mapIn(one)));
  return wanted.some(({ length }) => length === 0)
    ? []
    : wanted.map((names) => names.map((name) => credential(name, document)));
}

function credential(scheme: string, document: OpenApiDocument): Credential {
  const schemes = mapIn(mapIn(document.content['components'])['securitySchemes']);
  const { value } = nodeAt(schemes[scheme], ['components', 'securitySchemes', scheme], document);
  return { scheme, ...kindOf(value) };
}

function kindOf(scheme: LooseMap): Omit<Credential, 'scheme'> {
  const name = textIn(scheme['name']) ?? '';
  if (scheme['type'] === 'mutualTLS') {
    return { kind: 'certificate', name: '' };
  }
  if (scheme['type'] !== 'apiKey') {
    return { kind: 'header', name: 'Authorization' };
  }
  if (scheme['in'] === 'query') {
    return { kind: 'query', name };
  }
  return { kind: 'header', name: scheme['in'] === 'cookie' ? 'Cookie' : name };
}
