/** `namespace/name`: how logs, metrics and grants name an object. */
export function qualified(metadata: { readonly namespace: string; readonly name: string }): string {
  return `${metadata.namespace}/${metadata.name}`
}
