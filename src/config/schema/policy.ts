import { ConfigError } from '../../foundation/errors.ts';
import { changedPolicy, DEFAULT_POLICY, type Policy, type PolicyChange } from '../../model/policy.ts';
import type { Suite } from '../../model/suite.ts';
import { parseYaml, type SourceText } from '../yaml/yaml.ts';
import { type KnownMetrics, MEASURED_METRICS } from './metric-name.ts';
import { acceptedSchema, alphaSchema, policyBlock } from './policy-schema.ts';

/**
 * What judges a comparison: the suite's own policy over the usual one, with what is accepted in `.wiregauge/accepted.yml`
 * where there is one. Throws ConfigError with file, line and path of what is wrong.
 */
export function policyOf(suite: Pick<Suite, 'policy'>, accepted: SourceText | undefined): Policy {
  const policy = changedPolicy(DEFAULT_POLICY, suite.policy);
  return accepted === undefined ? policy : { ...policy, accepted: parseYaml(accepted, acceptedSchema()) };
}

/**
 * The keys of a policy in a file of their own, as `--policy` takes them: those of a suite's `policy:` block, and
 * `accepted`. `known` are the metrics that it may name. Throws ConfigError with file, line and path of what is wrong.
 */
export function parsePolicy(source: SourceText, known: KnownMetrics = MEASURED_METRICS): PolicyChange {
  return parseYaml(source, policyBlock(known).extend({ accepted: acceptedSchema(known).optional() }));
}

/** The alpha in a flag's text, like "1%" or "0.01"; throws ConfigError for any other. */
export function parseAlpha(text: string): number {
  const parsed = alphaSchema.safeParse(text.endsWith('%') ? text : Number(text));
  if (!parsed.success) {
    throw new ConfigError(`--alpha "${text.slice(0, 40)}": ${parsed.error.issues[0]?.message ?? 'is none'}`, {
      next: 'The usual one is 2%, a strict one 1%, a sensitive one 5%.',
    });
  }
  return parsed.data;
}
