import { MeasurementError, messageOf } from '../core/errors.ts';
import { canonicalJson } from '../core/json.ts';
import type { Service } from '../core/service.ts';
import type { Operation } from '../core/suite.ts';
import { PROTOCOLS } from '../protocols/index.ts';
import type { Bench } from './bench.ts';
import { type Asking, untilReady } from './ready.ts';

/** Canonical answers by operation and argument, in the order of the suite. */
type Answers = ReadonlyMap<string, string>;

/**
 * Starts every service once, one at a time, and asks it for every operation with every argument.
 * Throws MeasurementError where one refuses or two of them answer differently: then nothing is measured.
 */
export async function verify(bench: Bench): Promise<void> {
  let reference: { readonly service: Service; readonly answers: Answers } | undefined;
  for (const service of bench.services.values()) {
    const answers = await answersOf(bench, service);
    reference ??= { service, answers };
    for (const [request, answer] of answers) {
      const expected = reference.answers.get(request);
      if (answer !== expected) {
        throw new MeasurementError(
          `${service.name} and ${reference.service.name} answer ${request} differently: ${cut(answer)} and ${cut(expected ?? '')}`,
          { next: 'Mend the service that is wrong; figures of services that do different things cannot be compared.' },
        );
      }
    }
  }
  const names = [...bench.services.keys()].join(', ');
  bench.progress.line(`verified: ${names} give the same answers to ${reference?.answers.size ?? 0} requests`);
}

async function answersOf(bench: Bench, service: Service): Promise<Answers> {
  await using running = await bench.runtime.start(service);
  const [first] = bench.plan.suite.operations;
  if (first !== undefined) {
    await untilReady(running, askingFor(bench, service, first));
  }
  const answers = new Map<string, string>();
  for (const operation of bench.plan.suite.operations) {
    for (const [index, answer] of (
      await answersTo(bench, service, { operation, address: running.address })
    ).entries()) {
      answers.set(`${operation.name} ${canonicalJson(operation.arguments[index] ?? {})}`, answer);
    }
  }
  return answers;
}

async function answersTo(
  bench: Bench,
  service: Service,
  { operation, address }: { readonly operation: Operation; readonly address: string },
): Promise<string[]> {
  const protocol = PROTOCOLS[service.protocol];
  const answers: string[] = [];
  for (const request of protocol.target(operation, service, address).requests) {
    try {
      answers.push(canonicalJson(protocol.canonical(await bench.client.call(service, address, request))));
    } catch (cause) {
      throw new MeasurementError(
        `${service.name}: ${request.call} of operation ${operation.name}: ${messageOf(cause)}`,
        {
          cause,
          next: 'Every service of a suite must answer every request of it with success.',
        },
      );
    }
  }
  return answers;
}

/** How a service is asked for one operation in this run. */
export function askingFor(bench: Bench, service: Service, operation: Operation): Asking {
  const { client, clock, signal } = bench;
  return { client, clock, signal, service, operation, protocol: PROTOCOLS[service.protocol] };
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
