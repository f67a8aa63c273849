/** What the service answers. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that refuses, in GitHub's form. */
export function refusal(status: number, message: string, errors?: unknown): Answer {
  const body = { message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
  return { status, body: errors === undefined ? body : { ...body, errors } };
}
