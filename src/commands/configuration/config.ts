import { stringify } from 'yaml';
import type { MeasureFlags } from '../../measure/session/runtime.ts';
import type { TargetRequest } from '../../model/load.ts';
import type { Service } from '../../model/service.ts';
import { operationsFor } from '../../model/suite/groups.ts';
import type { Operation } from '../../model/suite/suite.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { policyFor } from '../../project/policy.ts';
import { measuredRoot, readSuite } from '../../project/suite.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import { printResult } from '../program/result.ts';
import { lengthsOf, lengthText } from './lengths.ts';

/** `wiregauge config show`: prints the resolved configuration, including defaults, and how long measuring it takes. */
export async function configShow(flags: Pick<MeasureFlags, 'suite' | 'services' | 'json'>): Promise<void> {
  const files = readSuite(measuredRoot(flags.suite), flags.suite, flags.services);
  const data = resolved(files);
  const lengths = lengthsOf(files);
  const { leftOut = [] } = files;
  const comments = [...leftOut.map((line) => `# ${line}\n`), ...lengths.map(lengthText)].join('');
  printResult(
    { command: 'config show', json: flags.json },
    { ...data, leftOut, lengths },
    `${stringify(data, { aliasDuplicateObjects: false })}\n${comments}`,
  );
}

function resolved({ root, suite, services, configHash }: SuiteFiles): object {
  const { services: _names, published: _published, policy: _policy, groups, operations, ...loads } = suite;
  const requested = (all: readonly Operation[], of: readonly Service[]) =>
    all.map((one) => ({ ...one, requests: requestsOf(one, of) }));
  const shown = [...services].map(([name, service]) => {
    const own = groups === undefined ? {} : { operations: requested(operationsFor(suite, name), [service]) };
    return [name, { ...withoutTexts(service), ...own }] as const;
  });
  return {
    root,
    configHash,
    ...loads,
    ...(groups === undefined && { operations: requested(operations, [...services.values()]) }),
    services: Object.fromEntries(shown),
    policy: policyFor(root, suite, undefined),
  };
}

/** Service without the long texts of its contract, which are in files; a program without a container may have no port. */
function withoutTexts({ proto, ...service }: Service): object {
  const named = proto === undefined ? {} : { proto: { ...proto, texts: undefined } };
  const written = JSON.stringify({ ...service, ...named }, (key, value) =>
    key === 'port' && value === 0 ? undefined : value,
  );
  return JSON.parse(written);
}

const MAX_REQUESTS = 10;

/**
 * First requests of an operation as they are sent, by protocol, with the headers and metadata of the first service of each; secrets stay
 * `${env.NAME}`. Throws ConfigError if one cannot be made.
 */
function requestsOf(operation: Operation, services: readonly Service[]): Readonly<Record<string, object>> {
  const found = Object.values(PROTOCOLS).flatMap(({ name, target }) => {
    const service = services.find(({ protocol }) => protocol === name);
    if (service === undefined || operation.bindings[name] === undefined) {
      return [];
    }
    const { requests } = target(operation, service, '');
    return [[name, requests.slice(0, MAX_REQUESTS).map(entryOf)] as const];
  });
  return Object.fromEntries(found);
}

/** Request as its first line if that is all of it, else with its other parts. */
function entryOf({ call, body, headers = {}, content, metadata, deadlineMs, socket }: TargetRequest): string | object {
  const parts = {
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    body: content && ('text' in content ? content.text : `${content.base64.length} characters of base64`),
    message: body,
    ...{ metadata, deadlineMs, socket },
  };
  const more = Object.entries(parts).filter(([, part]) => part !== undefined);
  return more.length === 0 ? call : { request: call, ...Object.fromEntries(more) };
}
