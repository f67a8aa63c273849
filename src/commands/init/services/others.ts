import { isDeepStrictEqual } from 'node:util';
import { isBelow } from '../read/places.ts';
import type { LeftOutService, Proposal, Proposals } from './proposal.ts';

/**
 * Other services of a repository to propose with the chosen one, each with its own operations: those that answer something, have their own source,
 * and start in the same way, as all services of a file must.
 */
export function servicesWithChosen(chosen: Proposal, others: readonly Proposal[]) {
  const written: Proposal[] = [];
  const leftOut: LeftOutService[] = [];
  for (const other of others) {
    const why = obstacle(other, [chosen, ...written]);
    if (why === undefined) {
      written.push(other);
    } else {
      leftOut.push({ name: other.name, why });
    }
  }
  return { written, leftOut };
}

/** Folders of programs that do not run on their own. */
const ASIDE =
  /(?:^|\/)(?:examples?|samples?|demos?|docs?|tests?|e2e|fixtures?|testdata|bench(?:marks?)?|vendor)(?:\/|$)/i;

function obstacle(other: Proposal, [chosen, ...written]: Proposals): string | undefined {
  const all = [chosen, ...written];
  const twin = all.find(
    ({ folder, protocol, operations }) =>
      folder === other.folder &&
      protocol === other.protocol &&
      (other.port.from !== 'compose' || isDeepStrictEqual(operations, other.operations)),
  );
  if (all.some(({ name }) => name === other.name)) {
    return `another service has the name ${other.name}`;
  }
  if (other.operations.length === 0) {
    return 'the repository does not show what it answers';
  }
  if (ASIDE.test(other.folder) && !ASIDE.test(chosen.folder)) {
    return `its folder, ${other.folder}, does not look like that of a service`;
  }
  if (twin !== undefined) {
    return `it has the same source as ${twin.name}`;
  }
  const alike = all.find((one) => isDeepStrictEqual(one.operations, other.operations) && !areRoutesApart(one, other));
  if (alike !== undefined) {
    return `it answers the same requests as ${alike.name}`;
  }
  const shared = all.reduce((kinds, one) => kinds.filter((kind) => startsOf(one).includes(kind)), startsOf(other));
  return shared.length === 0
    ? `it cannot be started in the same way as ${chosen.name}, as a container or a process`
    : undefined;
}

/** True if two programs have routes in separate source folders: both may answer `GET /`. */
function areRoutesApart(one: Proposal, other: Proposal): boolean {
  const isApart = !isBelow(`${one.folder}/`, other.folder) && !isBelow(`${other.folder}/`, one.folder);
  return isApart && one.from === 'sources' && other.from === 'sources';
}

/** Ways to start a service; one without any needs a Dockerfile from the user. */
function startsOf({ image, process }: Proposal): readonly string[] {
  return process === undefined ? ['container'] : image === undefined ? ['process'] : ['container', 'process'];
}
