import { parseDocument } from 'yaml';
import type { TriedService } from '../../../measure/plans/try.ts';
import { fixArguments, fixFewOperations, fixLost, furtherOf } from './arguments.ts';
import { fixMethods, fixProtocol, fixQueries } from './contract.ts';
import type { Change, Fixing, FixKnowledge } from './fix.ts';
import { fixMissing, fixNotCreated, fixStillMissing } from './missing.ts';
import { fixFlag, fixLock, fixNeedPort, fixPort, fixReady, fixSetuptools, fixTls } from './program.ts';
import { fixCredentials, fixOperations, fixSlashes, fixVarying, rateLimited } from './refused.ts';

/** The result of each service's trial, by its name. */
export type TriedServices = ReadonlyMap<string, TriedService>;

const FIXES: readonly ((fixing: Fixing) => readonly Change[])[] = [
  fixNotCreated,
  fixStillMissing,
  fixMissing,
  fixArguments,
  fixCredentials,
  rateLimited,
  fixSlashes,
  fixOperations,
  fixQueries,
  fixMethods,
  fixProtocol,
  fixTls,
  fixFewOperations,
  fixSetuptools,
  fixLock,
  fixNeedPort,
  fixFlag,
  fixLost,
  fixVarying,
  fixPort,
  fixReady,
];

const NOTHING: FixKnowledge = { further: new Map(), logins: new Map(), hasToken: false, isLast: false, documents: [] };

/**
 * Text of a wiregauge.yml with what a trial showed, and a line for each change; what no fix changes stays to the letter. `leftOut` are the
 * operations that it lost, `further` the routes that it still lacks and that were not tried.
 */
export function fixedText(text: string, tried: TriedServices, known: FixKnowledge = NOTHING) {
  const document = parseDocument(text);
  const changes = [...tried].flatMap(([name, service]) => {
    const made: Change[] = [];
    for (const fix of FIXES) {
      const waiting = new Set(made.flatMap(({ operations = [] }) => operations));
      made.push(...fix({ document, name, service, known, waiting }));
    }
    return made;
  });
  const further = new Map([...known.further].map(([name, routes]) => [name, furtherOf(document, name, routes)]));
  return {
    text: changes.every(({ words }) => words === undefined)
      ? text
      : document.toString({ lineWidth: 0, flowCollectionPadding: true }),
    changes: changes.flatMap(({ words }) => words ?? []),
    leftOut: changes.flatMap(({ leftOut = [] }) => leftOut),
    further,
    isRequestedOtherwise: changes.some((change) => change.isRequestedOtherwise === true),
  };
}

/** A text without services that do not work: with them no other could be measured. */
export function withoutServices(text: string, names: readonly string[]): string {
  const document = parseDocument(text);
  for (const name of names) {
    document.deleteIn(['services', name]);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}
