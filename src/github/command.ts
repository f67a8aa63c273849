/** Command in a comment on a pull request. */
export type Command =
  | {
      readonly kind: 'accept';
      /** Regressions up to this size: 0.08 is 8%. */
      readonly upTo: number;
    }
  /** Accepts the changes that loosen the policy. */
  | { readonly kind: 'policy' }
  | { readonly kind: 'rerun' };

const COMMAND =
  /^\/wiregauge[ \t]+(?:(rerun)|accept[ \t]+(?:(policy)|(\d{1,4}(?:\.\d{1,3})?)[ \t]?%))[ \t]*\.?[ \t]*$/i;

/** Largest regression that a policy can accept, in percent. */
const MAX_PERCENT = 1000;

/**
 * Command in the first line of a comment; undefined if the line contains anything else, such as a quotation or a sentence about a command.
 */
export function commandIn(body: string): Command | undefined {
  const [line = ''] = body.split(/\r?\n/, 1);
  const [, rerun, policy, size] = COMMAND.exec(line) ?? [];
  const percent = Number(size);
  if (rerun !== undefined) {
    return { kind: 'rerun' };
  }
  if (policy !== undefined) {
    return { kind: 'policy' };
  }
  return percent > 0 && percent <= MAX_PERCENT ? { kind: 'accept', upTo: percent / 100 } : undefined;
}
