import { KnownError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import { valueAt } from '../../foundation/json-path.ts';
import { filled } from '../../foundation/placeholders.ts';
import { resolvedBody } from '../../model/secrets/secrets.ts';
import type { Service } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import type { Client } from '../../protocols/client.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';

/** Error for a `prepare` request that is refused, or whose response lacks a value. */
export class PreparationError extends MeasurementError {
  static override readonly code = 'WG-313';

  /** True if another try would not help. */
  readonly isFinal: boolean;

  readonly status: string;

  constructor(message: string, status: string, cause?: unknown) {
    const next = cause instanceof KnownError ? cause.next : undefined;
    super(message, { cause, next: next ?? 'Correct the request, or the path in `capture`.' });
    this.status = status;
    this.isFinal = !/^(?:5\d\d|UNAVAILABLE|INTERNAL|UNKNOWN)$/.test(status);
  }
}

function refused(message: string): MeasurementError {
  return new MeasurementError(message, { code: PreparationError.code });
}

/** `prepare` requests of a started service, and the values that other requests carry. */
export class Preparing {
  readonly #client: Client;
  readonly #service: Service;
  readonly #address: string;
  readonly #values = new Map<string, Json>();
  #sent = 0;

  constructor(client: Client, service: Service, address: string) {
    this.#client = client;
    this.#service = service;
    this.#address = address;
  }

  get isDone(): boolean {
    return this.#sent === (this.#service.prepare ?? []).length;
  }

  /** Sends those that were not answered yet. Throws PreparationError with file and line. */
  async send(): Promise<undefined> {
    const { protocol: name, prepare = [] } = this.#service;
    const protocol = PROTOCOLS[name];
    for (const { place, binding, capture } of prepare.slice(this.#sent)) {
      const { service } = this;
      const plain = { name: place, share: 1, arguments: [{}], bindings: { [name]: binding } } as const;
      const operation = this.filled(plain);
      for (const request of protocol.target(operation, service, this.#address).requests) {
        const { call } = request;
        const reply = await this.#client.call(service, this.#address, request);
        try {
          this.#take(capture, protocol.canonical(reply, operation));
        } catch (cause) {
          throw new PreparationError(`${place}: ${call}: ${messageOf(cause)}`, reply.status, cause);
        }
      }
      this.#sent += 1;
    }
  }

  get service(): Service {
    const { headers, metadata } = this.#service;
    const known = (texts: Readonly<Record<string, string>> = {}): Record<string, string> => {
      const all = Object.entries(texts).map(([name, text]) => [name, this.#text(text)] as const);
      return Object.fromEntries(all.filter(([, text]) => !text.includes('${prepare.')));
    };
    return this.#service.prepare === undefined
      ? this.#service
      : {
          ...this.#service,
          ...(headers && { headers: known(headers) }),
          ...(metadata && { metadata: known(metadata) }),
        };
  }

  filled(operation: Operation): Operation {
    if (this.#values.size === 0) {
      return operation;
    }
    const bindings = Object.entries(operation.bindings).map(([name, binding]) => {
      const { path } = binding as { readonly path?: unknown };
      const own = typeof path === 'string' ? { path: this.#text(path, encodeURIComponent) } : {};
      return [name, { ...this.#in(binding as object), ...own }];
    });
    return {
      ...operation,
      arguments: this.#in(operation.arguments),
      bindings: Object.fromEntries(bindings),
    };
  }

  #take(capture: Readonly<Record<string, string>>, answer: Json): void {
    for (const [name, path] of Object.entries(capture)) {
      const value = valueAt(answer, path);
      if (value === undefined || value === null || typeof value === 'object' || /\p{Cc}/u.test(String(value))) {
        throw refused(`the response has no string, number or boolean at ${path}`);
      }
      this.#client.learn([String(value)]);
      // Secrets are resolved afterwards, including those of other services.
      if (String(value).includes('${')) {
        throw refused(`the value at ${path} contains \`\${\`, which begins a placeholder`);
      }
      this.#values.set(name, value);
    }
  }

  #text(text: string, escaped: (value: string) => string = String): string {
    const prepare = (name: string): string | undefined =>
      this.#values.has(name) ? escaped(String(this.#values.get(name))) : undefined;
    return filled(text, { prepare });
  }

  /** A text that is only a placeholder becomes the value itself, except in headers. */
  #in<Value>(value: Value, isText = false): Value {
    const inner = (one: unknown): unknown => {
      if (typeof one === 'string') {
        const [, whole = ''] = /^\$\{prepare\.(\w+)\}$/.exec(one) ?? [];
        return isText ? this.#text(one) : (this.#values.get(whole) ?? resolvedBody(one, (text) => this.#text(text)));
      }
      return typeof one === 'object' && one !== null ? this.#in(one, isText) : one;
    };
    if (Array.isArray(value)) {
      return value.map(inner) as Value;
    }
    const isTexts = (key: string): boolean => isText || key === 'headers' || key === 'metadata';
    const entries = Object.entries(value as object);
    return Object.fromEntries(
      entries.map(([key, one]) => [key, isTexts(key) && typeof one === 'object' ? this.#in(one, true) : inner(one)]),
    ) as Value;
  }
}
