import { stringify } from 'yaml';
import { durationText } from '../measure/session/budget.ts';
import { fewestRounds, mainJobSeconds, mostRounds, roundSeconds } from '../model/length.ts';
import { PROFILES, planRun, usualModes } from '../model/plan.ts';
import { mainJobRounds, ROUND_PROFILES } from '../model/profile.ts';
import type { Service } from '../model/service.ts';
import type { Suite } from '../model/suite.ts';
import { OWN_ROOT } from '../project/own-root.ts';
import { policyFor } from '../project/policy.ts';
import { readSuite, type SuiteFiles, suiteRoot } from '../project/suite.ts';
import { requestsOf } from './config-requests.ts';
import { tellResult } from './program/result.ts';

export interface ConfigShowFlags {
  readonly suite?: string;
  readonly services?: readonly string[];
  readonly json?: boolean;
}

/** `wiregauge config show`: what the files of the configuration come to, with everything that they leave out, and how long it takes. */
export async function configShow({ suite: name, services: asked, json }: ConfigShowFlags): Promise<number> {
  const files = readSuite(suiteRoot(process.cwd(), OWN_ROOT), name, asked);
  const data = resolved(files);
  const lengths = lengthsOf(files.suite);
  const { leftOut = [] } = files;
  const comments = [...leftOut.map((line) => `# ${line}\n`), ...lengths.map(lengthText)].join('');
  tellResult(
    { command: 'config show', json },
    {
      text: () => `${stringify(data, { aliasDuplicateObjects: false })}\n${comments}`,
      data: () => ({ ...data, leftOut, lengths }),
    },
  );
  return 0;
}

function resolved({ root, suite, services, configHash }: SuiteFiles): object {
  const { services: _names, published: _published, policy: _policy, ...loads } = suite;
  return {
    root,
    configHash,
    ...loads,
    operations: suite.operations.map((one) => ({ ...one, requests: requestsOf(one, [...services.values()]) })),
    services: Object.fromEntries([...services].map(([name, service]) => [name, withoutTexts(service)])),
    policy: policyFor(root, suite, undefined),
  };
}

/** The texts of a contract are long, and stand in its files. */
function withoutTexts({ proto, ...service }: Service): object {
  const named = proto === undefined ? {} : { proto: { ...proto, texts: undefined } };
  return JSON.parse(JSON.stringify({ ...service, ...named }));
}

interface Length {
  readonly command: 'run' | 'compare';
  readonly profile: string;
  /** Of all that is measured once everything is built: from the fewest rounds to the most. */
  readonly fewestSeconds: number;
  readonly mostSeconds: number;
}

function lengthsOf(suite: Suite): readonly Length[] {
  const runs = Object.values(PROFILES).map((profile): Length => {
    const plan = planRun({ suite, profile, modes: usualModes(suite), seed: 1 });
    const rounds = mainJobRounds(plan);
    const seconds = mainJobSeconds(plan, rounds);
    return { command: 'run', profile: profile.name, fewestSeconds: seconds, mostSeconds: seconds };
  });
  const comparisons = Object.values(ROUND_PROFILES).map((profile): Length => {
    const seconds = roundSeconds(profile, suite);
    const [fewest, most] = [fewestRounds(profile), mostRounds(profile)];
    return { command: 'compare', profile: profile.name, fewestSeconds: fewest * seconds, mostSeconds: most * seconds };
  });
  return [...runs, ...comparisons];
}

function lengthText({ command, profile, fewestSeconds, mostSeconds }: Length): string {
  const length =
    fewestSeconds === mostSeconds
      ? durationText(fewestSeconds)
      : `${durationText(fewestSeconds)} to ${durationText(mostSeconds)}`;
  return `# wiregauge ${command} --profile ${profile}: about ${length}, once everything is built\n`;
}
