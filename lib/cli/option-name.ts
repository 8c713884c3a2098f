/** A field of the HTTP API's body as the option that it is here: `maxPerSecond` is `--max-per-second`. */
export function optionName(field: string): string {
  return `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
