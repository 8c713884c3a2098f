/** The API server uses these words for every authorizer: apiserver/pkg/endpoints/handlers/responsewriters/errors.go at v0.36.3. */
const WORDS = /^[^"]*User "(?<user>(?:[^"\\]|\\.)+)" cannot (?<verb>[a-z]+) resource "(?<resource>[^"]+)"/;

/** Who may not do what, by the API server's message; null if it says something else. A name that Go has escaped is left unread. */
export function refusalWords(message: string): { user: string | null; verb: string; resource: string } | null {
  const { user, verb, resource } = WORDS.exec(message)?.groups ?? {};
  if (user === undefined || verb === undefined || resource === undefined) return null;
  return { user: user.includes("\\") ? null : unescaped(user), verb, resource };
}

// As errors.go escapes them.
function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
