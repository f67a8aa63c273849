/** Function that makes its value at the first call, and returns the same one from then on. */
export function once<Value>(make: () => Value): () => Value {
  let made: readonly [Value] | undefined;
  return () => {
    made ??= [make()];
    return made[0];
  };
}
