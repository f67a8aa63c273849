import { ConfigError } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/text.ts';
import type { Service } from '../../model/service.ts';
import type { RestSource } from '../../protocols/rest/binding.ts';
import type { Entry } from '../operations/draft.ts';
import { type LooseMap, listIn, mapIn, textIn } from '../yaml/lines.ts';
import { type DocumentOperation, nodeAt, type OpenApiDocument, requestLine } from './document.ts';

export type RestDraft = Partial<RestSource> & { readonly method: string; readonly path: string };

/**
 * Throws ConfigError if a document requires credentials for an operation, and neither the operation nor a service of
 * the suite sets them.
 */
export function refuseMissingCredentials(
  operation: DocumentOperation,
  document: OpenApiDocument,
  entry: Entry,
  draft: RestDraft,
): void {
  const ways = credentialsFor(operation, document);
  if (ways.length === 0) {
    return;
  }
  const services = entry.place.services().filter(({ protocol }) => protocol === 'rest');
  const service = services.find((one) => !ways.some((way) => way.every((credential) => isSet(credential, draft, one))));
  const required = ways[0]?.find((one) => service !== undefined && !isSet(one, draft, service));
  if (required === undefined || service === undefined) {
    return;
  }
  const { says, next } = WORDS[required.kind](required);
  const line = cleanText(requestLine(operation));
  throw new ConfigError(
    `${entry.at('from')}: ${line} requires ${cleanText(says)} (security scheme ${cleanText(required.scheme)} in ${document.file}), but neither the operation nor the service ${service.name} sets it`,
    { code: 'WG-113', next },
  );
}

function isSet({ kind, name }: Credential, { headers = {}, path }: RestDraft, service: Service): boolean {
  if (kind === 'certificate') {
    return service.connection?.tls?.certificate !== undefined;
  }
  if (kind === 'query') {
    return path.includes(`${encodeURIComponent(name)}=`);
  }
  const given = [...Object.keys(headers), ...Object.keys(service.headers ?? {})].map((header) => header.toLowerCase());
  return given.includes(name.toLowerCase());
}

const WORDS: Readonly<
  Record<Credential['kind'], (credential: Credential) => { readonly says: string; readonly next: string }>
> = {
  header: ({ name, prefix }) => ({
    says: `the header ${name}`,
    next: `Add it to the service: \`headers: { ${name}: "${prefix}\${env.API_TOKEN}" }\`; the value comes from the environment. If the service does not check it during the measurement, any value works.`,
  }),
  query: ({ name }) => ({
    says: `${name} in the query`,
    next: `Reports show the path, so use a value that is not secret: \`rest: { path: "/…?${name}=test" }\`, or make the service read it from a header.`,
  }),
  certificate: () => ({
    says: 'a client certificate',
    next: 'Add it to the service: `tls: { certificate: client.pem, key: "${env.CLIENT_KEY}" }`.',
  }),
};

interface Credential {
  readonly scheme: string;
  readonly kind: 'header' | 'query' | 'certificate';
  /** Name of the header or of the query parameter. */
  readonly name: string;
  /** Text before the secret in the header, such as "Bearer ". */
  readonly prefix: string;
}

/** Alternative sets of credentials, each of which is sufficient; none if the operation is public. */
export function credentialsFor(
  { node }: DocumentOperation,
  document: OpenApiDocument,
): readonly (readonly Credential[])[] {
  const required = listIn(node.value['security'] ?? document.content['security']).map((one) => Object.keys(mapIn(one)));
  return required.some(({ length }) => length === 0)
    ? []
    : required.map((names) => names.map((name) => credential(name, document)));
}

function credential(scheme: string, document: OpenApiDocument): Credential {
  const schemes = {
    ...mapIn(document.content['securityDefinitions']),
    ...mapIn(mapIn(document.content['components'])['securitySchemes']),
  };
  const { value } = nodeAt(schemes[scheme], ['components', 'securitySchemes', scheme], document);
  return { scheme, ...kindOf(value) };
}

function kindOf(scheme: LooseMap): Omit<Credential, 'scheme'> {
  const name = textIn(scheme['name']) ?? '';
  if (scheme['type'] === 'mutualTLS') {
    return { kind: 'certificate', name: '', prefix: '' };
  }
  if (scheme['type'] !== 'apiKey') {
    const isBasic = [scheme['type'], scheme['scheme']].some((one) => /^basic$/i.test(textIn(one) ?? ''));
    return { kind: 'header', name: 'Authorization', prefix: isBasic ? 'Basic ' : 'Bearer ' };
  }
  if (scheme['in'] === 'query') {
    return { kind: 'query', name, prefix: '' };
  }
  return scheme['in'] === 'cookie'
    ? { kind: 'header', name: 'Cookie', prefix: `${name}=` }
    : { kind: 'header', name, prefix: /^authorization$/i.test(name) ? 'Bearer ' : '' };
}
