import { isJsonMap, type Json } from '../../../foundation/json.ts';
import { withoutTokens } from '../../../model/secrets/printed.ts';

/** Names of secrets, and of what identifies a person, in lower case with underscores. */
const SECRET_NAME =
  /token|secret|passw|passphrase|passcode|credential|private_?key|api_?key|access_?key|signature|session|cookie|csrf|xsrf|jwt|e_?mail|phone|card_?number|authorization|(?:^|_)(?:auth|sid|sig|key|otp|pin|pwd|cvv|cvc|ssn|iban|code_verifier|code_challenge)(?:_|$)/;

function snakeCase(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toLowerCase();
}

/** True if the name of a key, a parameter or a header shows that its value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(snakeCase(name));
}

const EMAIL = /[\w.+%-]{1,64}(?:@|%40)[\w-]{1,63}\.[a-z]/i;

const CARD = /(?:^|\D)(?:\d[ -]?){12,18}\d(?:\D|$)/;

/** At least 32 characters in upper and lower case with digits, and not a path or a sentence. */
const RANDOM =
  /(?:^|[^\w+/=.~-])(?=[\w+/=.~-]{0,200}[a-z])(?=[\w+/=.~-]{0,200}[A-Z])(?=[\w+/=.~-]{0,200}\d)[\w+/=~-]{32}/;

/** Name and value in a text: `pin: 1`, `pin="1"`, `<pin>1`. */
const PAIR = /([\w-]{1,40})["']?\s{0,4}[=:>]\s{0,4}["']?[^\s"'<>&;,]/g;

/** True if a text contains the name of a secret before a value. */
export function hasSecretPair(text: string): boolean {
  // For a multipart field, the value is in the lines that follow.
  const fields = text.matchAll(/\bname="([^"]{1,200})"/g);
  return [...text.matchAll(PAIR), ...fields].some(([, name = '']) => isSecretName(name));
}

/** True if a text contains a secret or an e-mail address, judged by its form. */
export function hasSecret(text: string): boolean {
  return (
    withoutTokens(text, {}) !== text ||
    (/@|%40/.test(text) && EMAIL.test(text)) ||
    RANDOM.test(text) ||
    (CARD.test(text) && isCard(text.replace(/\D/g, '')))
  );
}

/** True if the check digit is valid for a payment card. */
function isCard(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, place) => {
    const doubled = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return digits.length >= 13 && digits.length <= 19 && /^[3-6]/.test(digits) && sum % 10 === 0;
}

export function variableOf(name: string): string {
  const own = snakeCase(name)
    .slice(0, 60)
    .replace(/^_+|(?<!_)_+$/g, '')
    .toUpperCase();
  return /^[A-Z]/.test(own) ? own : `SECRET${own === '' ? '' : `_${own}`}`;
}

/** Value of a key or a parameter, with variables of the environment for secrets. */
export function withoutSecrets(name: string, value: Json): Json {
  if (Array.isArray(value)) {
    return value.map((one) => withoutSecrets(name, one));
  }
  if (isJsonMap(value)) {
    // A key that is itself a secret, such as a map key that is an address, cannot be replaced.
    const kept = Object.entries(value).filter(([key]) => !hasSecret(key));
    return Object.fromEntries(kept.map(([key, inner]) => [key, withoutSecrets(key, inner)]));
  }
  const isEmpty = value === null || value === '' || typeof value === 'boolean';
  if (isEmpty || /^\$\{env\.|^(?:\w{1,10} )?\$\{prepare\.\w+\}$/.test(String(value))) {
    return value;
  }
  if (isSecretName(name)) {
    return `\${env.${variableOf(name)}}`;
  }
  const isSecret = hasSecret(name === 'query' ? withoutTypes(String(value)) : String(value));
  return isSecret ? `\${env.${EMAIL.test(String(value)) ? 'EMAIL' : variableOf(`${name}_secret`)}}` : value;
}

/** GraphQL without types and variables, which are not values: `$password: String!`. */
function withoutTypes(text: string): string {
  return text.includes('{') ? text.replace(/:\s{0,9}(?:\$\w+|\[?[A-Z]\w*!?)/g, ' ') : text;
}

/** Variables that a value names. */
export function variablesIn(value: unknown): readonly string[] {
  return [...JSON.stringify(value).matchAll(/\$\{env\.(\w+)\}/g)].map(([, name = '']) => name);
}
