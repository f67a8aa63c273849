/**
 * A function that makes something for some arguments once, and gives it again for the same ones: all that it gave is frozen, since tests share it.
 * Arguments with functions in them, which cannot be told apart, are made for each time.
 */
export function remembered<Arguments extends readonly unknown[], Made>(
  make: (...given: Arguments) => Made,
): (...given: Arguments) => Made {
  const known = new Map<string, Made>();
  return (...given) => {
    const key = keyOf(given);
    if (key === undefined) {
      return make(...given);
    }
    const found = known.get(key);
    if (found !== undefined) {
      return found;
    }
    const made = frozen(make(...given));
    known.set(key, made);
    return made;
  };
}

function keyOf(given: readonly unknown[]): string | undefined {
  let hasFunction = false;
  const key = JSON.stringify(given, (_, value: unknown) => {
    hasFunction ||= typeof value === 'function';
    // JSON would leave out the one, and call the others null.
    return value === undefined || (typeof value === 'number' && !Number.isFinite(value)) ? `=${value}` : value;
  });
  return hasFunction ? undefined : key;
}

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value) && !ArrayBuffer.isView(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) {
      frozen(inner);
    }
  }
  return value;
}
