import { counted } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import type { Uncompared } from '../../judge/verdict/finding.ts';
import type { Faulty } from '../../judge/verdict/note.ts';
import type { Side } from '../../model/rounds.ts';
import { referenceOf } from '../../model/run/comparison.ts';
import { shardText } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';

/** Reason that something was not compared, as a clause; for compared services with their names. */
export function detailText({ cell, detail }: Pick<Uncompared, 'cell' | 'detail'>, run?: RunInRounds): string {
  if (typeof detail === 'string') {
    return detail;
  }
  const versus = run?.rounds.versus;
  const nameOf = (side: Side) =>
    versus === undefined ? `the ${side}` : side === 'base' ? referenceOf(versus, cell.service) : cell.service;
  const namesOf = (sides: readonly Side[]) =>
    sides.length > 1 && versus === undefined ? 'both versions' : wordList(sides.map(nameOf));
  switch (detail.kind) {
    case 'not-in':
      return `the ${detail.side} does not have it`;
    case 'failed':
      return `${detail.isAdopted ? 'the base fails with the configuration of the head: ' : ''}${detail.rounds === undefined ? '' : `${detail.rounds} rounds failed: `}${detail.said}`;
    case 'unkept':
      return `none of ${counted(detail.rounds, 'round')} was kept, ${detail.failed} failed${detail.said === undefined ? '' : `: ${detail.said}`}`;
    case 'in-no-round':
      return `missing in all rounds of ${detail.sides.length > 1 ? 'both versions' : namesOf(detail.sides)}`;
    case 'holes':
      return `${detail.of === 'missing' ? 'missing' : 'not above 0'} in ${detail.count} of ${counted(detail.rounds, 'round')}`;
    case 'shard':
      return `shard ${shardText(detail.shard)} ${detail.isCutShort ? 'ended before it had enough rounds' : 'has no run.json'}`;
    case 'uncounted':
      return `${detail.side} could not be counted: ${detail.said}`;
    default:
      return faultText(detail, nameOf, namesOf);
  }
}

function faultText(fault: Faulty, nameOf: (side: Side) => string, namesOf: (sides: readonly Side[]) => string): string {
  const rounds = `in ${fault.count} of ${counted(fault.rounds, 'round')}`;
  const disturbed = fault.isDisturbed ? ', while other programs took over 10% of a core' : '';
  if (fault.kind === 'errors') {
    return `over 1% of the requests failed in ${namesOf(fault.sides)} ${rounds}${disturbed}`;
  }
  const { more, isBeyond, isCpuLeft } = fault;
  const whose = more && ` (of ${nameOf('head')} in ${more.head}, of ${nameOf('base')} in ${more.base})`;
  const beyond = isBeyond ? ': a load tool on one core cannot fill the core of this service' : '';
  const left = isCpuLeft ? '; CPU per request is still compared' : '';
  return `the load tool was at its limit ${rounds}${whose ?? ''}${disturbed}${beyond}${left}`;
}
