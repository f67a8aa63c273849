/** The flag of every command that has a result, and what it says of itself. */
export const JSON_OPTION = [
  '--json',
  'print the result as one JSON document; progress goes to standard error',
] as const;
