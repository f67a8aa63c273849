import { nameFrom } from '../../config/operations/draft.ts';
import { cleanText } from '../../foundation/text.ts';
import type { Ask } from '../../host/terminal/questions.ts';
import { portFrom } from './read/places.ts';
import type { Proposal, Proposals, ProposedOperation } from './services/proposal.ts';
import { MAX_OPERATIONS, mostOperations } from './write/project-text.ts';

/** The proposal after the prompts of a terminal for its service, name, port and operations. Undefined if the user canceled. */
export async function askAbout(proposals: Proposals, ask: Ask): Promise<Proposal | undefined> {
  const [first] = proposals;
  const others = proposals.length > 1 ? ` (found: ${proposals.map(({ name }) => name).join(', ')})` : '';
  const name = await ask({
    text: `Name of the service${others}`,
    usual: first.name,
    refusal: (answer) =>
      nameFrom(answer) === answer ? undefined : 'Letters, digits, dots, dashes and underscores, at most 80.',
  });
  const chosen = proposals.find((one) => one.name === name) ?? first;
  const port = name === undefined ? undefined : await askPort(chosen, ask);
  if (name === undefined || port === undefined) {
    return undefined;
  }
  const isChosen = chosen.operations.length <= mostOperations(chosen.from);
  const operations = isChosen ? chosen.operations : await askOperations(chosen.operations, ask);
  return operations && { ...chosen, name, port, operations };
}

/** Answer to a yes-or-no question; undefined if the user canceled. */
export async function askYes(text: string, ask: Ask, usual: 'y' | 'n' = 'y'): Promise<'y' | 'n' | undefined> {
  const answer = await ask({
    text: `${text} (y/n)`,
    usual,
    refusal: (given) => (/^(?:y|yes|n|no)$/i.test(given) ? undefined : 'y or n.'),
  });
  return answer === undefined ? undefined : /^y/i.test(answer) ? 'y' : 'n';
}

async function askPort({ port }: Proposal, ask: Ask): Promise<Proposal['port'] | undefined> {
  const answer = await ask({
    text: 'Port that it listens on',
    usual: String(port.number),
    refusal: (given) => (portFrom(given) === undefined ? 'A whole number from 1 to 65535.' : undefined),
  });
  const number = portFrom(answer);
  return number === undefined ? undefined : { ...port, number };
}

async function askOperations(
  operations: readonly ProposedOperation[],
  ask: Ask,
): Promise<readonly ProposedOperation[] | undefined> {
  const listed = operations.map(({ name }, index) => `  ${index + 1}. ${cleanText(name, 80)}`).join('\n');
  const answer = await ask({
    text: `${listed}\nOperations to measure, by their numbers, at most ${MAX_OPERATIONS}`,
    usual: operations
      .slice(0, MAX_OPERATIONS)
      .map((_, index) => index + 1)
      .join(','),
    refusal: (given) =>
      chosenOf(operations, given) === undefined
        ? `Numbers from 1 to ${operations.length}, with commas, at most ${MAX_OPERATIONS}.`
        : undefined,
  });
  return answer === undefined ? undefined : chosenOf(operations, answer);
}

function chosenOf(operations: readonly ProposedOperation[], answer: string): readonly ProposedOperation[] | undefined {
  const numbers = [...new Set(answer.split(',').map((part) => Number(part.trim() || Number.NaN)))];
  const chosen = numbers.flatMap((number) => operations[number - 1] ?? []);
  return chosen.length === numbers.length && chosen.length <= MAX_OPERATIONS ? chosen : undefined;
}
