/** `{name: map(value)}`, or nothing where there is no value: a field that is not set. */
export function given<Name extends string, Value, Mapped>(
  name: Name,
  value: Value | undefined,
  map: (value: Value) => Mapped,
): { readonly [Key in Name]?: Mapped } {
  return (value === undefined ? {} : { [name]: map(value) }) as { readonly [Key in Name]?: Mapped }
}

export function same<Value>(value: Value): Value {
  return value
}
