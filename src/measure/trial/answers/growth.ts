import { canonicalJson } from '../../../foundation/json.ts';
import type { Operation } from '../../../model/suite/suite.ts';
import type { Client } from '../../../protocols/client.ts';
import { PROTOCOLS } from '../../../protocols/protocols.ts';
import type { Questions } from './questions.ts';

/** How long the answer of each operation is, in characters of its canonical form; without those that cannot be asked. */
export type AnswerLengths = ReadonlyMap<string, number>;

/**
 * Asks for every operation once, with its first argument. An operation that refuses is left out, and so is one whose answers are not
 * verified: to ask for that may change something.
 */
export async function answerLengths(client: Client, questions: Questions): Promise<AnswerLengths> {
  const lengths = new Map<string, number>();
  for (const operation of questions.operations) {
    const length = operation.verify === 'none' ? undefined : await lengthOf(client, questions, operation);
    if (length !== undefined) {
      lengths.set(operation.name, length);
    }
  }
  return lengths;
}

async function lengthOf(client: Client, { service, address }: Questions, operation: Operation) {
  const protocol = PROTOCOLS[service.protocol];
  try {
    const one = { ...operation, arguments: operation.arguments.slice(0, 1) };
    const [request] = protocol.target(one, service, address).requests;
    const reply = request && (await client.call(service, address, request));
    return reply && canonicalJson(protocol.canonical(reply, operation)).length;
  } catch {
    // What an operation refuses is said of its requests under load.
    return undefined;
  }
}

/** An answer that has grown by this share is another load at the end than at the beginning. */
const GROWN_SHARE = 0.1;

/** Less is a number with more digits. */
const GROWN_CHARACTERS = 100;

/** The operations whose answers have grown between two times of asking. */
export function grownOperations(before: AnswerLengths, after: AnswerLengths): readonly string[] {
  return [...before].flatMap(([operation, length]) => {
    const grown = (after.get(operation) ?? 0) - length;
    return grown >= GROWN_CHARACTERS && grown > GROWN_SHARE * length ? [operation] : [];
  });
}
