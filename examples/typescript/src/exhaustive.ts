/** The end of a switch over all members of a union: compiles only when none is left, so a new member must be handled. */
export function failUnhandled(value: never): never {
  const typename = (value as { readonly __typename?: string }).__typename ?? JSON.stringify(value);
  throw new Error(`The server answered with ${typename}, which this program is too old to know.`);
}
