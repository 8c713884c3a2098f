/** Which of the origins a Host header stands for; null for none. A default port may be named or not. */
export function publicOrigin(host: string, origins: readonly string[]): string | null {
  return origins.find((origin) => URL.parse(`${origin.split(":")[0]}://${host}`)?.origin === origin) ?? null;
}
