export interface StreamSettings {
  /** How many messages each has. */
  readonly messages: number;
  /** A text that the last of them has somewhere in it; undefined: any. */
  readonly last?: string | undefined;
}
