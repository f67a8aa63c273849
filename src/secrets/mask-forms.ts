/** Shorter parts of a secret are words that stand anywhere. */
const SHORTEST_PART = 8;

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A secret in the forms that nothing but a program makes of it: in base64 by itself and within something longer, as the password of
 * `Authorization: Basic` is; and what of it is a secret by itself: the token behind `Bearer`, the password of an address, what base64 in it
 * stands for. Without the secret itself.
 */
export function derivedForms(secret: string): readonly string[] {
  const parts = partsOf(secret).filter((part) => part.length >= SHORTEST_PART);
  return [...parts, ...[secret, ...parts].flatMap(base64Forms)];
}

const SCHEME = /^(?:basic|bearer|digest|token)\s+(\S.*)$/i;
const PASSWORD_OF_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:([^/?#\s@]+)@/i;

function partsOf(secret: string): readonly string[] {
  const token = SCHEME.exec(secret)?.[1];
  const password = PASSWORD_OF_ADDRESS.exec(secret)?.[1];
  const credentials = credentialsIn(token ?? secret);
  return [
    ...(token === undefined ? [] : [token]),
    ...(password === undefined ? [] : [password, unescaped(password)]),
    ...(credentials === undefined ? [] : [credentials, credentials.slice(credentials.indexOf(':') + 1)]),
  ];
}

/** `user:password` in base64. */
function credentialsIn(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(text) || text.length % 4 !== 0) {
    return undefined;
  }
  try {
    const decoded = fromUtf8.decode(Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)));
    return /^[^:\p{Cc}]+:\P{Cc}+$/u.test(decoded) ? decoded : undefined;
  } catch {
    // Other bytes than a text: it is no pair of user and password.
    return undefined;
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A % that escapes nothing.
    return text;
  }
}

/** Three bytes become four characters: a text stands in one of three ways in those of something longer. */
const FIRST_OWN_CHARACTER = [0, 2, 3];

function base64Forms(text: string): readonly string[] {
  const bytes = utf8.encode(text);
  const whole = base64(bytes);
  const within = FIRST_OWN_CHARACTER.map((from, before) => {
    const moved = new Uint8Array(before + bytes.length);
    moved.set(bytes, before);
    // The last character may be made of what follows, too.
    return base64(moved).slice(from, Math.floor((8 * moved.length) / 6));
  });
  return [whole, ...within]
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
    .filter((form) => form.length >= SHORTEST_PART);
}

function base64(bytes: Uint8Array): string {
  // As arguments of one call, the bytes of a long text would be too many.
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
