/** Names that differ by more letters count as different words. */
const MOST_WRONG = 3;
/**
 * The variables that the kubelet and Docker set for a Service named crdshift:
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
const OF_SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/;

/** The variables that are set and start with the settings' prefix, but aren't settings; each with the closest setting, if any. */
export function misspelt(
  variables: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): { name: string; meant: string | null }[] {
  return Object.entries(variables)
    .filter(([name, value = ""]) => value !== "" && /^crdshift_/i.test(name) && !settings.includes(name) && !isOfService(name, value))
    .map(([name]) => ({ name, meant: nearest(name.toUpperCase(), settings) }));
}

function nearest(name: string, settings: readonly string[]): string | null {
  const ofEverybody = name.replace(/^CRDSHIFT_/, "");
  if (settings.includes(ofEverybody)) return ofEverybody;
  const byDistance = settings
    .map((setting) => ({ setting, distance: editDistance(name, setting, MOST_WRONG) }))
    .toSorted((one, other) => one.distance - other.distance);
  const [best] = byDistance;
  return best && best.distance <= MOST_WRONG ? best.setting : null;
}

// A Service's CRDSHIFT_PORT is a URL.
function isOfService(name: string, value: string): boolean {
  return OF_SERVICE.test(name) || (name.endsWith("_PORT") && /^(tcp|udp|sctp):/.test(value));
}

/**
 * The number of letters to insert, delete or replace to turn one text into the other (Levenshtein); Infinity if it is more than
 * `most`.
 */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return Number.POSITIVE_INFINITY;
  // From the empty text to each prefix of the other.
  let row = Array.from({ length: other.length + 1 }, (_, length) => length);
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1];
    for (const [column, exchanged] of row.slice(0, -1).entries()) {
      const takenOut = (row[column + 1] ?? 0) + 1;
      const putIn = (next[column] ?? 0) + 1;
      next.push(Math.min(takenOut, putIn, exchanged + (letter === other[column] ? 0 : 1)));
    }
    row = next;
  }
  const distance = row.at(-1) ?? 0;
  return distance > most ? Number.POSITIVE_INFINITY : distance;
}
