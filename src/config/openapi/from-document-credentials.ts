import { ConfigError } from '../../foundation/errors.ts';
import type { Service } from '../../model/service.ts';
import type { Entry, RestDraft } from '../operations/operation-draft.ts';
import type { OpenApiDocument } from './from-openapi-document.ts';
import { type DocumentOperation, requestLine } from './from-openapi-operations.ts';
import { type Credential, credentialsFor } from './from-openapi-security.ts';

/** An operation of a document, and how it is going to be asked for. */
interface Asked {
  readonly operation: DocumentOperation;
  readonly document: OpenApiDocument;
  readonly entry: Entry;
  readonly draft: RestDraft;
}

/** Throws ConfigError where a document says that an operation shows who asks, and neither the operation nor a service of the suite does. */
export function refuseMissingCredentials({ operation, document, entry, draft }: Asked): void {
  const ways = credentialsFor(operation, document);
  if (ways.length === 0) {
    return;
  }
  const services = entry.place.services().filter(({ protocol }) => protocol === 'rest');
  const lacking = services.find((service) => !ways.some((way) => way.every((one) => isShown(one, draft, service))));
  const wanted = ways[0]?.find((one) => lacking !== undefined && !isShown(one, draft, lacking));
  if (wanted === undefined || lacking === undefined) {
    return;
  }
  const { says, next } = WORDS[wanted.kind](wanted);
  throw new ConfigError(
    `${entry.at('from')}: ${requestLine(operation)} wants ${says} (security scheme ${wanted.scheme} of ${document.file}), and neither the operation nor the service ${lacking.name} gives it`,
    { next },
  );
}

function isShown({ kind, name }: Credential, { headers = {}, path }: RestDraft, service: Service): boolean {
  if (kind === 'certificate') {
    return service.connection?.tls?.certificate !== undefined;
  }
  if (kind === 'query') {
    return path.includes(`${encodeURIComponent(name)}=`);
  }
  const given = [...Object.keys(headers), ...Object.keys(service.headers ?? {})].map((header) => header.toLowerCase());
  return given.includes(name.toLowerCase());
}

interface Words {
  readonly says: string;
  readonly next: string;
}

const WORDS: Readonly<Record<Credential['kind'], (credential: Credential) => Words>> = {
  header: ({ name }) => ({
    says: `the header ${name}`,
    next: `Add it to the service: \`headers: { ${name}: "${name === 'Authorization' ? 'Bearer ' : ''}\${env.API_TOKEN}" }\`; the value comes out of the environment. Where the service asks for none while it is measured, any text will do.`,
  }),
  query: ({ name }) => ({
    says: `${name} in its query`,
    next: `A path is shown in reports, so give one that is no secret: \`rest: { path: "/…?${name}=test" }\`, or let the service take it in a header.`,
  }),
  certificate: () => ({
    says: 'a certificate of whoever asks',
    next: 'Add it to the service: `tls: { certificate: client.pem, key: "${env.CLIENT_KEY}" }`.',
  }),
};
