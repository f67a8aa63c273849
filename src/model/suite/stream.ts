/** What the answers of an operation are, if they are streams of messages, or one answer that is compared with such. */
export interface StreamSettings {
  /** How many messages each has. */
  readonly messages: number;
  /** A text that the last of them has somewhere in it; undefined: any. */
  readonly last?: string | undefined;
}
