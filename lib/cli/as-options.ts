const optionOf: Readonly<Record<string, string>> = {
  acceptLosses: "--accept-losses",
  keepOwnership: "--keep-ownership",
  throughStatus: "--through-status",
};

/** A sentence of the engine's, which names options as the HTTP API and the server do, with the names that they have here. */
export function asOptions(text: string): string {
  return text
    .replace(", or start with --demo", "")
    .replaceAll(/\b(acceptLosses|keepOwnership|throughStatus)\b/g, (name) => optionOf[name] ?? name);
}
