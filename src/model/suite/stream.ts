export interface StreamSettings {
  /** Number of messages. */
  readonly messages: number;
  /** Text that the last message must contain; undefined: any. */
  readonly last?: string | undefined;
}
