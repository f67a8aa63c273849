import { ConfigError } from '../../foundation/errors.ts';
import { nameAdvice } from '../../foundation/near-name.ts';
import type { GrpcBinding } from '../../model/grpc-binding.ts';
import type { Service } from '../../model/service.ts';
import type { Row } from '../operations/feed.ts';
import type { ContractOrigin } from '../operations/from-schema.ts';
import { type Draft, type Entry, type Expansion, givenRows, writtenRest } from '../operations/operation-draft.ts';
import type { ReadableContract } from '../reading.ts';
import { type ContractCall, contractCall } from './from-contract-call.ts';

/**
 * The method of a contract that an entry chooses, or all of a service, and why others are left out. The contract is that of
 * the first service of the suite that has it. Throws ConfigError, with file and line, where none has it in its files.
 */
export function contractDrafts(entry: Entry, origin: ContractOrigin): Expansion {
  const { method, service } = origin;
  const contract = contractWith(service, entry);
  const calls = contract.calls.filter((call) => call.startsWith(`${service}/`));
  if (method === undefined) {
    return allDrafts(
      entry,
      calls.map((call) => contractCall(contract.method(call))),
    );
  }
  const call = `${service}/${method}`;
  if (!calls.includes(call)) {
    const known = calls.map((one) => one.slice(service.length + 1));
    throw unknown(entry, { what: `method ${method} in ${service}`, wanted: method, known });
  }
  const found = contractCall(contract.method(call));
  if (found.message === undefined && givenRows(entry) === undefined && entry.found.grpc?.message === undefined) {
    throw noMessage(entry, call);
  }
  return { drafts: [draftOf(entry, found)], leftOut: [] };
}

function contractWith(service: string, entry: Entry): ReadableContract {
  const contracts = readable(entry).map((one) => entry.place.reading.readContract(one));
  const found = contracts.find(({ calls }) => calls.some((call) => call.startsWith(`${service}/`)));
  if (found === undefined) {
    const known = [...new Set(contracts.flatMap(({ calls }) => calls.map((call) => call.split('/')[0] ?? '')))];
    throw unknown(entry, { what: `service ${service}`, wanted: service, known });
  }
  return found;
}

/** The services whose contracts lie in files. */
function readable({ place, at }: Entry): readonly Service[] {
  const callable = place.services().filter(({ protocol }) => protocol === 'grpc');
  const found = callable.filter(({ proto }) => proto !== undefined && !('reflection' in proto));
  const [first] = callable;
  if (first === undefined) {
    throw new ConfigError(`${at('from')}: no service of the suite speaks gRPC, and so there is no contract`, {
      next: 'For an OpenAPI document, give the path of its file: `from: openapi.yaml`.',
    });
  }
  if (found.length === 0) {
    throw new ConfigError(
      `${at('from')}: ${first.name} tells its contract by reflection, which is asked only when it runs: no operations can come out of it`,
      {
        next: 'Write them out, like `grpc: user.v1.UserService/GetUser`, or give the contract: `proto: { root: proto, file: user/v1/user.proto }`.',
      },
    );
  }
  return found;
}

interface Unknown {
  readonly what: string;
  readonly wanted: string;
  readonly known: readonly string[];
}

function unknown({ at }: Entry, { what, wanted, known }: Unknown): ConfigError {
  return new ConfigError(`${at('from')}: the contract has no ${what}`, {
    next: nameAdvice(wanted, known, 'There are'),
  });
}

function allDrafts(entry: Entry, calls: readonly ContractCall[]): Expansion {
  const drafts = calls.filter(({ message }) => message !== undefined).map((call) => draftOf(entry, call));
  const leftOut = calls
    .filter(({ message }) => message === undefined)
    .map(({ call }) => ({ origin: call, line: `left out ${call}: ${NO_MESSAGE}` }));
  if (drafts.length === 0) {
    throw noMessage(entry, leftOut[0]?.origin ?? '');
  }
  return { drafts, leftOut };
}

const NO_MESSAGE = 'no example message can be made, since it requires what holds itself';

function noMessage({ at }: Entry, call: string): ConfigError {
  return new ConfigError(`${at('from')}: ${call}: ${NO_MESSAGE}`, {
    next: `Give it: \`{ from: ${call}, arguments: [{ … }] }\`.`,
  });
}

function draftOf(entry: Entry, { name, call, takesStream, message = {} }: ContractCall): Draft {
  const { found } = entry;
  return {
    entry,
    name: found.name ?? name,
    weight: found.weight,
    verify: found.verify,
    rows: givenRows(entry) ?? [takesStream ? {} : message],
    rest: writtenRest(entry),
    grpc: bindingOf(entry, call, takesStream ? message : undefined),
    origin: call,
  };
}

/** What stands beside `from` comes first. */
function bindingOf({ found: { grpc } }: Entry, call: string, ofStream: Row | undefined): GrpcBinding {
  const stream = ofStream === undefined ? {} : { message: { stream: [ofStream] } };
  const own = grpc?.message === undefined ? stream : { message: grpc.message };
  return {
    call: grpc?.call ?? call,
    ...(grpc?.metadata !== undefined && { metadata: grpc.metadata }),
    ...(grpc?.deadlineMs !== undefined && { deadlineMs: grpc.deadlineMs }),
    ...own,
  };
}
